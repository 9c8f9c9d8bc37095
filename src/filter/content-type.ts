/**
 * Which content types a crawl keeps and reads.
 *
 * Idea      Types as a server names them, `*` for any run of characters: `text/html`, `image/*`, `application/*+xml`.
 * Ensures   parameters (`; charset=…`), blanks and letter case do not matter. What names no type, or a type that is
 *           none, counts as application/octet-stream, which is what RFC 9110 (8.3) lets a receiver assume.
 */
import { DrumlinError } from '../base/errors.ts';
import { compileGlob } from './glob.ts';

export type TypeFilter = (contentType: string | undefined) => boolean;

const UNKNOWN = 'application/octet-stream';
/** Two tokens (RFC 9110, 5.6.2); a star is a token character, so patterns are written with the same ones. */
const TYPE = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+$/;

/** An empty list keeps everything. */
export function typeFilter(patterns: readonly string[]): TypeFilter {
  if (patterns.length === 0) return () => true;
  const globs = patterns.map((pattern) => compileGlob(settledTypePattern(pattern)));
  return (contentType) => {
    const type = essence(contentType);
    return globs.some((matches) => matches(type));
  };
}

/** The pattern as it is matched, or a refusal of what no type can match. */
export function settledTypePattern(text: string): string {
  const pattern = text.trim().toLowerCase();
  if (TYPE.test(pattern)) return pattern;
  throw new DrumlinError(
    'CONTENT_TYPE',
    `${JSON.stringify(text)} is not a content type.`,
    'Write it like text/html, image/* or application/pdf.',
  );
}

/** `text/html` of `Text/HTML; charset=utf-8`. A header sent twice is joined by a comma; the first counts. */
function essence(contentType: string | undefined): string {
  const type = (contentType ?? '').split(/[;,]/, 1)[0].trim().toLowerCase();
  return TYPE.test(type) ? type : UNKNOWN;
}
