/**
 * The canonical form of a URL: the one spelling under which a page is seen, stored and counted.
 *
 * Idea      Start from the WHATWG parse, on which browsers agree. Then normalise what it leaves
 *           open, so that the result does not depend on the version of the parser.
 * Ensures   `http://host[:port]/path[?query]` or the same with https: lower-case host without a
 *           final dot, no default port, no credentials, no fragment, no empty query. Path and query
 *           contain only RFC 3986 characters. An escape is upper-case and never encodes an
 *           unreserved character. Idempotent.
 * Cost      One `new URL` and one pass, 1 to 2 µs. Links of a page go through `Resolver`, which
 *           mostly avoids both.
 *
 * docs/url.md gives the rules and their reasons; stored folders depend on them.
 */
import type { ParameterList } from './parameters.ts';

/** The longest accepted URL, in bytes of the canonical form. */
export const MAX_URL_LENGTH = 2048;

/**
 * A text this many times longer than the limit is refused without parsing: only a long fragment
 * could make it fit.
 */
const UNREAD_FACTOR = 8;

export interface CanonicalOptions {
  /** The absolute URL that a relative reference is relative to. */
  readonly base?: string;
  /** The longest canonical form. Default 2048. */
  readonly maxLength?: number;
  /** Session and tracking parameters to drop. Default: none. */
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

/** The canonical form; undefined if there is none. */
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
  const url = normalise(parsed);
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
/**
 * A DNS name or an address. Other characters that a URL may have there (`*`, `!`, `'`) name no
 * host, and no name has an empty label (`a..b`).
 */
const AUTHORITY =
  /^(https?:\/\/)(?:[^/@]*@)?((?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?|\[[0-9a-f:.]+\])(?::\d+)?)(?=\/)/;
/** The dot of a fully qualified name: the same name in the DNS. */
const ROOT_DOT = /\.(?=:\d+$|$)/;
const NOT_CANONICAL = /%([0-9A-Fa-f]{2})|[^\w\-.~!$&'()*+,;=:@/?]/g;
const UNRESERVED = /[\w\-.~]/;

/** From the WHATWG serialisation of a URL to our form; undefined if its host is not valid. */
function normalise(href: string): string | undefined {
  const authority = AUTHORITY.exec(href);
  if (authority === null) return undefined;
  const hash = href.indexOf('#', authority[0].length);
  const rest = href.slice(authority[0].length, hash < 0 ? href.length : hash);
  const prefix = authority[1] + authority[2].replace(ROOT_DOT, '');
  const normalised = rest.replace(NOT_CANONICAL, normaliseCharacter);
  return (
    prefix +
    (normalised.indexOf('?') === normalised.length - 1 ? normalised.slice(0, -1) : normalised)
  );
}

/**
 * Normalises an escape, or a character that is not a URL character. A bare `%` is one: unescaped,
 * it could form an escape.
 */
function normaliseCharacter(match: string, hex: string | undefined): string {
  if (hex === undefined) return escapeCharacter(match.charCodeAt(0));
  const character = String.fromCharCode(Number.parseInt(hex, 16));
  return UNRESERVED.test(character) ? character : `%${hex.toUpperCase()}`;
}

function escapeCharacter(code: number): string {
  return `%${code.toString(16).toUpperCase().padStart(2, '0')}`;
}
