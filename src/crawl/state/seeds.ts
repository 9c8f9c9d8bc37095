/** The seeds of a crawl in canonical form, or an error that says why one cannot be crawled. */
import { DrumlinError } from '../../base/errors.ts';
import { canonicaliseOrReason } from '../../url/canonical.ts';

/** `where` is the place of the seed in a file, for the error message. */
export function canonicalSeed(text: string, where = ''): string {
  if (SECRET.test(text)) throw holdsSecret(where, text);
  const url = canonicaliseOrReason(text);
  if (typeof url === 'string') return url;
  const shown = JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
  throw new DrumlinError(
    'SEEDS',
    `${where}${shown} cannot be crawled: ${url.fact}`,
    'Write it like http://example.org/ or https://example.org/page, or remove it.',
  );
}

/** A user name, and perhaps a password, before the host. */
const SECRET = /^\s*[a-z]+:\/\/[^/?#]*@/i;

/** The text is not quoted, because it holds a password. */
function holdsSecret(where: string, text: string): DrumlinError {
  const host = text.replace(/^[^@]*\/\/[^/?#]*@/, '').replace(/[/?#].*$/s, '');
  return new DrumlinError(
    'SEEDS',
    `${where}The URL of ${JSON.stringify(host.slice(0, 80))} holds a user name or a password, which a crawl does not store.`,
    'Remove them from the URL, write "host user password" to a file, and name the file with --auth.',
  );
}
