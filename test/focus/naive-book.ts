/** Harvests as plain data, and what a book of them must hold, computed naively in memory. */

import { Disk } from '../../src/disk/disk.ts';
import { type BookFile, BookFolder } from '../../src/focus/book/book.ts';
import { domainOf } from '../../src/focus/book/keys.ts';
import type { Harvest, HarvestPage, Judgement } from '../../src/focus/learn/harvest.ts';

export interface PlainHarvest {
  readonly identity: string;
  /** In seconds; each crawl takes place at one time. */
  readonly time: number;
  readonly documents: readonly { url: string; content: string }[];
  readonly redirects: readonly { from: string; to: string }[];
  /** Without links: the page is as before. */
  readonly pages: readonly { url: string; links: readonly string[] | undefined }[];
  readonly tried?: { readonly urls: readonly string[]; readonly finished: boolean };
  /** In seconds. */
  readonly began?: number;
}

/** A payload that contains a `u` is useful; it refers to the URLs after a space. */
export const isUseful = (content: string): boolean => content.startsWith('u');
export const referencesOf = (content: string): string[] => content.split(' ').slice(1);

export function harvestOf(plain: PlainHarvest): Harvest {
  const { identity, time, documents, redirects, pages, tried, began } = plain;
  return {
    identity,
    tried: tried && { ...tried, time: time * 1000 },
    began: began && began * 1000,
    folder: `/crawls/${identity}`,
    async survey(into) {
      for (const { url, content } of documents) {
        await into.request(url, time * 1000);
        const place = digestOf(content);
        await into.document({ url, digest: place, time: time * 1000, place, fetched: true });
      }
      for (const { from, to } of redirects) {
        await into.request(from, time * 1000);
        await into.redirect(from, to, time * 1000);
      }
      for (const { url } of pages) await into.request(url, time * 1000);
    },
    async *judge(news): AsyncGenerator<Judgement> {
      for await (const { digest, url } of news) {
        const content = contentOf(digest);
        const references = [...new Set(referencesOf(content))].filter((each) => each !== url);
        yield { digest, useful: isUseful(content), references };
      }
    },
    async *pages(): AsyncGenerator<HarvestPage> {
      for (const { url, links } of pages) yield { url, time: time * 1000, targets: links };
    },
  };
}

/** A reversible stand-in for a digest. */
export const digestOf = (content: string): string => Buffer.from(content).toString('hex');
const contentOf = (digest: string): string => Buffer.from(digest, 'hex').toString();

interface Naive {
  documents: Map<string, { url: string; first: number; last: number; useful: boolean }>;
  addresses: Map<string, string>;
  references: Map<string, number>;
  parents: Map<string, { documents: number; useful: number; last: number }>;
  domains: Map<string, { documents: number; useful: number; parents: number; references: number }>;
  days: { fetched: number; fresh: number; useful: number; parents: number }[];
}

/** Harvests in the order of their times. */
export function naiveBook(harvests: readonly PlainHarvest[]): Naive {
  const documents: Naive['documents'] = new Map();
  const addresses: Naive['addresses'] = new Map();
  const references: Naive['references'] = new Map();
  const parents: Naive['parents'] = new Map();
  const days: Naive['days'] = [];
  for (const { time, documents: found, redirects, pages } of harvests) {
    const day = { fetched: found.length, fresh: 0, useful: 0, parents: 0 };
    const contents = new Map<string, string[]>();
    for (const { url, content } of found)
      contents.set(content, [...(contents.get(content) ?? []), url]);
    const seen = new Map<string, string>();
    for (const [content, urls] of contents) {
      const url = urls.toSorted((a, b) => (keyed(a) < keyed(b) ? -1 : 1))[0];
      const digest = digestOf(content);
      const useful = isUseful(content);
      const known = documents.get(digest);
      if (!known) {
        day.fresh++;
        if (useful) day.useful++;
        documents.set(digest, { url, first: time, last: time, useful });
        if (useful)
          for (const each of new Set(referencesOf(content)))
            if (each !== firstAt(found, content))
              references.set(each, (references.get(each) ?? 0) + 1);
      } else known.last = time;
      for (const each of urls)
        if (!seen.has(each) || seen.get(each)! < digest) seen.set(each, digest);
    }
    const goal = (url: string): string | undefined => {
      let at = url;
      for (let hop = 0; hop <= 10; hop++) {
        const digest = seen.get(at) ?? (hop > 0 ? addresses.get(at) : undefined);
        if (digest !== undefined) return digest;
        const redirect = redirects.find(({ from }) => from === at);
        if (!redirect) return undefined;
        at = redirect.to;
      }
      return undefined;
    };
    const aliases = redirects.map(({ from }) => [from, goal(from)] as const);
    for (const [url, digest] of seen) addresses.set(url, digest);
    for (const [from, digest] of aliases) if (digest !== undefined) addresses.set(from, digest);
    for (const { url, links = [] } of pages) {
      const linked = new Set(
        links.filter((link) => link !== url).flatMap((link) => addresses.get(link) ?? []),
      );
      const useful = [...linked].filter((digest) => documents.get(digest)!.useful).length;
      if (linked.size > 0) {
        day.parents++;
        parents.set(url, { documents: linked.size, useful, last: time });
      } else parents.delete(url);
    }
    days.push(day);
  }
  return { documents, addresses, references, parents, domains: domainsOf(), days };

  function domainsOf(): Naive['domains'] {
    const domains: Naive['domains'] = new Map();
    const of = (domain: string) => {
      const counts = domains.get(domain) ?? { documents: 0, useful: 0, parents: 0, references: 0 };
      domains.set(domain, counts);
      return counts;
    };
    for (const { url, useful } of documents.values()) {
      of(domainOf(url)).documents++;
      if (useful) of(domainOf(url)).useful++;
    }
    for (const url of parents.keys()) of(domainOf(url)).parents++;
    for (const [url, count] of references) {
      const digest = addresses.get(url);
      if (digest !== undefined) of(domainOf(documents.get(digest)!.url)).references += count;
    }
    return domains;
  }
}

const keyed = (url: string) => `${domainOf(url)} ${url}`;
const firstAt = (found: PlainHarvest['documents'], content: string) =>
  found
    .filter((each) => each.content === content)
    .map(({ url }) => url)
    .toSorted((a, b) => (keyed(a) < keyed(b) ? -1 : 1))[0];

/** All records of a file of a book. */
export async function recordsIn(folder: string, file: BookFile): Promise<Map<string, string[]>> {
  const disk = new Disk();
  const open = await BookFolder.open(disk, folder);
  const all = new Map<string, string[]>();
  try {
    const reader = await open.book!.read(file);
    while (await reader.next()) all.set(reader.keyText, reader.value.split('\t'));
    await reader.close();
  } finally {
    open.close();
  }
  return all;
}
