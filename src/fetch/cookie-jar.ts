/**
 * Cookies that servers set in a run (`--keep-cookies`), sent back as RFC 6265 says.
 *
 * Idea      An agent owns whole domains, so its jar sees every cookie of a domain, in the order of
 *           its responses. A cookie of the user's file is sent, too, until a server sets one of its
 *           name.
 * Ensures   A server sets cookies for its own domain only: not for a public suffix, not for another
 *           site of a shared one. Memory is bounded: of a domain `MOST_OF_DOMAIN` cookies, of all
 *           `MOST_DOMAINS` domains; those used the longest ago are forgotten.
 * Cost      Nothing where no server sets a cookie.
 */
import type { Bytes, Millis } from '../base/units.ts';
import { payLevelDomain } from '../url/domain.ts';
import { type Cookie, type CookieTable, cookieHeader, isAddress, isUnder } from './cookies.ts';

/** The limits that RFC 6265 (section 6.1) asks for at least. */
const MOST_OF_DOMAIN = 50;
const LARGEST: Bytes = 4096;
const MOST_DOMAINS = 3000;

/** What a request was, or will be, sent to. */
export interface CookieTarget {
  readonly host: string;
  /** Path and query. */
  readonly path: string;
  readonly secure: boolean;
}

interface KeptCookie extends Cookie {
  readonly name: string;
}

export class CookieJar {
  readonly #given: Pick<CookieTable, 'matching'> | undefined;
  /** By pay-level domain, the one used last at the end. */
  readonly #kept = new Map<string, KeptCookie[]>();

  /** `given` are the cookies of the user. */
  constructor(given?: Pick<CookieTable, 'matching'>) {
    this.#given = given;
  }

  /** The value of the Cookie header of a request; undefined if no cookie matches. */
  headerFor({ host, path, secure }: CookieTarget, now: Millis): string | undefined {
    const domain = siteOf(host);
    const all = this.#kept.get(domain);
    if (all) this.#touch(domain, all);
    const own = (all ?? []).filter((cookie) => isSent(cookie, { host, path, secure }, now));
    const names = new Set(own.map(({ name }) => name));
    const given = this.#given?.matching(host, path, secure, now) ?? [];
    return cookieHeader([...given.filter((cookie) => !names.has(nameOf(cookie))), ...own]);
  }

  /** Takes the `Set-Cookie` lines of a response. */
  take(lines: readonly string[], from: CookieTarget, now: Millis): void {
    for (const line of lines) {
      const cookie = cookieIn(line, from, now);
      if (cookie) this.#put(siteOf(from.host), cookie, now);
    }
  }

  #put(domain: string, cookie: KeptCookie, now: Millis): void {
    const same = (other: KeptCookie) =>
      other.name === cookie.name &&
      other.domain === cookie.domain &&
      other.path === cookie.path &&
      other.subdomains === cookie.subdomains;
    const others = (this.#kept.get(domain) ?? []).filter(
      (other) => !same(other) && now < other.expires,
    );
    // A cookie that has expired is how a server deletes one.
    if (now < cookie.expires) others.push(cookie);
    if (others.length === 0) this.#kept.delete(domain);
    else this.#touch(domain, others.slice(-MOST_OF_DOMAIN));
    if (this.#kept.size > MOST_DOMAINS) {
      const [oldest] = this.#kept.keys();
      this.#kept.delete(oldest);
    }
  }

  #touch(domain: string, cookies: KeptCookie[]): void {
    this.#kept.delete(domain);
    this.#kept.set(domain, cookies);
  }
}

/** A site of a shared domain is a site of its own. */
const siteOf = (host: string): string => payLevelDomain(host, { privateSuffixes: true });

const nameOf = ({ pair }: Cookie): string => pair.slice(0, Math.max(0, pair.indexOf('=')));

function isSent(cookie: Cookie, { host, path, secure }: CookieTarget, now: Millis): boolean {
  if ((cookie.secure && !secure) || now >= cookie.expires) return false;
  const isHere =
    host === cookie.domain || (cookie.subdomains && host.endsWith(`.${cookie.domain}`));
  return isHere && isUnder(path.split('?', 1)[0], cookie.path);
}

/** A cookie that a server may set; undefined for one that is refused or malformed. */
function cookieIn(line: string, from: CookieTarget, now: Millis): KeptCookie | undefined {
  const [pair, ...rest] = line.split(';');
  const equals = pair.indexOf('=');
  const name = pair.slice(0, Math.max(0, equals)).trim();
  const value = pair.slice(equals + 1).trim();
  // Heads are read as Latin-1, and written as such: any character but controls can be sent.
  if (line.length > LARGEST || name === '' || /[\0-\x08\x0a-\x1f\x7f]/.test(line)) return undefined;
  const attributes = attributesOf(rest);
  const secure = attributes.has('secure');
  if (secure && !from.secure) return undefined;
  const where = placeOf(attributes, from);
  if (!where || breaksPrefix(name, { ...where, secure }, attributes)) return undefined;
  return { ...where, name, secure, expires: expiryOf(attributes, now), pair: `${name}=${value}` };
}

function attributesOf(parts: readonly string[]): Map<string, string> {
  return new Map(
    parts.map((part) => {
      const equals = part.indexOf('=');
      const [name, value] =
        equals < 0 ? [part, ''] : [part.slice(0, equals), part.slice(equals + 1)];
      return [name.trim().toLowerCase(), value.trim()];
    }),
  );
}

/** The hosts and paths of a cookie; undefined if the server may not set it there. */
function placeOf(
  attributes: ReadonlyMap<string, string>,
  { host, path }: CookieTarget,
): Pick<Cookie, 'domain' | 'subdomains' | 'path'> | undefined {
  const asked = attributes.get('path') ?? '';
  const folder = asked.startsWith('/') ? asked : folderOf(path);
  const domain = (attributes.get('domain') ?? '').replace(/^\./, '').toLowerCase();
  if (domain === '' || (isAddress(host) && domain === host))
    return { domain: host, subdomains: false, path: folder };
  const isAbove = host === domain || host.endsWith(`.${domain}`);
  const site = siteOf(host);
  const isOwn = domain === site || domain.endsWith(`.${site}`);
  if (isAddress(host) || !isAbove || !isOwn) return undefined;
  return { domain, subdomains: true, path: folder };
}

/** The path up to its last slash, without it (RFC 6265, section 5.1.4). */
function folderOf(pathWithQuery: string): string {
  const path = pathWithQuery.split('?', 1)[0];
  return path.slice(0, path.lastIndexOf('/')) || '/';
}

function expiryOf(attributes: ReadonlyMap<string, string>, now: Millis): Millis {
  const age = attributes.get('max-age');
  if (age !== undefined && /^-?\d+$/.test(age)) return now + Number(age) * 1000;
  const date = Date.parse(attributes.get('expires') ?? '');
  return Number.isNaN(date) ? Number.POSITIVE_INFINITY : date;
}

/** `__Secure-` and `__Host-` promise how the cookie was set. */
function breaksPrefix(
  name: string,
  { secure, subdomains, path }: Pick<Cookie, 'secure' | 'subdomains' | 'path'>,
  attributes: ReadonlyMap<string, string>,
): boolean {
  if (/^__secure-/i.test(name)) return !secure;
  if (!/^__host-/i.test(name)) return false;
  return !secure || subdomains || path !== '/' || !attributes.has('path');
}
