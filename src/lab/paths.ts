/**
 * Paths that say what they lead to and can be read back: page number → path, path → page number.
 *
 * Four styles, one a domain. Every path holds words of the topic and the page's number, so that a path somebody made up
 * is recognised: the page of that number has another path.
 * Ensures   `pageOf(domain, host, pathOf(domain, page)) === page`; any other target gives -1.
 */
import type { Domain } from './domain.ts';
import { hash, TAG } from './random.ts';
import { type Pool, slugLineOf } from './text.ts';

/** The words of a domain's pages as they were written at a step. */
export function poolOf(domain: Domain, step = 0): Pool {
  return step === 0
    ? domain.pool
    : domain.world.texts.pool(domain.language, domain.topic, step, domain.legacy);
}

export function pathOf(domain: Domain, page: number): string {
  const pieces: string[] = [];
  putPath(pieces, domain, page, '&');
  return pieces.join('');
}

/** The path in pieces, for a page that joins all of its own at once; `and` is how `&` is to be written. */
export function putPath(out: string[], domain: Domain, page: number, and: string): void {
  if (page < domain.hosts) {
    out.push('/');
    return;
  }
  const h = hash(domain.world.seed, TAG.slug, domain.index, page);
  const words = slugLineOf(domain.pool, domain.index, h >>> 8);
  if (isPaper(domain, page)) out.push('/papers/', words, `-${page}.pdf`);
  else out.push(domain.sectionName(h & 7), words, numberPart(domain.style, page, and));
}

function numberPart(style: number, page: number, and: string): string {
  switch (style) {
    case 0:
      return `-${page}.html`;
    case 1:
      return `/${page}`;
    case 2:
      return `${and}id=${page}`;
    default:
      return `_${page}/`;
  }
}

/** What paths of one of a domain's eight sections begin with, up to the words. */
export function sectionNameOf(domain: Domain, section: number): string {
  const { slugs } = domain.pool;
  const h = hash(domain.world.seed, TAG.section, domain.index, section);
  const word = slugs[h % slugs.length];
  if (domain.style === 1) return `/${word}/${1996 + (h >>> 28)}/`;
  return domain.style === 2 ? `/${word}.php?title=` : `/${word}/`;
}

/** One page in four of an academic domain. */
export function isPaper(domain: Domain, page: number): boolean {
  return domain.kind.papers === true && page >= domain.fixedPages && page % 4 === 3;
}

/** The page a host's target leads to, dead or alive, or -1. */
export function pageOf(domain: Domain, host: number, target: string): number {
  if (target === '/') return host;
  const digits = /(\d{1,9})(?:\.html|\.pdf|\/)?$/.exec(target);
  if (!digits) return -1;
  const page = Number(digits[1]);
  if (page < domain.hosts || page >= domain.pages || domain.hostOf(page) !== host) return -1;
  return pathOf(domain, page) === target ? page : -1;
}

/** The page's absolute URL. */
export function urlOf(domain: Domain, page: number): string {
  return domain.origin(domain.hostOf(page)) + pathOf(domain, page);
}
