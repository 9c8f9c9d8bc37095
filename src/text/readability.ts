/**
 * Main text by `@mozilla/readability`, for comparison with others that use it.
 *
 * Idea      the packages are optional: they build a tree and are loaded only if a user asks for
 *           them.
 * Requires  `@mozilla/readability` and `linkedom`, installed by the user.
 * Cost      about 13 ms for a page of 25 KB, thirty times that of src/text. Not linear for any page.
 */
import { DrumlinError } from '../base/errors.ts';
import { linesOf } from './read-blocks.ts';

/** The text of a page in UTF-8, one line a block; empty if there is none. */
type ReadabilityText = (html: string) => string;

export async function openReadability(): Promise<ReadabilityText> {
  const [{ Readability }, { parseHTML }] = await Promise.all([
    import('@mozilla/readability'),
    import('linkedom'),
  ]).catch((cause: unknown) => {
    throw new DrumlinError(
      'READABILITY',
      '`--extract readability` needs two packages that are not installed.',
      'Run "npm install @mozilla/readability@0.6.0 linkedom@0.18.12", or use `--extract main`.',
      { cause },
    );
  });
  return (html) => {
    try {
      // A page without <html> or <body> would have no document.
      const whole = /<body[\s>]/i.test(html) ? html : `<html><body>${html}</body></html>`;
      const { document } = parseHTML(whole);
      const content = new Readability(document, { charThreshold: 0 }).parse()?.content ?? '';
      return lines(content, parseHTML);
    } catch {
      return ''; // pages that these packages cannot read
    }
  };
}

const BLOCK =
  /<(?=\/?(?:p|div|h[1-6]|li|ul|ol|tr|td|th|table|pre|blockquote|section|article|br|hr|figure|figcaption|dt|dd)[\s>/])/gi;

type ParseHtml = typeof import('linkedom')['parseHTML'];

/** The text of the content that was found: line ends at block-level tags. */
function lines(content: string, parseHTML: ParseHtml): string {
  const { document } = parseHTML(`<html><body>${content.replace(BLOCK, '\n<')}</body></html>`);
  const text = document.body.textContent ?? '';
  return linesOf(text.replace(/[^\S\n]+/g, ' '))
    .map((line) => line.text)
    .join('\n');
}
