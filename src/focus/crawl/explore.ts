/**
 * Seeds outside the list, so that the list can grow: the paper's open problem.
 *
 * Idea      A useful document that names an address of a domain that was hardly tried is the best
 *           hint to documents there. The seed is the folder of the address, which often lists what
 *           is in it, and the front page of its host.
 * Ensures   A domain is explored once, then after 90 days at the earliest: dead ones make room.
 * Cost      one pass over the references and the domains.
 */

import { originOf, pathOf } from '../../url/parts.ts';
import type { Book } from '../book/book.ts';
import { domainIn as domainOfKey, urlIn } from '../book/keys.ts';
import { domainIn, NO_DOMAIN } from '../book/values.ts';

interface ExploreOptions {
  readonly count: number;
  readonly isListed: (domain: string) => boolean;
  /** A domain with fewer requests is hardly tried. */
  readonly requests: number;
  /** In seconds. */
  readonly now: number;
}

/** A domain that was tried, in vain or not, is not explored again before so many seconds. */
const AGAIN_AFTER = 90 * 86_400;

interface Hint {
  readonly domain: string;
  /** The address that is named most often. */
  readonly url: string;
  readonly references: number;
}

export async function explore(book: Book, options: ExploreOptions): Promise<string[]> {
  if (options.count <= 0) return [];
  let hints: Hint[] = [];
  for await (const hint of hintsIn(book, options)) {
    hints.push(hint);
    if (hints.length > 4 * options.count + 1024) hints = firstOf(hints, options.count);
  }
  const seeds = new Set<string>();
  for (const { url } of firstOf(hints, options.count)) {
    for (const seed of [folderOf(url), `${originOf(url)}/`])
      if (seeds.size < options.count) seeds.add(seed);
  }
  return [...seeds];
}

/** The domain of references that were hardly tried, with their most named address. */
async function* hintsIn(book: Book, options: ExploreOptions): AsyncGenerator<Hint> {
  const references = await book.read('references');
  const domains = await book.look('domains');
  try {
    let hint: Hint | undefined;
    let most = 0;
    let isOpen = false;
    while (await references.next()) {
      const key = references.keyText;
      const domain = domainOfKey(key);
      if (domain !== hint?.domain) {
        if (hint && isOpen) yield hint;
        most = 0;
        const value = (await domains.seek(domain)) ? domainIn(domains.value) : NO_DOMAIN;
        const isRecent = value.tried > 0 && value.tried > options.now - AGAIN_AFTER;
        isOpen = !isRecent && !options.isListed(domain) && value.requests < options.requests;
        hint = { domain, url: urlIn(key), references: 0 };
      }
      const count = Number(references.value);
      const url: string = count > most ? urlIn(key) : hint!.url;
      most = Math.max(most, count);
      hint = { domain, url, references: hint!.references + count };
    }
    if (hint && isOpen) yield hint;
  } finally {
    await references.close();
    await domains.abandon();
  }
}

const firstOf = (hints: Hint[], count: number): Hint[] =>
  hints
    .sort((a, b) => b.references - a.references || (a.domain < b.domain ? -1 : 1))
    .slice(0, count);

function folderOf(url: string): string {
  const path = pathOf(url);
  const query = path.indexOf('?');
  const end = path.lastIndexOf('/', query < 0 ? path.length : query) + 1;
  return originOf(url) + path.slice(0, end);
}
