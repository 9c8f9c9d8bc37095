/**
 * Readable paths that can be computed both ways: page number → path, path → page number.
 *
 * Four styles, one per domain. Every path has words of the topic and the page's number. An invented
 * path is recognised, because the page of that number has another path.
 * Ensures   `pageOf(domain, host, pathOf(domain, page)) === page`; any other target gives -1.
 */
import type { Domain } from './domain.ts';
import { hash, TAG } from './words/random.ts';
import { type Pool, pathLineOf } from './words/text.ts';

/** The words of a domain's pages as they were written at a step. */
export function poolOf(domain: Domain, step = 0): Pool {
  return step === 0 ? domain.pool : domain.poolAt(step);
}

export function pathOf(domain: Domain, page: number): string {
  if (page < domain.hosts) return '/';
  return lineOf(domain, page, false) + numberPart(domain, page, '&');
}

/**
 * Appends the path as in HTML, in pieces, for a page that joins all its pieces at once; after `<a
 * href="` if `opened`.
 */
export function putHref(out: string[], domain: Domain, page: number, opened: boolean): void {
  if (page < domain.hosts) out.push(opened ? '<a href="/' : '/');
  else out.push(lineOf(domain, page, opened), numberPart(domain, page, '&amp;'));
}

function lineOf(domain: Domain, page: number, opened: boolean): string {
  const draw = hash(domain.world.seed, TAG.slug, domain.index, page);
  return pathLineOf(domain.pool, domain.style, domain.index, draw, opened);
}

function numberPart(domain: Domain, page: number, and: string): string {
  if (isDocument(domain, page)) return `${page}.${formatOf(domain, page)}`;
  switch (domain.style) {
    case 0:
      return `${page}.html`;
    case 1:
      return `${page}`;
    case 2:
      return `${and}id=${page}`;
    default:
      return `${page}/`;
  }
}

/** One page in so many of an academic domain is a document. */
export const DOCUMENT_DISTANCE = 4;
/** One page in so many of another domain, on a web with documents. */
const OTHER_DISTANCE = 12;

/** Whether a page is a document: PDF or PostScript. */
export function isDocument(domain: Domain, page: number): boolean {
  const { kind, world } = domain;
  if (kind.papers) return page % DOCUMENT_DISTANCE === 3 && page >= domain.fixedPages;
  return world.scenario.documents && page % OTHER_DISTANCE === 7 && page >= domain.fixedPages;
}

/** How the file of a document ends; on webs without documents all are plain PDFs. */
export function formatOf({ world, index }: Domain, page: number): string {
  if (!world.scenario.documents) return 'pdf';
  const draw = hash(world.seed, TAG.format, index, page) % 20;
  return draw < 13 ? 'pdf' : draw < 14 ? 'pdf.gz' : draw < 17 ? 'ps' : 'ps.gz';
}

/** Whether the server declares the page as HTML. */
export function isHtmlPage(domain: Domain, page: number): boolean {
  const transfer = domain.behaviour('transfer');
  return !isDocument(domain, page) && transfer !== 'no-type' && transfer !== 'lying-type';
}

/** The page that a host's target leads to, dead or alive, or -1. */
export function pageOf(domain: Domain, host: number, target: string): number {
  if (target === '/') return host;
  const digits = /(\d{1,9})(?:\.html|\.(?:pdf|ps)(?:\.gz)?|\/)?$/.exec(target);
  if (!digits) return -1;
  const page = Number(digits[1]);
  if (page < domain.hosts || page >= domain.pages || domain.hostOf(page) !== host) return -1;
  return pathOf(domain, page) === target ? page : -1;
}

/** The page's absolute URL. */
export function urlOf(domain: Domain, page: number): string {
  return domain.origin(domain.hostOf(page)) + pathOf(domain, page);
}
