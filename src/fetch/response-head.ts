/**
 * A tolerant parser of response heads: it reads whatever can be understood, and names every
 * deviation.
 *
 * Requires  The exact bytes from the status line to the empty line. In an archive a head may be cut
 *           anywhere; its last line then ends with the bytes.
 * Ensures   `readHead` returns undefined only if there is no status. Otherwise `headers` has all
 *           lines with a name, in order. `defects` names each kind of deviation from RFC 9112 once.
 * Cost      One Latin-1 string of the head and two strings per line; values are slices of it.
 */
import type { HeaderView } from './exchange.ts';

export interface ResponseHead {
  readonly status: number;
  /**
   * The minor version of HTTP/1: 0 or 1. Any other version counts as 0, so nothing is assumed of
   * it.
   */
  readonly minor: 0 | 1;
  readonly headers: HeaderView;
  readonly defects: string[];
}

/** How the end of a body is recognised. */
export type Framing =
  | { readonly kind: 'none' }
  | { readonly kind: 'length'; readonly length: number }
  | { readonly kind: 'chunked' }
  | { readonly kind: 'close' };

const STATUS_LINE = /^http\/(\d+)(?:\.(\d+))?([ \t]*)(\d{3})(?!\d)(.?)/i;
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** Control characters other than tab, and a CR that ends no line. */
const CONTROL = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]|\r(?!\n)/;

export function readHead(bytes: Buffer): ResponseHead | undefined {
  const text = bytes.toString('latin1');
  const defects: string[] = [];
  let end = lineEnd(text, 0);
  const status = STATUS_LINE.exec(text.slice(0, end));
  if (status === null) return undefined;
  const [line, major, minor, gap, code, after] = status;
  if (Number(code) < 100) return undefined;
  if (!line.startsWith('HTTP/') || gap !== ' ') defects.push('odd-status-line');
  if (after === '' || after === '\r') defects.push('no-reason');
  else if (after !== ' ') defects.push('odd-status-line');
  if (major !== '1' || (minor !== '0' && minor !== '1')) defects.push('odd-version');

  const headers = new HeaderLines();
  let bareLf = end < text.length && text.charCodeAt(end - 1) !== 13;
  while (end + 1 < text.length) {
    const start = end + 1;
    end = lineEnd(text, start);
    const crlf = end > start && text.charCodeAt(end - 1) === 13;
    if (!crlf && end < text.length) bareLf = true;
    const stop = crlf ? end - 1 : end;
    if (stop > start) readLine(text, start, stop, headers, defects);
  }
  if (bareLf) defects.push('bare-lf');
  if (end === text.length) defects.push('head-cut');
  if (CONTROL.test(text)) defects.push('control-character');
  return {
    status: Number(code),
    minor: major === '1' && minor === '1' ? 1 : 0,
    headers,
    defects: defects.length > 1 ? [...new Set(defects)] : defects,
  };
}

/** Where the line ends: at its line feed, or at the end of a head that was cut. */
function lineEnd(text: string, start: number): number {
  const end = text.indexOf('\n', start);
  return end < 0 ? text.length : end;
}

function readLine(
  text: string,
  start: number,
  stop: number,
  headers: HeaderLines,
  defects: string[],
): void {
  const first = text.charCodeAt(start);
  if (first === 32 || first === 9) {
    defects.push('folded-header');
    headers.fold(slice(text, start, stop));
    return;
  }
  const colon = text.indexOf(':', start);
  if (colon < 0 || colon >= stop) {
    defects.push('header-without-colon');
    return;
  }
  let name = text.slice(start, colon);
  if (!TOKEN.test(name)) {
    const trimmed = slice(text, start, colon);
    defects.push(TOKEN.test(trimmed) ? 'space-before-colon' : 'odd-header-name');
    if (trimmed === '') return;
    name = trimmed;
  }
  headers.add(name, slice(text, colon + 1, stop));
}

/**
 * `text[from..to)` without blanks at its ends. A loop, because the obvious regular expression takes
 * quadratic time on long runs.
 */
function slice(text: string, from: number, to: number): string {
  while (from < to && isBlank(text.charCodeAt(from))) from++;
  while (to > from && isBlank(text.charCodeAt(to - 1))) to--;
  return text.slice(from, to);
}

function isBlank(code: number): boolean {
  return code === 32 || code === 9 || code === 13;
}

class HeaderLines implements HeaderView {
  readonly #names: string[] = [];
  readonly #values: string[] = [];

