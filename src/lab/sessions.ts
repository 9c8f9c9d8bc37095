/**
 * Session ids: every page gives each of its links within the host a new one, decided by the page as
 * it was asked for and by the link.
 */
import type { Domain } from './domain.ts';
import { hash, TAG, textHash } from './words/random.ts';

/** A path as it stands in HTML, with its id. */
export function withSession(domain: Domain, target: string, path: string, and: string): string {
  const sid = hash(textHash(target), TAG.session, domain.index, textHash(path))
    .toString(16)
    .padStart(8, '0');
  return `${path}${path.includes('?') ? and : '?'}sid=${sid}`;
}

/** The body of a page that was asked for as `target`, ids in its links. */
export function withSessions(domain: Domain, target: string, body: string): string {
  return body.replace(
    / href="(\/[^"]*)"/g,
    (_whole, path: string) => ` href="${withSession(domain, target, path, '&amp;')}"`,
  );
}
