/**
 * Session ids: every page gives each of its links within the host a new one, which depends on the
 * page as requested and on the link.
 */
import type { Domain } from './domain.ts';
import { hash, TAG, textHash } from './words/random.ts';

/** A path as in HTML, with its id. */
export function withSession(domain: Domain, target: string, path: string, and: string): string {
  const sid = hash(textHash(target), TAG.session, domain.index, textHash(path))
    .toString(16)
    .padStart(8, '0');
  return `${path}${path.includes('?') ? and : '?'}sid=${sid}`;
}

/** The body of a page requested as `target`, with ids in its links. */
export function withSessions(domain: Domain, target: string, body: string): string {
  return body.replace(
    / href="(\/[^"]*)"/g,
    (_whole, path: string) => ` href="${withSession(domain, target, path, '&amp;')}"`,
  );
}