  add(name: string, value: string): void {
    this.#names.push(name);
    this.#values.push(value);
  }

  /** A folded line continues the line before it; before the first line it is dropped. */
  fold(value: string): void {
    const last = this.#values.length - 1;
    if (last < 0 || value === '') return;
    this.#values[last] = this.#values[last] === '' ? value : `${this.#values[last]} ${value}`;
  }

  get(name: string): string | undefined {
    const wanted = name.toLowerCase();
    const i = this.#names.findIndex((candidate) => isSame(candidate, wanted));
    return i < 0 ? undefined : this.#values[i];
  }

  all(name: string): string[] {
    const wanted = name.toLowerCase();
    return this.#values.filter((_, i) => isSame(this.#names[i], wanted));
  }

  *entries(): Iterable<readonly [name: string, value: string]> {
    for (let i = 0; i < this.#names.length; i++) yield [this.#names[i], this.#values[i]];
  }
}

/** Most names differ in length and need no conversion to lower case. */
function isSame(name: string, wanted: string): boolean {
  return name.length === wanted.length && name.toLowerCase() === wanted;
}

/**
 * Where the body ends (RFC 9112, section 6.3). If a head contradicts itself, chunked wins over a
 * length. Of several lengths the largest counts, because bytes that are cut off are lost. A length
 * that is not a number is ignored. Each of these adds a defect, after which `mayKeep` refuses to
 * reuse the connection.
 */
export function framingOf(head: ResponseHead, method: string): Framing {
  const { status, headers, defects } = head;
  if (method === 'HEAD' || status === 204 || status === 304) return { kind: 'none' };
  const codings = transferCodings(headers);
  const stated = headers.get('content-length') !== undefined;
  if (codings.includes('chunked')) {
    if (stated) defects.push('length-and-chunked');
    if (head.minor === 0) defects.push('chunked-in-1.0');
    if (codings.length > 1) defects.push('odd-transfer-coding');
    return codings.at(-1) === 'chunked' ? { kind: 'chunked' } : { kind: 'close' };
  }
  if (codings.length > 0) {
    defects.push('odd-transfer-coding');
    if (codings.some((coding) => coding !== 'identity')) return { kind: 'close' };
  }
  if (!stated) return { kind: 'close' };
  const length = statedLength(headers, defects);
  return length === undefined ? { kind: 'close' } : { kind: 'length', length };
}

/** Transfer codings in the order in which they were applied, in lower case, without parameters. */
export function transferCodings(headers: HeaderView): string[] {
  return headers.get('transfer-encoding') === undefined ? [] : listOf(headers, 'transfer-encoding');
}

/** All members of a comma-separated header, in lower case, without parameters. */
export function listOf(headers: HeaderView, name: string): string[] {
  return headers
    .all(name)
    .flatMap((value) => value.split(','))
    .map((item) => item.split(';', 1)[0].trim().toLowerCase())
    .filter((item) => item !== '');
}

function statedLength(headers: HeaderView, defects: string[]): number | undefined {
  const values = headers.all('content-length');
  if (values.length === 1 && /^\d{1,15}$/.test(values[0])) return Number(values[0]);
  const items = values.flatMap((value) => value.split(',').map((item) => item.trim()));
  const lengths = items.map((item) => (/^\d+$/.test(item) ? Number(item) : Number.NaN));
  if (lengths.some((length) => !Number.isSafeInteger(length))) {
    defects.push('bad-length');
    return undefined;
  }
  const largest = lengths.reduce((a, b) => Math.max(a, b));
  if (lengths.some((length) => length !== largest)) defects.push('conflicting-lengths');
  else if (lengths.length > 1) defects.push('repeated-length');
  return largest;
}

/** Defects after which client and server may disagree where the next response begins. */
const BREAKS_FRAMING = new Set([
  'length-and-chunked',
  'chunked-in-1.0',
  'odd-transfer-coding',
  'conflicting-lengths',
  'bad-length',
  'excess-bytes',
  'odd-version',
  'chunked-end-missing',
]);

/** Whether the head and its defects allow another request on the connection. */
export function mayKeep(head: ResponseHead): boolean {
  const { headers, defects } = head;
  if (defects.length > 0 && defects.some((defect) => BREAKS_FRAMING.has(defect))) return false;
  const connection = headers.get('connection');
  if (connection === undefined) return head.minor === 1;
  if (connection === 'keep-alive') return true;
  const options = listOf(headers, 'connection');
  if (options.includes('close')) return false;
  return head.minor === 1 || options.includes('keep-alive');
}
