/**
 * Who may use the console: the one who has its token, from the console's own page.
 *
 * Idea      The printed URL carries a random token. The page that it opens sets a cookie that
 *           scripts cannot read and that other sites cannot send. Programs send the token in a
 *           header. A request that names another origin, or comes from another site, is refused
 *           even with the cookie.
 * Ensures   Without the token nothing is answered but 403. Tokens are compared in constant time.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isForeign, type Reply, type RequestFacts } from '../net/loopback-server.ts';

const LEAST_TOKEN = 16;

export const newToken = (): string => randomBytes(18).toString('base64url');

/** Whether a token that the operator chose is long enough. */
export const isToken = (token: string): boolean =>
  token.length >= LEAST_TOKEN && /^[\w.~-]+$/.test(token);

export class Access {
  readonly #token: string;
  readonly #session = newToken();

  constructor(token: string) {
    this.#token = token;
  }

  /** Undefined if the request may be answered. */
  refusal(query: string, port: number, { method, headers }: RequestFacts): Reply | undefined {
    // A browser names the origin with every request that changes something.
    const needsOrigin = method !== 'GET' && method !== 'HEAD' && this.#hasCookie(headers, port);
    if (isForeign(headers) || (needsOrigin && headers.origin === undefined))
      return forbidden('This request comes from another site. Open the console itself.');
    if (this.#hasCookie(headers, port) || this.#hasHeader(headers) || this.opens(query))
      return undefined;
    return forbidden('The token is missing. Open the URL that the console printed.');
  }

  /** Whether the query carries the token: then the reply sets the cookie. */
  opens(query: string): boolean {
    return same(new URLSearchParams(query).get('token') ?? '', this.#token);
  }

  cookie(port: number): string {
    return `${cookieName(port)}=${this.#session}; HttpOnly; SameSite=Strict; Path=/`;
  }

  #hasCookie({ cookie = '' }: IncomingHttpHeaders, port: number): boolean {
    const start = `${cookieName(port)}=`;
    const pairs = cookie.split(/;\s*/).filter((pair) => pair.startsWith(start));
    return pairs.some((pair) => same(pair.slice(start.length), this.#session));
  }

  #hasHeader({ authorization = '' }: IncomingHttpHeaders): boolean {
    return authorization.startsWith('Bearer ') && same(authorization.slice(7), this.#token);
  }
}

/** Cookies ignore ports: consoles on one machine must not overwrite each other's. */
const cookieName = (port: number): string => `drumlin-${port}`;

function same(a: string, b: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(a), hash(b));
}

const forbidden = (text: string): Reply => ({ status: 403, text: `${text}\n` });
