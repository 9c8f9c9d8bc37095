/**
 * The whitelist of CiteSeerX: domains by what they have yielded.
 *
 * Idea      List D has the domains with the most documents (n_d), List C those with the most
 *           quality (n_c: citations, in the paper). p_d = n_d/N_d and p_c = n_c/N_c, where N_d and
 *           N_c are the totals of the two lists, and F1 = 2·p_d·p_c/(p_d + p_c). The whitelist is
 *           the core D ∩ C by F1, then the rest of C by F1. D without C is left out: documents
 *           that nobody cites are seldom papers.
 * Ensures   Ties are broken by documents, then by name, in all three orders. A domain without
 *           documents is not in D, one without quality not in C.
 * Cost      one pass over the domains; memory for twice the length of the lists.
 *
 * Wu et al., The Evolution of a Crawling Strategy for an Academic Document Search Engine, 2012.
 */

/** What is known of a domain. */
export interface Yield {
  readonly name: string;
  /** n_d */
  readonly documents: number;
  /** n_c */
  readonly quality: number;
  /** Pages that link to documents. */
  readonly parents: number;
}

/** A domain of the whitelist. */
export interface Ranked extends Yield {
  /** From 1. */
  readonly place: number;
  readonly f1: number;
  /** Its share of the documents of List D, and of the quality of List C. */
  readonly documentShare: number;
  readonly qualityShare: number;
  /** Its place in List D, from 1; undefined if it is not in the core. */
  readonly inD: number | undefined;
  readonly inC: number;
}

export interface Whitelist {
  readonly domains: readonly Ranked[];
  /** How many of the first domains are in both lists. */
  readonly core: number;
  /** Over all domains, in no list or any. */
  readonly all: { readonly domains: number; readonly documents: number; readonly quality: number };
  /** The totals of the cut lists: N_d and N_c. */
  readonly totals: { readonly documents: number; readonly quality: number };
  /** The shares of all documents and of all quality that the whitelist covers. */
  readonly covered: { readonly documents: number; readonly quality: number };
}

type Order = (a: Yield, b: Yield) => number;

const byName: Order = (a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
const byDocuments: Order = (a, b) => b.documents - a.documents || byName(a, b);
const byQuality: Order = (a, b) => b.quality - a.quality || byDocuments(a, b);

/** The best of a stream, in order. */
class Best {
  readonly #order: Order;
  readonly #most: number;
  #held: Yield[] = [];

  constructor(order: Order, most: number) {
    this.#order = order;
    this.#most = most;
  }

  add(each: Yield): void {
    this.#held.push(each);
    if (this.#held.length >= 2 * this.#most + 1024) this.list();
  }

  list(): readonly Yield[] {
    this.#held = this.#held.sort(this.#order).slice(0, this.#most);
    return this.#held;
  }
}

export async function whitelist(
  domains: AsyncIterable<Yield> | Iterable<Yield>,
  top: number,
): Promise<Whitelist> {
  const [d, c] = [new Best(byDocuments, top), new Best(byQuality, top)];
  const all = { domains: 0, documents: 0, quality: 0 };
  for await (const each of domains) {
    all.domains++;
    all.documents += each.documents;
    all.quality += each.quality;
    if (each.documents > 0) d.add(each);
    if (each.quality > 0) c.add(each);
  }
  const [listD, listC] = [d.list(), c.list()];
  const totals = {
    documents: listD.reduce((sum, { documents }) => sum + documents, 0),
    quality: listC.reduce((sum, { quality }) => sum + quality, 0),
  };
  const placesInD = new Map(listD.map(({ name }, i) => [name, i + 1]));
  const ranked = listC
    .map((each, i) => scored(each, totals, placesInD.get(each.name), i + 1))
    .sort((a, b) => Number(b.inD !== undefined) - Number(a.inD !== undefined) || byF1(a, b))
    .map((each, i) => ({ ...each, place: i + 1 }));
  const sum = (of: 'documents' | 'quality') => ranked.reduce((total, each) => total + each[of], 0);
  return {
    domains: ranked,
    core: ranked.filter(({ inD }) => inD !== undefined).length,
    all,
    totals,
    covered: {
      documents: share(sum('documents'), all.documents),
      quality: share(sum('quality'), all.quality),
    },
  };
}

function scored(
  each: Yield,
  totals: Whitelist['totals'],
  inD: number | undefined,
  inC: number,
): Ranked {
  const documentShare = share(each.documents, totals.documents);
  const qualityShare = share(each.quality, totals.quality);
  return {
    ...each,
    place: 0,
    f1: harmonic(documentShare, qualityShare),
    documentShare,
    qualityShare,
    inD,
    inC,
  };
}

const byF1 = (a: Ranked, b: Ranked): number => b.f1 - a.f1 || byDocuments(a, b);

const harmonic = (a: number, b: number): number => (a + b > 0 ? (2 * a * b) / (a + b) : 0);

const share = (part: number, whole: number): number => (whole > 0 ? part / whole : 0);

/** log10(100·F1), as the paper prints it; -Infinity for 0. */
export const logF1 = (f1: number): number => Math.log10(100 * f1);

/**
 * The least `--top` whose lists have a domain in common; undefined if no domain has both documents
 * and quality. Holds all domains in memory: only for an error message.
 */
export async function leastTop(domains: AsyncIterable<Yield>): Promise<number | undefined> {
  const all: Yield[] = [];
  for await (const each of domains) all.push(each);
  const inD = placesOf(all.filter(({ documents }) => documents > 0).sort(byDocuments));
  const inC = placesOf(all.filter(({ quality }) => quality > 0).sort(byQuality));
  let least: number | undefined;
  for (const [name, place] of inC) {
    const top = Math.max(place, inD.get(name) ?? Infinity);
    if (top < (least ?? Infinity)) least = top;
  }
  return least;
}

const placesOf = (list: readonly Yield[]): Map<string, number> =>
  new Map(list.map(({ name }, i) => [name, i + 1]));
