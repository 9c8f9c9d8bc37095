/**
 * The rules of one origin for one crawler, in their stored form.
 *
 * Idea      The rules are one text in the order of precedence, so the first match decides. A
 *           verdict reads the text from its beginning. The characters of the text are the bytes of
 *           the stored form. So storing and restoring are a copy, and a rule takes little more than
 *           its own letters. (A string costs 16 bytes in addition to its content, a Buffer several
 *           hundred.)
 * Ensures   A verdict names the line that decided. `/robots.txt` itself is always allowed.
 *           `rulesFromBytes(rules.toBytes())` gives the same verdicts and delay, and UNREACHABLE
 *           itself for UNREACHABLE. Bytes that `toBytes` did not write are refused or, if they look
 *           right, read without harm.
 * Cost      At worst, a verdict compares each rule up to the first difference and searches the
 *           whole path for what follows a `*`. A file of such rules could take half a second for
 *           one path: beyond MAX_EFFORT the path is forbidden, without a line.
 *
 * Format    Byte 0 is the format, 1. Byte 1 states what follows: 0 for nothing (UNREACHABLE), 1 for
 *           rules. Rules begin with the delay in milliseconds plus one, or 0 without one. Each rule
 *           is its line × 16 + flags (8 allows, 4 anchored, 2 has a `*`, 1 written differently),
 *           the length of the pattern and the pattern. A rule that is written differently is
 *           followed by the length and the bytes of its text in the file. Numbers are varints.
 *           Sitemaps are not stored: only a newly fetched file reports them.
 */

import { DrumlinError, EXIT } from '../base/errors.ts';
import type { Bytes, Millis } from '../base/units.ts';
import { writeVarint } from '../base/varint.ts';
import { matches, normalisePath, type PathPattern } from './pattern.ts';

export interface RobotsVerdict {
  readonly allowed: boolean;
  /** The number of the line that decided, from 1; absent if no rule decided. */
  readonly line?: number;
  /** The text of the line that decided; absent like `line`. */
  readonly rule?: string;
}

export interface RobotsRules {
  /** The verdict for a path with its query, as in a canonical URL. */
  verdict(pathWithQuery: string): RobotsVerdict;
  /** The delay between two requests that the file asks for. */
  readonly crawlDelay: Millis | undefined;
  /** As written, in any group; empty in restored rules. */
  readonly sitemaps: readonly string[];
  /** Approximate memory of the rules: a file of 500 KiB can have tens of thousands. */
  readonly size: Bytes;
  /**
   * The stored form; undefined if it exceeds `limit`. Half of the rules would be wrong, so a caller
   * that cannot store them must fetch the file again.
   */
  toBytes(limit?: Bytes): Uint8Array | undefined;
}

export interface RobotsRule extends PathPattern {
  readonly allow: boolean;
  readonly line: number;
  /** The value's bytes as characters. */
  readonly written: string;
}

/** Real files rarely come near it; files made to fill a disk do. */
const MAX_STORED_RULES: Bytes = 64 * 1024;

const FORMAT = 1;
const KIND = { unreachable: 0, rules: 1 } as const;
const ALLOWS = 8;
const ANCHORED = 4;
const WILD = 2;
const OTHERWISE = 1;
const FLAGS = 16;

/**
 * Most characters of path to look at for one verdict, about 25 ms. 2,000 rules with a `*` and the
 * longest URL stay below it.
 */
const MAX_EFFORT = 2 ** 22;

/** Size of the object and its string, without the characters. Measured. */
const OBJECT_BYTES: Bytes = 64;
/** Size of a string in an array. */
const STRING_BYTES: Bytes = 24;

/**
 * The rules of a host whose robots.txt cannot be fetched: nothing is allowed (RFC 9309, section
 * 2.3.1.4).
 */
export const UNREACHABLE: RobotsRules = {
  verdict: () => ({ allowed: false }),
  crawlDelay: undefined,
  sitemaps: [],
  size: 0,
  toBytes: () => Uint8Array.of(FORMAT, KIND.unreachable),
};

/**
 * Sorts rules by precedence: the longest first, then the one that allows, then the first in the
 * file.
 */
export function rulesOf(
  rules: readonly RobotsRule[],
  delay: Millis | undefined,
  sitemaps: readonly string[],
): RobotsRules {
  const sorted = [...rules].sort(
    (a, b) => octets(b) - octets(a) || Number(b.allow) - Number(a.allow),
  );
  const head =
    String.fromCharCode(FORMAT, KIND.rules) + varint(delay === undefined ? 0 : delay + 1);
  // Through a Buffer, because a string from a Buffer is flat, one byte per character.
  const bytes = Buffer.from(head + sorted.map(stored).join(''), 'latin1');
  return new StoredRules(bytes.toString('latin1'), sitemaps);
}

