/** The rules of a book: what is a document, and which are useful. */
import { DrumlinError } from '../../base/errors.ts';
import type { Disk } from '../../disk/disk.ts';
import { compile } from '../../filter/compile.ts';
import { bindingOf, loadLists } from '../../filter/filter-set.ts';
import { print } from '../../filter/node.ts';
import { parseFilter } from '../../filter/parse.ts';
import type { Predicates } from '../../filter/predicate.ts';
import type { Accepts } from '../../filter/subject.ts';
import type { Rules } from '../book/book.ts';

const ZIPPED = 'gzip, x-gzip, zip, x-zip-compressed, x-compress, octet-stream';

/** PDF and PostScript, plain or zipped, complete and below 10 MB. */
export const DEFAULT_WANTED = [
  'Status == 200 and not IsTruncated and Length < 10M and',
  '(ContentTypeIs(application/pdf, application/x-pdf, application/postscript, application/ps)',
  `or (ContentTypeIs(${ZIPPED.replace(/[\w-]+/g, 'application/$&')})`,
  'and Matches(/\\.(?:pdf|e?ps)(?:\\.(?:gz|z|zip))?(?:\\?|$)/i)))',
].join(' ');

/**
 * Papers and reports: at least a thousand words, and a line that is only the heading "References"
 * or "Bibliography", with or without a number. In small capitals the first letter may stand apart.
 */
export const DEFAULT_USEFUL =
  'Words >= 1k and TextMatches(/^[\\W\\d]*(?:[ivx]+\\.?\\s+)?(?:r\\s?eferences|b\\s?ibliography)\\W*$/i)';

/** The filter in its printed form, and as a function. */
export async function readRule(
  disk: Disk,
  text: string,
  predicates: Predicates,
): Promise<{ readonly text: string; readonly accepts: Accepts }> {
  const node = parseFilter(text, { predicates, ranking: 'none', spam: false });
  const lists = new Map();
  await loadLists(disk, node, lists);
  return { text: print(node), accepts: compile(node, bindingOf(lists.values())) };
}

/** A book has one set of rules: counts made by different rules cannot be added up. */
export function requireSame(known: Rules | undefined, given: Rules, folder: string): void {
  for (const name of ['wanted', 'useful'] as const) {
    if (known === undefined || known[name] === given[name]) continue;
    throw new DrumlinError(
      'BOOK_RULES',
      `${folder} was made with --${name} ${JSON.stringify(known[name])}.`,
      `Leave --${name} out, or learn the crawls into a new book.`,
    );
  }
}
