/** The values of records in the book: fields between tabs, times in seconds. */

/** What the book knows of a document. */
export interface DocumentValue {
  /** The key of the URL at which it was seen first: its domain and the URL. */
  readonly key: string;
  readonly first: number;
  readonly last: number;
  readonly useful: boolean;
  /** The crawl that found it. */
  readonly source: number;
}

export const documentText = ({ key, first, last, useful, source }: DocumentValue): string =>
  `${key}\t${first}\t${last}\t${flag(useful)}\t${source}`;

export function documentIn(value: string): DocumentValue {
  const [key, first, last, useful, source] = value.split('\t');
  return { key, first: +first, last: +last, useful: useful === '1', source: +source };
}

/** Which document a URL leads to. */
interface AddressValue {
  readonly digest: string;
  /** The domain of the document. */
  readonly domain: string;
  readonly last: number;
  readonly useful: boolean;
  /** The crawl that saw it last. */
  readonly source: number;
}

export const addressText = ({ digest, domain, last, useful, source }: AddressValue): string =>
  `${digest}\t${domain}\t${last}\t${flag(useful)}\t${source}`;

export function addressIn(value: string): AddressValue {
  const [digest, domain, last, useful, source] = value.split('\t');
  return { digest, domain, last: +last, useful: useful === '1', source: +source };
}

/** A page with links to documents, as it was when it was crawled last. */
export interface ParentValue {
  readonly documents: number;
  readonly useful: number;
  readonly last: number;
  /** How often in a row it was a seed and gave no page; see `parents.ts`. */
  readonly missed: number;
}

export const parentText = ({ documents, useful, last, missed }: ParentValue): string =>
  `${documents}\t${useful}\t${last}${missed > 0 ? `\t${missed}` : ''}`;

export function parentIn(value: string): ParentValue {
  const [documents, useful, last, missed = '0'] = value.split('\t');
  return { documents: +documents, useful: +useful, last: +last, missed: +missed };
}

/** The counts of a domain. */
export interface DomainValue {
  readonly documents: number;
  readonly useful: number;
  readonly parents: number;
  /** References from useful documents to its documents. */
  readonly references: number;
  /** Requests in its visits; each visit counts half as much as the next one. */
  readonly requests: number;
  /** New useful documents that these found. */
  readonly gained: number;
  /** When it was tried last with a seed. */
  readonly tried: number;
}

export const NO_DOMAIN: DomainValue = {
  documents: 0,
  useful: 0,
  parents: 0,
  references: 0,
  requests: 0,
  gained: 0,
  tried: 0,
};

export const domainText = (of: DomainValue): string =>
  `${of.documents}\t${of.useful}\t${of.parents}\t${of.references}\t${short(of.requests)}\t${short(of.gained)}\t${of.tried}`;

export function domainIn(value: string): DomainValue {
  const [documents, useful, parents, references, requests, gained, tried] = value
    .split('\t')
    .map(Number);
  return { documents, useful, parents, references, requests, gained, tried };
}

const flag = (truth: boolean): string => (truth ? '1' : '0');
const short = (number: number): string => String(Math.round(number * 1000) / 1000);
