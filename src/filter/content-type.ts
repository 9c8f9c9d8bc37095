/**
 * Which content types a crawl keeps and parses.
 *
 * Idea      Patterns are types as servers send them; `*` matches any run of characters:
 *           `text/html`, `image/*`, `application/*+xml`.
 * Ensures   Parameters (`; charset=…`), blanks and letter case do not matter. A missing or
 *           malformed type counts as application/octet-stream, which RFC 9110 (8.3) lets a receiver
 *           assume.
 */
import { DrumlinError } from '../base/errors.ts';
import { compileGlob } from './glob.ts';

export type TypeFilter = (contentType: string | undefined) => boolean;

const UNKNOWN = 'application/octet-stream';
/** Two tokens (RFC 9110, 5.6.2). A star is a token character, so patterns have the same form. */
const TYPE = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+$/;

/** An empty list accepts every type. */
export function typeFilter(patterns: readonly string[]): TypeFilter {
  if (patterns.length === 0) return () => true;
  const globs = patterns.map((pattern) => compileGlob(normalisedTypePattern(pattern)));
  return (contentType) => {
    const type = essence(contentType);
    return globs.some((matches) => matches(type));
  };
}

/** The pattern in the form in which it is matched. Throws if no type can match it. */
export function normalisedTypePattern(text: string): string {
  const pattern = text.trim().toLowerCase();
  if (TYPE.test(pattern)) return pattern;
  throw new DrumlinError(
    'CONTENT_TYPE',
    `${JSON.stringify(text)} is not a content type.`,
    'Write it like text/html, image/* or application/pdf.',
  );
}

/**
 * `text/html` for `Text/HTML; charset=utf-8`. A repeated header is joined by a comma; the first
 * value counts.
 */
function essence(contentType: string | undefined): string {
  const type = (contentType ?? '').split(/[;,]/, 1)[0].trim().toLowerCase();
  return TYPE.test(type) ? type : UNKNOWN;
}
