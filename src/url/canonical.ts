/**
 * The canonical form of a URL: the one spelling under which a page is seen, stored and counted.
 *
 * Idea      Start from the WHATWG parse, which is what browsers agree on, then settle what it leaves open, so that
 *           the result does not depend on the version of the parser either.
 * Ensures   `http://host[:port]/path[?query]` or the same with https: lower-case host without a final
 *           dot, no default port, no credentials, no fragment, no empty query. Path and query hold only RFC 3986 characters; an escape is
 *           upper-case and never hides an unreserved character. Idempotent.
 * Cost      one `new URL` and one pass, 1 to 2 µs. Links of a page go through `Resolver`, which mostly avoids both.
 *
 * docs/url.md gives the rules and their reasons; stored folders depend on them.
 */
import type { ParameterList } from './parameters.ts';

/** Longest URL that is taken, in bytes of the canonical form. */
export const MAX_URL_LENGTH = 2048;

/** A text this many times longer than the limit is refused unread: only its fragment could have saved it. */
const UNREAD_FACTOR = 8;

export interface CanonicalOptions {
  /** What a relative reference is relative to: an absolute URL. */
  readonly base?: string;
  /** Default 2048. */
  readonly maxLength?: number;
  /** Session and tracking parameters to drop; by default all are kept. */
  readonly drop?: ParameterList;
}

/** Why a text has no canonical form. One object per reason: compare by identity or by `reason`. */
export interface Refusal {
  readonly reason: 'invalid' | 'scheme' | 'too-long';
  readonly fact: string;
}

export const REFUSED: { readonly [reason in Refusal['reason']]: Refusal } = {
  invalid: { reason: 'invalid', fact: 'It is not a URL.' },
  scheme: { reason: 'scheme', fact: 'Only http and https URLs are crawled.' },
  'too-long': { reason: 'too-long', fact: 'It is longer than the limit for URLs.' },
};

/** The canonical form, or undefined when there is none. */
export function canonicalise(text: string, options: CanonicalOptions = {}): string | undefined {
  const result = canonicaliseOrReason(text, options);
  return typeof result === 'string' ? result : undefined;
}

/** The canonical form, or the reason why there is none. */
export function canonicaliseOrReason(
  text: string,
  options: CanonicalOptions = {},
): string | Refusal {
  const maxLength = options.maxLength ?? MAX_URL_LENGTH;
  if (text.length > UNREAD_FACTOR * maxLength) return REFUSED['too-long'];
  const parsed = tryParse(text, options.base);
  if (parsed === undefined) return REFUSED.invalid;
  if (!WEB.test(parsed)) return REFUSED.scheme;
  const url = settle(parsed);
  if (url === undefined) return REFUSED.invalid;
  const kept = options.drop === undefined ? url : options.drop.dropFrom(url);
  return kept.length > maxLength ? REFUSED['too-long'] : kept;
}

function tryParse(text: string, base: string | undefined): string | undefined {
  try {
    return new URL(text, base).href;
  } catch {
    return undefined;
  }
}

const WEB = /^https?:/;
/** A name as the DNS knows it, or an address. What else a URL may hold there (`*`, `!`, `'`) names no host. */
const AUTHORITY = /^(https?:\/\/)(?:[^/@]*@)?((?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d+)?)(?=\/)/;
/** The dot of a fully qualified name: the same name in the DNS. Two dots are no name and stay. */
const ROOT_DOT = /([^.])\.(?=:\d+$|$)/;
const UNSETTLED = /%([0-9A-Fa-f]{2})|[^\w\-.~!$&'()*+,;=:@/?]/g;
const UNRESERVED = /[\w\-.~]/;

/** From the WHATWG serialisation of a URL to our form; undefined when its host is none. */
function settle(href: string): string | undefined {
  const authority = AUTHORITY.exec(href);
  if (authority === null) return undefined;
  const hash = href.indexOf('#', authority[0].length);
  const rest = href.slice(authority[0].length, hash < 0 ? href.length : hash);
  const prefix = authority[1] + authority[2].replace(ROOT_DOT, '$1');
  const settled = rest.replace(UNSETTLED, settleCharacter);
  return prefix + (settled.indexOf('?') === settled.length - 1 ? settled.slice(0, -1) : settled);
}

/** One escape or one character that is no URL character (a bare `%` included: left alone it could form an escape). */
function settleCharacter(match: string, hex: string | undefined): string {
  if (hex === undefined) return escapeCharacter(match.charCodeAt(0));
  const character = String.fromCharCode(Number.parseInt(hex, 16));
  return UNRESERVED.test(character) ? character : `%${hex.toUpperCase()}`;
}

function escapeCharacter(code: number): string {
  return `%${code.toString(16).toUpperCase().padStart(2, '0')}`;
}
