/** A large book, written as a merge would leave it, and the harvest of a day to merge into it. */
import { Disk } from '../../src/disk/disk.ts';
import { type BookFile, BookFolder } from '../../src/focus/book/book.ts';
import { addressText, documentText, domainText, parentText } from '../../src/focus/book/values.ts';
import type { Harvest, HarvestPage, Judgement } from '../../src/focus/learn/harvest.ts';

const TIME = 1_750_000_000;
const RULES = { wanted: 'true', useful: 'true' };

export interface Sizes {
  readonly documents: number;
  readonly parents: number;
  readonly domains: number;
}

const pad = (number: number, digits: number) => String(number).padStart(digits, '0');
const domainName = (i: number) => `university-${pad(i, 6)}.example`;
const digestOf = (i: number) => `${pad(i * 9000, 12)}QRSTUVWXYZ2345672345`;
/** Documents and parents in the order of their keys. */
const documentUrl = (domain: number, i: number) =>
  `http://www.${domainName(domain)}/publications/paper-${pad(i, 9)}.pdf`;
const parentUrl = (domain: number, i: number) =>
  `http://www.${domainName(domain)}/~people/group-${pad(i % 1000, 3)}/page-${pad(i, 9)}.html`;

export async function writeLargeBook(folder: string, sizes: Sizes): Promise<void> {
  const book = await BookFolder.open(new Disk(), folder);
  const written: Partial<Record<BookFile, { records: number; bytes: number }>> = {};
  const fill = async (file: BookFile, records: Iterable<readonly [string, string]>) => {
    const pass = await book.rewrite(file);
    for (const [key, value] of records) {
      await pass.seek(key);
      await pass.put(value);
    }
    written[file] = await pass.finish();
  };
  await fill('documents', documents(sizes));
  await fill('addresses', addresses(sizes));
  await fill('references', references(sizes));
  await fill('parents', parents(sizes));
  await fill('domains', domains(sizes));
  const sources = [{ identity: 'history', folder: 'history' }];
  await book.commit({ rules: RULES, sources }, written);
  book.close();
}

const domainOfDocument = (i: number, { documents, domains }: Sizes) =>
  Math.floor((i * domains) / documents);

function* documents(sizes: Sizes): Generator<[string, string]> {
  for (let i = 0; i < sizes.documents; i++) {
    const domain = domainOfDocument(i, sizes);
    const key = `${domainName(domain)} ${documentUrl(domain, i)}`;
    const value = { key, first: TIME, last: TIME, useful: i % 3 === 0, source: 0 };
    yield [digestOf(i), documentText(value)];
  }
}

function* addresses(sizes: Sizes): Generator<[string, string]> {
  for (let i = 0; i < sizes.documents; i++) {
    const number = domainOfDocument(i, sizes);
    const domain = domainName(number);
    const value = { digest: digestOf(i), domain, last: TIME, useful: i % 3 === 0, source: 0 };
    yield [`${domain} ${documentUrl(number, i)}`, addressText(value)];
  }
}

function* references(sizes: Sizes): Generator<[string, string]> {
  for (let i = 0; i < sizes.documents; i++) {
    const domain = domainOfDocument(i, sizes);
    yield [`${domainName(domain)} ${documentUrl(domain, i)}`, String(1 + (i % 9))];
  }
}

function* parents({ parents, domains }: Sizes): Generator<[string, string]> {
  const each = Math.ceil(parents / domains);
  for (let domain = 0, made = 0; made < parents; domain++) {
    const name = domainName(domain);
    const urls = Array.from({ length: Math.min(each, parents - made) }, (_, i) =>
      parentUrl(domain, i),
    ).sort();
    for (const url of urls) {
      made++;
      const counts = { documents: 1 + (made % 7), useful: made % 3 };
      yield [`${name} ${url}`, parentText({ ...counts, last: TIME, missed: 0 })];
    }
  }
}

function* domains({ documents, parents, domains }: Sizes): Generator<[string, string]> {
  for (let i = 0; i < domains; i++) {
    const counts = Math.ceil((documents * 3) / (i + 10));
    yield [
      domainName(i),
      domainText({
        documents: counts,
        useful: Math.floor(counts / 3),
        parents: Math.ceil(parents / domains),
        references: (counts * ((i * 7) % 13)) >> 1,
        requests: 100,
        gained: i % 5,
        tried: TIME,
      }),
    ];
  }
}

/** The harvest of a day, spread over the domains: a part of it is new. */
export function dayOf(sizes: Sizes, documents: number, pages: number): Harvest {
  const time = (TIME + 86_400) * 1000;
  const documentAt = (n: number) => Math.floor((n * sizes.documents * 2) / documents);
  const url = (i: number) => documentUrl(domainOfDocument(i % sizes.documents, sizes), i);
  return {
    identity: 'day',
    folder: 'day',
    policy: 'whitelist',
    async survey(into) {
      for (let n = 0; n < documents; n++) {
        const i = documentAt(n);
        await into.request(url(i), time);
        const place = pad(n, 9);
        await into.document({ url: url(i), digest: digestOf(i), time, place, fetched: true });
      }
    },
    async *judge(news): AsyncGenerator<Judgement> {
      let n = 0;
      for await (const { digest } of news) {
        const references = [url(n % sizes.documents), url((n * 7919) % sizes.documents)];
        yield { digest, useful: n++ % 3 === 0, references };
      }
    },
    async *pages(): AsyncGenerator<HarvestPage> {
      const each = Math.ceil(sizes.parents / sizes.domains);
      for (let n = 0; n < pages; n++) {
        const domain = n % sizes.domains;
        const targets = [url(documentAt(n % documents)), url(documentAt((n * 31) % documents))];
        const page = (n * 13) % (each * 2);
        yield { url: parentUrl(domain, page), time, targets };
      }
    },
  };
}
