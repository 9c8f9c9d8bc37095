/**
 * Cookies that the user supplies, from a file in the format that browsers and curl exchange
 * (`cookies.txt`, Netscape's).
 *
 * Each line has seven fields with tabs between them: domain, whether subdomains count, path,
 * whether only over TLS, expiry in seconds since 1970 (0 for none), name, value. `#HttpOnly_`
 * before a domain does not begin a comment. A cookie is sent where RFC 6265 (section 5.4) sends it,
 * until it expires. Cookies that servers set are ignored unless the user wants them (`CookieJar`):
 * without them a crawl does not depend on the order of its pages.
 */
import type { Millis } from '../base/units.ts';
import { badLine, linesOf, readSecretFile } from './secret-file.ts';

export interface Cookie {
  readonly domain: string;
  readonly subdomains: boolean;
  readonly path: string;
  readonly secure: boolean;
  readonly expires: Millis;
  readonly pair: string;
}

const FORM =
  'domain, TRUE or FALSE, path, TRUE or FALSE, expiry, name, value, with tabs between them';
const FLAG = /^(TRUE|FALSE)$/i;
/** What a Cookie header may contain between two semicolons. */
const SENDABLE = /^[\x20-\x3a\x3c-\x7e\x80-\uffff]*$/;

export async function readCookies(
  path: string,
  warn: (sentence: string) => void,
): Promise<CookieTable> {
  return parseCookies(await readSecretFile(path, warn), path);
}

/** Errors name the `file`. */
export function parseCookies(text: string, file: string): CookieTable {
  const lines = linesOf(text, (line) => line.startsWith('#') && !line.startsWith('#HttpOnly_'));
  return new CookieTable(lines.map(([line, number]) => cookieOf(line, file, number)));
}

function cookieOf(line: string, file: string, number: number): Cookie {
  const fields = line.replace(/^#HttpOnly_/, '').split('\t');
  const [domain, subdomains, path, secure, expiry, name, value = ''] = fields;
  const bad = (fact: string) => badLine(file, number, fact, FORM);
  if (fields.length < 6 || fields.length > 7)
    throw bad(`The line has ${fields.length} fields instead of 7.`);
  if (!/^\.?[a-z0-9_.-]+$|^\[[0-9a-f:.]+\]$/i.test(domain)) throw bad('The domain is not valid.');
  if (!FLAG.test(subdomains) || !FLAG.test(secure)) throw bad('Each flag must be TRUE or FALSE.');
  if (!path.startsWith('/')) throw bad('The path does not begin with /.');
  if (!/^-?\d+(\.\d+)?$/.test(expiry)) throw bad('The expiry is not a number.');
  if (!SENDABLE.test(name + value) || name.includes('='))
    throw bad('The name or the value contains characters that a header cannot hold.');
  return {
    domain: domain.replace(/^\./, '').toLowerCase(),
    subdomains: /^TRUE$/i.test(subdomains),
    path,
    secure: /^TRUE$/i.test(secure),
    expires: Number(expiry) === 0 ? Number.POSITIVE_INFINITY : Number(expiry) * 1000,
    // Heads are written as Latin-1, so each byte becomes one character.
    pair: Buffer.from(name === '' ? value : `${name}=${value}`).toString('latin1'),
  };
}

export class CookieTable {
  readonly #byDomain = new Map<string, Cookie[]>();

  constructor(cookies: readonly Cookie[]) {
    for (const cookie of cookies) {
      const same = this.#byDomain.get(cookie.domain);
      if (same === undefined) this.#byDomain.set(cookie.domain, [cookie]);
      else same.push(cookie);
    }
  }

  all(): Cookie[] {
    return [...this.#byDomain.values()].flat();
  }

  /** The value of the Cookie header of a request; undefined if no cookie matches. */
  headerFor(host: string, pathWithQuery: string, secure: boolean, now: Millis): string | undefined {
    return cookieHeader(this.matching(host, pathWithQuery, secure, now));
  }

  /** The cookies of a request. */
  matching(host: string, pathWithQuery: string, secure: boolean, now: Millis): Cookie[] {
    const path = pathWithQuery.split('?', 1)[0];
    return this.#ofHost(host).filter(
      (cookie) => (secure || !cookie.secure) && now < cookie.expires && isUnder(path, cookie.path),
    );
  }

  /** The cookies of the host itself, then those of domains above it that include subdomains. */
  #ofHost(host: string): Cookie[] {
    const found = [...(this.#byDomain.get(host) ?? [])];
    if (isAddress(host)) return found; // no domain above
    for (let dot = host.indexOf('.'); dot >= 0; dot = host.indexOf('.', dot + 1)) {
      found.push(
        ...(this.#byDomain.get(host.slice(dot + 1)) ?? []).filter(({ subdomains }) => subdomains),
      );
    }
    return found;
  }
}

/** The value of a Cookie header; undefined if there are no cookies. */
export function cookieHeader(cookies: readonly Cookie[]): string | undefined {
  // Longer paths go first (RFC 6265, section 5.4). The sort is stable, so the rest keep their
  // order.
  const sent = [...cookies].sort((a, b) => b.path.length - a.path.length);
  return sent.length === 0 ? undefined : sent.map(({ pair }) => pair).join('; ');
}

export const isAddress = (host: string): boolean => host.startsWith('[') || /^[\d.]+$/.test(host);

export function isUnder(path: string, folder: string): boolean {
  if (!path.startsWith(folder)) return false;
  return path.length === folder.length || folder.endsWith('/') || path[folder.length] === '/';
}