export function rulesFromBytes(bytes: Uint8Array): RobotsRules {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
  if (text.charCodeAt(0) !== FORMAT)
    throw notOurs(`format ${bytes[0] ?? 'none'} instead of ${FORMAT}`);
  if (bytes[1] === KIND.unreachable && bytes.length === 2) return UNREACHABLE;
  if (bytes[1] !== KIND.rules) throw notOurs('contents of an unknown kind');
  const cursor = new Cursor(text);
  while (cursor.at < text.length) cursor.nextRule();
  if (cursor.at !== text.length) throw notOurs('truncated rules');
  return new StoredRules(text, NONE);
}

function notOurs(what: string): DrumlinError {
  return new DrumlinError(
    'ROBOTS_FORMAT',
    `Stored robots rules have ${what}.`,
    'The folder is damaged or another version wrote it: crawl into a new one.',
    { exitCode: EXIT.folder },
  );
}

const NONE: readonly string[] = [];

class StoredRules implements RobotsRules {
  readonly sitemaps: readonly string[];
  readonly #text: string;

  constructor(text: string, sitemaps: readonly string[]) {
    this.#text = text;
    this.sitemaps = sitemaps;
  }

  get crawlDelay(): Millis | undefined {
    return new Cursor(this.#text).delay;
  }

  get size(): Bytes {
    const news = this.sitemaps.reduce((sum, url) => sum + STRING_BYTES + 2 * url.length, 0);
    return OBJECT_BYTES + this.#text.length + news;
  }

  verdict(pathWithQuery: string): RobotsVerdict {
    const path = normalisePath(pathWithQuery);
    if (path === '/robots.txt') return { allowed: true };
    const text = this.#text;
    const cursor = new Cursor(text);
    let effort = 0;
    while (cursor.at < text.length) {
      cursor.nextRule();
      if (cursor.wild) effort += path.length;
      if (effort > MAX_EFFORT) return { allowed: false };
      if (matches(text, cursor.from, cursor.to, cursor.anchored, path)) return cursor.verdict();
    }
    return { allowed: true };
  }

  toBytes(limit = MAX_STORED_RULES): Uint8Array | undefined {
    return this.#text.length > limit ? undefined : Buffer.from(this.#text, 'latin1');
  }
}

/**
 * Reads the stored text, one rule after the other. Numbers beyond its end are NaN, and then the
 * position is NaN too.
 */
class Cursor {
  at = 2;
  readonly delay: Millis | undefined;
  /** The pattern of the current rule is `text[from..to)`. */
  from = 0;
  to = 0;
  readonly #text: string;
  #head = 0;

  constructor(text: string) {
    this.#text = text;
    const delay = this.number();
    this.delay = delay === 0 ? undefined : delay - 1;
  }

  get anchored(): boolean {
    return (this.#head & ANCHORED) !== 0;
  }

  get wild(): boolean {
    return (this.#head & WILD) !== 0;
  }

  nextRule(): void {
    this.#head = this.number();
    const length = this.number();
    this.from = this.at;
    this.to = this.at + length;
    this.at = this.to;
    if (this.#head & OTHERWISE) {
      const writtenLength = this.number();
      this.at += writtenLength;
    }
  }

  number(): number {
    let value = 0;
    for (let unit = 1; ; unit *= 128) {
      const byte = this.#text.charCodeAt(this.at++);
      if (!(byte >= 128)) return value + byte * unit;
      value += (byte - 128) * unit;
    }
  }

  verdict(): RobotsVerdict {
    const allowed = (this.#head & ALLOWS) !== 0;
    return {
      allowed,
      line: Math.floor(this.#head / FLAGS),
      rule: `${allowed ? 'Allow' : 'Disallow'}: ${this.#written()}`,
    };
  }

  /** The rule's text as written in the file. */
  #written(): string {
    if ((this.#head & OTHERWISE) === 0) {
      return this.#text.slice(this.from, this.to) + (this.anchored ? '$' : '');
    }
    this.at = this.to;
    const length = this.number();
    return Buffer.from(this.#text.slice(this.at, this.at + length), 'latin1').toString('utf8');
  }
}

/** Length of the normalised rule: the longest match wins. */
function octets({ text, anchored }: PathPattern): number {
  return text.length + (anchored ? 1 : 0);
}

function stored({ text, anchored, allow, line, written }: RobotsRule): string {
  const otherwise = written !== (anchored ? `${text}$` : text);
  const flags =
    (allow ? ALLOWS : 0) +
    (anchored ? ANCHORED : 0) +
    (text.includes('*') ? WILD : 0) +
    (otherwise ? OTHERWISE : 0);
  const rule = varint(line * FLAGS + flags) + varint(text.length) + text;
  return otherwise ? rule + varint(written.length) + written : rule;
}

const scratch = Buffer.alloc(8);

function varint(value: number): string {
  return scratch.toString('latin1', 0, writeVarint(scratch, 0, value));
}
