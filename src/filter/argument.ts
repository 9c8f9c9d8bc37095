/**
 * The arguments of predicates: how each kind is read from a text, normalised and written again.
 *
 * Ensures   `writeArgument` writes a text that `readArgument` reads as the same value. Normalising
 *           a value twice gives the same result as once.
 */
import { isAbsolute, resolve } from 'node:path';
import { DrumlinError } from '../base/errors.ts';
import { numberAt } from '../base/expression.ts';
import { hostName } from '../net/host-name.ts';
import { parseRange } from '../net/ip-range.ts';
import { canonicalise } from '../url/canonical.ts';
import { payLevelDomain } from '../url/domain.ts';
import { normalisedTypePattern } from './content-type.ts';
import type { ArgumentKind } from './predicate.ts';
import { checkUrlPattern, checkUrlText } from './url-pattern.ts';

/** Why a value is refused, and what to write instead. */
class Unfit extends Error {
  readonly remedy: string;
  constructor(fact: string, remedy: string) {
    super(fact);
    this.remedy = remedy;
  }
}

/** The fact and the remedy if the error is about the value; undefined for any other error. */
export function wordsFor(
  error: unknown,
): { readonly fact: string; readonly remedy: string } | undefined {
  if (error instanceof Unfit) return { fact: error.message, remedy: error.remedy };
  return error instanceof DrumlinError ? error : undefined;
}

const NORMALISE: Readonly<Record<ArgumentKind, (text: string) => string>> = {
  text: (text) => text,
  'url-text': (text) => {
    checkUrlText(text);
    return text;
  },
  word: (text) => lower(text, /^[\w-]+$/, 'a word', 'letters, digits and hyphens only'),
  scheme: (text) => lower(text, /^https?$/i, 'a scheme', 'http or https'),
  'host-end': (text) => lower(text, /^[\w.-]+$/, 'the end of a host', 'an ending like .edu'),
  host: (text) =>
    need(hostName(text), text, 'a host', 'a name without port, like example.org or .example.org'),
  domain: normalisedDomain,
  url: (text) =>
    need(canonicalise(text), text, 'a URL', 'an absolute URL like https://example.org/page'),
  pattern: normalisedPattern,
  regular: (text) => {
    if (text.startsWith('/')) return normalisedPattern(text);
    throw new Unfit(
      `"${text}" is not a regular expression.`,
      'Write it between slashes, like /^20\\d\\d/.',
    );
  },
  type: normalisedTypePattern,
  range: (text) => {
    parseRange(text);
    return text.trim();
  },
  share: (text) => {
    const value = numberOf(text, 'a share');
    if (value > 0 && value <= 1) return String(value);
    throw new Unfit(`${value} is not a share.`, 'Write a number above 0 and up to 1, like 0.01.');
  },
  number: (text) => String(numberOf(text, 'a number')),
  file: (text) => (isAbsolute(text) ? text : resolve(text)),
};

export function normalise(kind: ArgumentKind, text: string): string {
  if (text === '')
    throw new Unfit('the value is empty.', 'Write a value, in quotation marks if necessary.');
  if (CONTROL.test(text)) throw new Unfit('the value contains a control character.', 'Remove it.');
  return NORMALISE[kind](text);
}

const CONTROL = /[\0-\x1f\x7f]/;

function lower(text: string, form: RegExp, what: string, example: string): string {
  return need(form.test(text) ? text.toLowerCase() : undefined, text, what, example);
}

function need(value: string | undefined, text: string, what: string, example: string): string {
  if (value !== undefined) return value;
  throw new Unfit(`"${text}" is not ${what}.`, `Write ${example}.`);
}

function numberOf(text: string, what: string): number {
  const sign = text.startsWith('-') ? -1 : 1;
  const digits = sign < 0 ? text.slice(1) : text;
  const number = numberAt(digits, 0);
  if (number && number.text === digits && Number.isFinite(number.value))
    return sign * number.value || 0;
  throw new Unfit(`"${text}" is not ${what}.`, 'Write it like 10, 0.5 or 2k.');
}

function normalisedDomain(text: string): string {
  const host = need(
    hostName(text.replace(/^\./, '')),
    text,
    'a domain',
    'a name like example.co.uk',
  );
  const domain = payLevelDomain(host);
  if (domain === host) return domain;
  throw new Unfit(
    `${host} is a host within the domain ${domain}.`,
    `Write ${domain}, or HostIs(.${host}) for that host and its subdomains.`,
  );
}

function normalisedPattern(text: string): string {
  checkUrlPattern(text);
  return text;
}

/** A value read from a text, and the position after it. */
interface Read {
  readonly value: string;
  readonly end: number;
}

const BARE = /[^\s(),"]+/y;
const QUOTED = /"((?:[^"\\]|\\.)*)"/sy;
/** As in JavaScript: a slash in a character class or after a backslash does not end it. */
const REGULAR = /\/(?:[^/\\[\n]|\\[^\n]|\[(?:[^\]\\\n]|\\[^\n])*\])+\/[a-z]*/y;

/** Reads the argument at this position; undefined if there is none. */
export function readArgument(kind: ArgumentKind, text: string, at: number): Read | undefined {
  const quoted = match(QUOTED, text, at);
  if (quoted) return { value: quoted[1].replace(/\\(["\\])/g, '$1'), end: at + quoted[0].length };
  const isPattern = kind === 'pattern' || kind === 'regular';
  const bare = (isPattern && match(REGULAR, text, at)) || match(BARE, text, at);
  return bare ? { value: bare[0], end: at + bare[0].length } : undefined;
}

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/**
 * Adds quotation marks where needed. A value that begins with `#` needs them: `#` begins a comment.
 */
export function writeArgument(kind: ArgumentKind, value: string): string {
  const plain = value.startsWith('#') ? undefined : readArgument(kind, value, 0);
  if (plain?.end === value.length && plain.value === value) return value;
  return `"${value.replace(/["\\]/g, '\\$&')}"`;
}
