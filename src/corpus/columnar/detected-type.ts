/** The type of a payload by its first bytes; the declared one if they do not tell. */
import { isHtml } from '../../parse/is-html.ts';

const MAGIC: readonly (readonly [string, string])[] = [
  ['%PDF-', 'application/pdf'],
  ['\x89PNG\r\n\x1a\n', 'image/png'],
  ['\xff\xd8\xff', 'image/jpeg'],
  ['GIF8', 'image/gif'],
  ['PK\x03\x04', 'application/zip'],
  ['\x1f\x8b', 'application/gzip'],
  ['%!PS', 'application/postscript'],
  ['\xd0\xcf\x11\xe0', 'application/x-tika-msoffice'],
];

export function detectedType(payload: Uint8Array, declared: string | null): string | null {
  const beginning = Buffer.from(payload.subarray(0, 512)).toString('latin1');
  const known = MAGIC.find(([magic]) => beginning.startsWith(magic));
  if (known) return known[1];
  if (/^\s*<\?xml\b[^>]*>\s*<!doctype\s+html[^>]*xhtml/i.test(beginning))
    return 'application/xhtml+xml';
  if (isHtml(undefined, payload)) return 'text/html';
  if (/^\s*<\?xml\b/.test(beginning)) {
    if (/<rss\b/.test(beginning)) return 'application/rss+xml';
    return /<feed\b/.test(beginning) ? 'application/atom+xml' : 'application/xml';
  }
  return declared;
}
