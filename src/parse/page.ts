/**
 * Extracts the links of a page from its bytes, resolved and canonical.
 *
 * Idea      Two passes. The first finds the relevant tags and the page's `<base>` and `<meta
 *           charset>`, which apply to the whole page, also to what precedes them. It keeps
 *           positions only. The second makes URLs of the addresses. A kernel does both, for almost
 *           every page (`packed-page.ts`); what the answer is, is defined by `scanned-page.ts`.
 * Requires  The URL of the page, and its decoded body.
 * Ensures   The links that a conformant parser finds, in the order of their tags (docs/parse.md
 *           lists where we differ and why). Never throws, for any bytes. Links to at most
 *           `maxLinks` URLs, and at most twice as many links. `cut` counts what is left out.
 * Cost      About 0.8 µs per kilobyte, twice that for a page of many tags, in ASCII or UTF-8.
 */
import {
  declaredOutside,
  decode,
  guessEncoding,
  isAsciiCompatible,
  isPlainAscii,
} from './charset.ts';
import { readPacked, scanPacked } from './packed-page.ts';
import type { PageContext, ParsedPage, ParseOptions } from './parsed-page.ts';
import { findTags, readTags } from './scanned-page.ts';

export type { Link, LinkKind, ParsedPage, ParseOptions } from './parsed-page.ts';

export function parsePage(
  body: Uint8Array,
  context: PageContext,
  options: ParseOptions = {},
): ParsedPage {
  const outside = declaredOutside(body, context.contentType);
  if (outside !== undefined && !isAsciiCompatible(outside))
    return parseTranscoded(body, outside, context, options);
  const kernel = scanPacked(body, options);
  if (!kernel) return parseScanned(body, outside, context, options);
  const charset = isPlainAscii(body)
    ? 'ascii'
    : (outside ?? kernel.declared(body) ?? guessEncoding(body));
  if (!isAsciiCompatible(charset)) return parseTranscoded(body, charset, context, options);
  return (
    readPacked(kernel, body, charset, context, options) ??
    readTags(findTags(body, options), charset, context, options)
  );
}

/** The definition: the same without the kernel. */
export function parseScanned(
  body: Uint8Array,
  outside: string | undefined,
  context: PageContext,
  options: ParseOptions,
): ParsedPage {
  const found = findTags(body, options);
  if (isPlainAscii(body)) return readTags(found, 'ascii', context, options);
  const encoding = outside ?? found.declared ?? guessEncoding(body);
  if (!isAsciiCompatible(encoding)) return parseTranscoded(body, encoding, context, options);
  return readTags(found, encoding, context, options);
}

/** UTF-16 and ISO-2022-JP cannot be scanned as bytes: such a page is first converted to UTF-8. */
function parseTranscoded(
  body: Uint8Array,
  encoding: string,
  context: PageContext,
  options: ParseOptions,
): ParsedPage {
  const found = findTags(Buffer.from(decode(body, encoding)), options);
  return { ...readTags(found, 'UTF-8', context, options), charset: encoding };
}
