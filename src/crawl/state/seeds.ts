/** The seeds of a crawl in canonical form, or an error that says why one cannot be crawled. */
import { DrumlinError } from '../../base/errors.ts';
import { canonicaliseOrReason } from '../../url/canonical.ts';

/** `where` is the place of the seed in a file, for the error message. */
export function canonicalSeed(text: string, where = ''): string {
  const url = canonicaliseOrReason(text);
  if (typeof url === 'string') return url;
  const shown = JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
  throw new DrumlinError(
    'SEEDS',
    `${where}${shown} cannot be crawled: ${url.fact}`,
    'Write it like http://example.org/ or https://example.org/page, or remove it.',
  );
}
