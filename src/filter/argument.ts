/**
 * The arguments of predicates: how each kind is read off a text, settled, and written again.
 *
 * Ensures   what `writeArgument` writes is read as the same value. A settled value is settled.
 */
import { isAbsolute, resolve } from 'node:path';
import { DrumlinError } from '../base/errors.ts';
import { numberAt } from '../base/expression.ts';
import { hostName } from '../net/host-name.ts';
import { parseRange } from '../net/ip-range.ts';
import { canonicalise } from '../url/canonical.ts';
import { payLevelDomain } from '../url/domain.ts';
import { settledTypePattern } from './content-type.ts';
import type { ArgumentKind } from './predicate.ts';
import { checkUrlPattern, checkUrlText } from './url-pattern.ts';

/** The words of a refusal. */
class Unfit extends Error {
  readonly remedy: string;
  constructor(fact: string, remedy: string) {
    super(fact);
    this.remedy = remedy;
  }
}

/** Why a value is none of its kind; anything else that is thrown is not about the value. */
export function wordsFor(
  error: unknown,
): { readonly fact: string; readonly remedy: string } | undefined {
  if (error instanceof Unfit) return { fact: error.message, remedy: error.remedy };
  return error instanceof DrumlinError ? error : undefined;
}

const SETTLE: Readonly<Record<ArgumentKind, (text: string) => string>> = {
  text: (text) => text,
  'url-text': (text) => {
    checkUrlText(text);
    return text;
  },
  word: (text) => lower(text, /^[\w-]+$/, 'a word', 'one of letters, digits and hyphens'),
  scheme: (text) => lower(text, /^https?$/i, 'a scheme', 'http or https'),
  'host-end': (text) => lower(text, /^[\w.-]+$/, 'the end of a host', 'it like .edu'),
  host: (text) =>
    need(hostName(text), text, 'a host', 'a name without port, like example.org or .example.org'),
  domain: settledDomain,
  url: (text) => need(canonicalise(text), text, 'a URL', 'it like https://example.org/page'),
  pattern: settledPattern,
  regular: (text) => {
    if (text.startsWith('/')) return settledPattern(text);
    throw new Unfit(
      `"${text}" is no regular expression.`,
      'Write it between slashes, like /^20\\d\\d/.',
    );
  },
  type: settledTypePattern,
  range: (text) => {
    parseRange(text);
    return text.trim();
  },
  share: (text) => {
    const value = numberOf(text, 'a share');
    if (value > 0 && value <= 1) return String(value);
    throw new Unfit(`${value} is no share.`, 'Write a number above 0 and up to 1, like 0.01.');
  },
  number: (text) => String(numberOf(text, 'a number')),
  file: (text) => (isAbsolute(text) ? text : resolve(text)),
};

export function settle(kind: ArgumentKind, text: string): string {
  if (text === '')
    throw new Unfit('there is nothing.', 'Write a value, in quotation marks if need be.');
  if (CONTROL.test(text)) throw new Unfit('it holds a control character.', 'Leave it out.');
  return SETTLE[kind](text);
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

function settledDomain(text: string): string {
  const host = need(
    hostName(text.replace(/^\./, '')),
    text,
    'a domain',
    'a name like example.co.uk',
  );
  const domain = payLevelDomain(host);
  if (domain === host) return domain;
  throw new Unfit(
    `${host} is a host in the domain ${domain}.`,
    `Write ${domain}, or HostIs(.${host}) for that host and those below it.`,
  );
}

/** Expressions that were tried and found quick: trials take a millisecond or more. */
const tried = new Set<string>();
const MOST_TRIED = 1000;

function settledPattern(text: string): string {
  if (tried.has(text)) return text;
  checkUrlPattern(text);
  if (tried.size >= MOST_TRIED) tried.clear();
  tried.add(text);
  return text;
}

/** A value at a place of a text, and where it ends. */
export interface Read {
  readonly value: string;
  readonly end: number;
}

const BARE = /[^\s(),"]+/y;
const QUOTED = /"((?:[^"\\]|\\.)*)"/sy;
/** As in JavaScript: a slash in a class or after a backslash does not end it. */
const REGULAR = /\/(?:[^/\\[\n]|\\[^\n]|\[(?:[^\]\\\n]|\\[^\n])*\])+\/[a-z]*/y;

/** The argument that begins here: undefined when none does. */
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

/** A hash sign at the beginning would be a comment. */
export function writeArgument(kind: ArgumentKind, value: string): string {
  const plain = value.startsWith('#') ? undefined : readArgument(kind, value, 0);
  if (plain?.end === value.length && plain.value === value) return value;
  return `"${value.replace(/["\\]/g, '\\$&')}"`;
}
