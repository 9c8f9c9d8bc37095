/** Where a crawl starts, in canonical form, or one sentence on why it cannot start there. */
import { DrumlinError } from '../../base/errors.ts';
import { canonicaliseOrReason } from '../../url/canonical.ts';

/** `where` tells the place of the seed in a file, for the message. */
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
