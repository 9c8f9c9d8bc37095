/**
 * The files that a style sheet needs: `@import`, `url()`, and the strings of `image-set()`.
 *
 * Idea      One pass of a tokenizer that knows only what can hide or hold a reference: comments,
 *           strings, `url(`, parentheses and the at-rules `@import` and `@namespace`.
 * Ensures   the references in their order, with escapes resolved; those of `@namespace` name no
 *           file. Linear for any text.
 */
import { canonicalise } from '../url/canonical.ts';
import { decode, encodingOfContentType } from './charset.ts';

const COMMENT = String.raw`/\*[\s\S]*?(?:\*/|$)`;
const QUOTED = String.raw`"(?:[^"\\\n\r\f]|\\[\s\S])*"?|'(?:[^'\\\n\r\f]|\\[\s\S])*'?`;
const BARE = String.raw`(?<bare>(?:[^\s"'()\\]|\\[\s\S])+)\s*\)`;
const TOKEN = new RegExp(
  `${COMMENT}|(?<text>${QUOTED})|@(?<rule>import|namespace)(?![\\w-])` +
    `|(?<![\\w-])(?<call>url|(?:-webkit-)?image-set|type)\\(\\s*(?:${BARE})?|[(){};]|\\\\[\\s\\S]`,
  'gi',
);

/** References as written, before they are resolved. */
export const cssReferences = (css: string): string[] =>
  Array.from(placesIn(css), ({ reference }) => reference);

/** The style sheet with other references. */
export function cssWith(css: string, rename: (reference: string) => string): string {
  let [result, at] = ['', 0];
  for (const { start, end, reference } of placesIn(css)) {
    const name = rename(reference);
    if (name === reference) continue;
    const safe = name.replace(/[\s"'()\\]|[^\0-\x7f]/g, (c) => encodeURIComponent(c));
    result += css.slice(at, start) + safe.replace(/['()]/g, (c) => `\\${c}`);
    at = end;
  }
  return result + css.slice(at);
}

/** A reference, and where it is written: without its quotes. */
interface Place {
  readonly reference: string;
  readonly start: number;
  readonly end: number;
}

function* placesIn(css: string): Generator<Place> {
  /** What each open parenthesis belongs to. */
  const open: string[] = [];
  let rule = '';
  for (const match of css.matchAll(TOKEN)) {
    const { 0: token, groups = {} } = match;
    const { text, bare } = groups;
    const call = groups.call?.toLowerCase();
    let written: string | undefined;
    if (groups.rule !== undefined) rule = groups.rule.toLowerCase();
    else if (bare !== undefined) written = call === 'url' ? bare : undefined;
    else if (call !== undefined) open.push(call);
    else if (token === '(') open.push('');
    else if (token === ')') open.pop();
    else if (token === ';' || token === '{' || token === '}') rule = '';
    else if (text !== undefined && holdsReference(open.at(-1), rule)) written = unquoted(text);
    if (written === undefined) continue;
    const reference = unescaped(written.trim());
    const start = match.index + token.indexOf(written, text === undefined ? token.indexOf('(') : 1);
    if (rule !== 'namespace' && reference !== '')
      yield { reference, start, end: start + written.length };
    if (rule === 'import') rule = '';
  }
}

/** Whether a string is a reference: in `url()`, in `image-set()`, and right behind `@import`. */
function holdsReference(call: string | undefined, rule: string): boolean {
  return call === 'url' || call?.endsWith('image-set') === true || (!call && rule === 'import');
}

function unquoted(text: string): string {
  return text.slice(1, text.length > 1 && text.endsWith(text[0]) ? -1 : undefined);
}

const ESCAPE = /\\(?:([0-9a-f]{1,6})\s?|(\r\n|[\n\r\f])|([\s\S]))/gi;

function unescaped(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replace(ESCAPE, (_, hex?: string, newline?: string, other?: string) => {
    if (hex === undefined) return newline === undefined ? (other ?? '') : '';
    const code = Number.parseInt(hex, 16);
    return code === 0 || code > 0x10ffff ? '\ufffd' : String.fromCodePoint(code);
  });
}

/** The URLs that a style sheet needs, canonical and each once. */
export function styleRequisites(
  body: Uint8Array,
  { url: base, contentType }: { readonly url: string; readonly contentType: string | undefined },
  most: number,
): string[] {
  const css = decode(body, encodingOfContentType(contentType ?? '') ?? 'UTF-8');
  const urls = new Set<string>();
  for (const { reference } of placesIn(css)) {
    if (urls.size >= most) break;
    const url = canonicalise(reference, { base });
    if (url !== undefined) urls.add(url);
  }
  return [...urls];
}
