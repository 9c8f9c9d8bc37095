/**
 * robots.txt as RFC 9309 reads it: which paths of an origin a crawler may fetch.
 *
 * Idea      One pass over the bytes keeps only the rules of the groups that speak to us, and those for everybody in case there are
 *           none; they are sorted once by what wins, so the first match decides.
 * Requires  the body of a response, content codings undone. Any bytes will do.
 * Ensures   no input makes it fail. A verdict names the line that decided. `/robots.txt` itself is always allowed. A line cut by the
 *           size limit is dropped: half a rule may forbid everything.
 * Cost      linear in the file; what is kept is a few hundred bytes per applicable rule. A verdict takes a match per rule at worst.
 */
import type { Bytes, Millis } from '../units.ts';
import { compilePattern, matches, normalisePath, type PathPattern } from './robots-pattern.ts';

export interface RobotsVerdict {
  readonly allowed: boolean;
  /** The line that decided, counted from 1, and its text; absent when no rule applies. */
  readonly line?: number;
  readonly rule?: string;
}

export interface RobotsRules {
  /** For a path with its query, as they stand in a canonical URL. */
  verdict(pathWithQuery: string): RobotsVerdict;
  /** What the file asks between two requests. */
  readonly crawlDelay?: Millis;
  /** As written, whoever they are for. */
  readonly sitemaps: readonly string[];
  /** Memory that the rules take, about: a file of 500 KiB can hold tens of thousands. */
  readonly size: Bytes;
}

export interface RobotsOptions {
  /** How much of a file is read; the RFC asks for at least 500 KiB. */
  readonly maxBytes?: Bytes;
}

export const MAX_ROBOTS_BYTES: Bytes = 500 * 1024;

/** The rules of a host whose robots.txt cannot be had: nothing is allowed (RFC 9309, section 2.3.1.4). */
export const UNREACHABLE: RobotsRules = {
  verdict: () => ({ allowed: false }),
  sitemaps: [],
  size: 0,
};

/**
 * What a response to a request for robots.txt means. Redirects are followed by the caller; one that leads nowhere counts as no file.
 * A 429 is a request to go away for a while, not a permission, so it counts as unreachable.
 */
export function robotsFromResponse(
  status: number,
  body: Uint8Array,
  productToken: string,
  options: RobotsOptions = {},
): RobotsRules {
  if (status >= 500 || status === 429) return UNREACHABLE;
  return parseRobots(status >= 200 && status < 300 ? body : new Uint8Array(), productToken, options);
}

interface Rule extends PathPattern {
  readonly allow: boolean;
  readonly line: number;
  readonly text: string;
}

/** The rules and delay of all groups that name one agent. */
interface Group {
  named: boolean;
  readonly rules: Rule[];
  delay: Millis | undefined;
}

export function parseRobots(
  bytes: Uint8Array,
  productToken: string,
  options: RobotsOptions = {},
): RobotsRules {
  const ours: Group = { named: false, rules: [], delay: undefined };
  const everybody: Group = { named: false, rules: [], delay: undefined };
  const sitemaps: string[] = [];
  const token = productToken.toLowerCase();
  let addressed: Group[] = [];
  let namesGoOn = false;

  forEachRecord(bytes, options.maxBytes ?? MAX_ROBOTS_BYTES, (key, from, to, line) => {
    if (key === 'user-agent') {
      if (!namesGoOn) addressed = [];
      namesGoOn = true;
      const name = agentName(utf8(bytes, from, to));
      const group = name === '*' ? everybody : name === token ? ours : undefined;
      if (group !== undefined && !addressed.includes(group)) addressed.push(group);
      if (group !== undefined) group.named = true;
    } else if (key === 'allow' || key === 'disallow') {
      namesGoOn = false;
      const rule =
        addressed.length === 0 ? undefined : ruleOf(key === 'allow', bytes.subarray(from, to), line);
      if (rule !== undefined) for (const group of addressed) group.rules.push(rule);
    } else if (key === 'crawl-delay') {
      // A rule of its group to those who honour it: "Crawl-delay" alone is a whole group in many files.
      namesGoOn = false;
      const delay = delayOf(utf8(bytes, from, to));
      if (delay !== undefined) for (const group of addressed) group.delay = Math.max(group.delay ?? 0, delay);
    } else if (to > from) {
      sitemaps.push(utf8(bytes, from, to));
    }
  });
  const { rules, delay } = ours.named ? ours : everybody;
  return new ParsedRobots(rules, delay, sitemaps);
}

/** What a rule takes beside its text and its literals: objects, arrays, headers of strings. Measured, rounded up. */
const RULE_BYTES: Bytes = 400;

