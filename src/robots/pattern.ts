/**
 * Path patterns of robots.txt: `*` matches any run of characters, a final `$` the end of the path
 * (RFC 9309, section 2.2.3).
 *
 * Idea      Rule and path are normalised to one spelling, in which only `*` in a rule is special.
 *           Then a pattern is a list of literals that must occur one after the other. The leftmost
 *           match of each is as good as any other, so no position is tried twice. Patterns are
 *           matched inside a longer text, because all rules are one text.
 * Ensures   Two spellings of one path match the same rules: `%7E` and `~`, `%c3%a9` and `é`, `%2A`
 *           and a literal `*`.
 * Cost      Linear in path and pattern together.
 */

export interface PathPattern {
  /** The normalised rule in ASCII, without the `$` at its end. */
  readonly text: string;
  /** Whether it must match up to the end of the path. */
  readonly anchored: boolean;
}

const STAR = 42;
const SLASH = 47;
const DOLLAR = 36;
const PERCENT = 37;
const QUESTION = 63;

/**
 * Characters that need no encoding in a path or query (RFC 3986), except `*` and `$`: a rule must
 * encode those to mean them literally.
 */
const PLAIN = new Uint8Array(256);
for (const char of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!&'()+,;=:@/?") {
  PLAIN[char.charCodeAt(0)] = 1;
}
const UNRESERVED = /[A-Za-z0-9\-._~]/;
const HEX = '0123456789ABCDEF';
const ALREADY_NORMAL = /^[\w\-.~!&'()+,;=:@/?]*$/;

/** Parses the value of an Allow or Disallow line; undefined if it can match no path. */
export function patternOf(value: Uint8Array): PathPattern | undefined {
  if (value[0] !== SLASH && value[0] !== STAR) return undefined;
  const anchored = value.at(-1) === DOLLAR;
  const text = normalise(anchored ? value.subarray(0, -1) : value, true);
  return { text: text.includes('**') ? text.replace(/\*{2,}/g, '*') : text, anchored };
}

/** Normalises path and query of a URL. */
export function normalisePath(path: string): string {
  return ALREADY_NORMAL.test(path) ? path : normalise(Buffer.from(path), false);
}

/**
 * Percent-encodes where necessary and only there. In a query `%2F` and `%3A` are decoded, because
 * both spellings are in use and the RFC treats them as equal. In a path `%2F` is not a slash.
 */
function normalise(bytes: Uint8Array, isRule: boolean): string {
  if (isRule && bytes.every((byte) => PLAIN[byte] === 1 || byte === STAR))
    return Buffer.from(bytes).toString('latin1');
  let text = '';
  let inQuery = false;
  for (let i = 0; i < bytes.length; i++) {
    let byte = bytes[i];
    const encoded = byte === PERCENT ? hexPair(bytes, i + 1) : -1;
    if (encoded >= 0) {
      byte = encoded;
      i += 2;
      const char = String.fromCharCode(byte);
      if (UNRESERVED.test(char) || (inQuery && (char === '/' || char === ':'))) text += char;
      else text += percent(byte);
      continue;
    }
    if (byte === QUESTION) inQuery = true;
    if (PLAIN[byte] === 1 || (isRule && byte === STAR)) text += String.fromCharCode(byte);
    else text += percent(byte);
  }
  return text;
}

function percent(byte: number): string {
  return `%${HEX[byte >> 4]}${HEX[byte & 15]}`;
}

function hexPair(bytes: Uint8Array, at: number): number {
  return at + 1 < bytes.length ? hexDigit(bytes[at]) * 16 + hexDigit(bytes[at + 1]) : -1;
}

/** Minus infinity if it is not a digit, so that a pair with one wrong digit is negative too. */
function hexDigit(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const lower = byte | 32;
  return lower >= 97 && lower <= 102 ? lower - 87 : Number.NEGATIVE_INFINITY;
}

/** Whether the pattern `rules[from..to)` matches the path. Requires both normalised. */
export function matches(
  rules: string,
  from: number,
  to: number,
  anchored: boolean,
  path: string,
): boolean {
  let at = from;
  let reached = 0;
  for (; at < to; at++, reached++) {
    const code = rules.charCodeAt(at);
    if (code === STAR) return matchesFrom(rules, at + 1, to, anchored, path, reached);
    if (code !== path.charCodeAt(reached)) return false;
  }
  return !anchored || reached === path.length;
}

/** Matches the literals after the first `*` in the rest of the path. */
function matchesFrom(
  rules: string,
  from: number,
  to: number,
  anchored: boolean,
  path: string,
  reached: number,
): boolean {
  for (let at = from; ; ) {
    const star = rules.indexOf('*', at);
    const last = star < 0 || star >= to;
    const literal = rules.slice(at, last ? to : star);
    if (last && anchored) return path.length - literal.length >= reached && path.endsWith(literal);
    const found = path.indexOf(literal, reached);
    if (last || found < 0) return found >= 0;
    reached = found + literal.length;
    at = star + 1;
  }
}