class ParsedRobots implements RobotsRules {
  readonly crawlDelay?: Millis;
  readonly sitemaps: readonly string[];
  /** The one that wins first: the longest, and of equals the one that allows. */
  readonly #rules: readonly Rule[];
  readonly size: Bytes;

  constructor(rules: Rule[], delay: Millis | undefined, sitemaps: readonly string[]) {
    this.#rules = rules.sort((a, b) => b.octets - a.octets || Number(b.allow) - Number(a.allow));
    if (delay !== undefined) this.crawlDelay = delay;
    this.sitemaps = sitemaps;
    const texts = [...rules.map(({ text }) => text), ...sitemaps];
    this.size = texts.reduce((sum, text) => sum + RULE_BYTES + 2 * text.length, RULE_BYTES);
  }

  verdict(pathWithQuery: string): RobotsVerdict {
    const path = normalisePath(pathWithQuery);
    if (path === '/robots.txt') return { allowed: true };
    const rule = this.#rules.find((candidate) => matches(candidate, path));
    if (rule === undefined) return { allowed: true };
    return { allowed: rule.allow, line: rule.line, rule: rule.text };
  }
}

type Key = 'user-agent' | 'allow' | 'disallow' | 'crawl-delay' | 'sitemap';

/** Keys with the misspellings that are common enough for big crawlers to accept them. */
const KEYS: ReadonlyMap<string, Key> = new Map<string, Key>([
  ['user-agent', 'user-agent'],
  ['useragent', 'user-agent'],
  ['user agent', 'user-agent'],
  ['allow', 'allow'],
  ['disallow', 'disallow'],
  ['dissallow', 'disallow'],
  ['dissalow', 'disallow'],
  ['disalow', 'disallow'],
  ['diasllow', 'disallow'],
  ['disallaw', 'disallow'],
  ['crawl-delay', 'crawl-delay'],
  ['sitemap', 'sitemap'],
]);
const LONGEST_KEY = 16;

const LF = 10;
const CR = 13;
const HASH = 35;
const COLON = 58;

/** Visits the lines that mean something, whatever ends them: CR, LF or both. The value is `bytes[from..to)`. */
function forEachRecord(
  bytes: Uint8Array,
  maxBytes: Bytes,
  visit: (key: Key, from: number, to: number, line: number) => void,
): void {
  const cut = bytes.length > maxBytes;
  const end = Math.min(bytes.length, maxBytes);
  let at = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  for (let line = 1; at < end; line++) {
    const start = at;
    let colon = -1;
    let stop = -1; // where the comment begins
    for (; at < end; at++) {
      const byte = bytes[at];
      if (byte === LF || byte === CR) break;
      if (byte === COLON && colon < 0 && stop < 0) colon = at;
      else if (byte === HASH && stop < 0) stop = at;
    }
    if (at === end && cut) return;
    const key = colon < 0 ? undefined : keyOf(bytes, start, colon);
    if (key !== undefined) visitTrimmed(bytes, key, colon + 1, stop < 0 ? at : stop, line, visit);
    at += bytes[at] === CR && bytes[at + 1] === LF ? 2 : 1;
  }
}

function visitTrimmed(
  bytes: Uint8Array,
  key: Key,
  from: number,
  to: number,
  line: number,
  visit: (key: Key, from: number, to: number, line: number) => void,
): void {
  while (from < to && isBlank(bytes[from])) from++;
  while (to > from && isBlank(bytes[to - 1])) to--;
  visit(key, from, to, line);
}

function keyOf(bytes: Uint8Array, from: number, to: number): Key | undefined {
  while (from < to && isBlank(bytes[from])) from++;
  while (to > from && isBlank(bytes[to - 1])) to--;
  return to - from > LONGEST_KEY ? undefined : KEYS.get(utf8(bytes, from, to).toLowerCase());
}

/** NUL counts: some editors pad with it. */
function isBlank(byte: number): boolean {
  return byte === 32 || byte === 9 || byte === 0 || byte === 11 || byte === 12;
}

/** The product token at the beginning of a User-agent line: `Drumlin/1.0` addresses drumlin, `*` everybody. */
function agentName(value: string): string {
  return /^\*(?=\s|$)|^[a-z_-]+/i.exec(value)?.[0].toLowerCase() ?? '';
}

function ruleOf(allow: boolean, value: Uint8Array, line: number): Rule | undefined {
  const pattern = compilePattern(value);
  return (
    pattern && {
      ...pattern,
      allow,
      line,
      text: `${allow ? 'Allow' : 'Disallow'}: ${utf8(value, 0, value.length)}`,
    }
  );
}

function delayOf(value: string): Millis | undefined {
  return /^(\d{1,9}(\.\d{0,9})?|\.\d{1,9})$/.test(value) ? Math.round(Number(value) * 1000) : undefined;
}

function utf8(bytes: Uint8Array, from: number, to: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString('utf8');
}
