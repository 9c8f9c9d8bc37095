/**
 * A request as bytes, and its destination.
 *
 * Requires  Nothing. A URL or header that cannot be sent as one request is refused with a
 *           TypeError, so that no page can smuggle a second request into a link.
 * Ensures   Passwords and cookies are in the bytes that are sent, and not in those that are
 *           archived.
 * Cost      One regular expression for a canonical URL; the WHATWG parser only for others.
 */
import type { Millis } from '../base/units.ts';
import type { Endpoint } from './connection.ts';
import type { CookieJar } from './cookie-jar.ts';
import type { CookieTable } from './cookies.ts';
import { basicAuthorization, type CredentialTable } from './credentials.ts';
import type { FetchRequest } from './exchange.ts';
import type { HostHeaders } from './host-headers.ts';
import type { Identity } from './identity.ts';
import type { HttpProxy } from './proxy.ts';

interface Target {
  readonly endpoint: Endpoint;
  /** The value of the Host header. */
  readonly authority: string;
  /** Path and query. */
  readonly path: string;
}

/** The form of canonical URLs: no user, no fragment, special characters percent-encoded. */
const CANONICAL = /^http(s?):\/\/((?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::(\d+))?)(\/[!"$-~]*)$/;
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

export function targetOf(request: FetchRequest, proxy?: HttpProxy): Target {
  const match = CANONICAL.exec(request.url) ?? CANONICAL.exec(canonical(request.url));
  if (match === null)
    throw new TypeError(`${JSON.stringify(request.url)} is not a URL that can be fetched`);
  const [, s, authority, portText, path] = match;
  const secure = s === 's';
  const port = portText === undefined ? (secure ? 443 : 80) : Number(portText);
  const host = portText === undefined ? authority : authority.slice(0, -portText.length - 1);
  const { address } = request;
  const endpoint =
    proxy === undefined
      ? { key: `${secure ? 's' : ''}${authority} ${address.ip}`, address, port, secure, host }
      : proxiedEndpoint(proxy, secure, host, port);
  return { endpoint, authority, path };
}

/** All connections to a proxy are interchangeable, but a tunnel leads to one origin. */
function proxiedEndpoint(proxy: HttpProxy, secure: boolean, host: string, port: number): Endpoint {
  const { address } = proxy;
  const way = { address, port: proxy.port, secure, host, proxied: true };
  if (!secure) return { ...way, key: 'proxy' };
  const authority = `${host}:${port}`;
  const authorization =
    proxy.authorization === undefined ? '' : `Proxy-Authorization: ${proxy.authorization}\r\n`;
  const connect = `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${authorization}\r\n`;
  return { ...way, key: `tunnel ${authority}`, tunnel: Buffer.from(connect, 'latin1') };
}

function canonical(text: string): string {
  const url = new URL(text);
  return `${url.protocol}//${url.host}${url.pathname}${url.search}`;
}

const ACCEPT = 'Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

/** The header lines that all requests share; those of the user, `Name: value`, come last. */
export function constantLines(
  identity: Identity,
  keepAlive: boolean,
  more: readonly string[] = [],
): string {
  const names = new Set(more.map((line) => line.slice(0, line.indexOf(':')).toLowerCase()));
  return [
    `User-Agent: ${identity.userAgent}`,
    ...(identity.from === undefined ? [] : [`From: ${identity.from}`]),
    ...(names.has('accept') ? [] : [ACCEPT]),
    'Accept-Encoding: gzip, deflate, br',
    `Connection: ${keepAlive ? 'keep-alive' : 'close'}`,
    ...more,
    '',
  ].join('\r\n');
}

/** Secrets that only some servers may receive. */
interface Secrets {
  readonly credentials?: CredentialTable;
  readonly cookies?: CookieTable;
  /** Has the cookies of the user, too. */
  readonly jar?: CookieJar;
  readonly hostHeaders?: HostHeaders;
  readonly proxy?: HttpProxy;
}

export interface RequestBytes {
  readonly sent: Buffer;
  /** The same bytes for the archive, with `[redacted]` in place of each secret. */
  readonly archived: Buffer;
}

const SECRET = /^(?:authorization|cookie|proxy-authorization)$/i;

export function requestBytes(
  request: FetchRequest,
  target: Target,
  constant: string,
  secrets: readonly (readonly [name: string, value: string])[],
): RequestBytes {
  const { method = 'GET', headers = [] } = request;
  const { endpoint, authority, path } = target;
  const wanted = endpoint.proxied && !endpoint.secure ? `http://${authority}${path}` : path;
  // A request that says what it accepts says it in place of all others.
  const shared = headers.some(([name]) => /^accept$/i.test(name))
    ? constant.replace(`${ACCEPT}\r\n`, '')
    : constant;
  let sent = `${method} ${wanted} HTTP/1.1\r\nHost: ${authority}\r\n${shared}`;
  let archived = sent;
  const all = secrets.length === 0 ? headers : [...secrets, ...headers];
  for (const [i, [name, value]] of all.entries()) {
    if (!HEADER_NAME.test(name) || !HEADER_VALUE.test(value)) {
      throw new TypeError(
        `the header ${JSON.stringify(name)} contains characters that cannot be sent`,
      );
    }
    sent += `${name}: ${value}\r\n`;
    archived += `${name}: ${i < secrets.length || SECRET.test(name) ? '[redacted]' : value}\r\n`;
  }
  const bytes = Buffer.from(`${sent}\r\n`, 'latin1');
  return {
    sent: bytes,
    archived: archived === sent ? bytes : Buffer.from(`${archived}\r\n`, 'latin1'),
  };
}

/** The secret headers of this request; a header of the caller takes precedence. */
export function secretHeaders(
  { credentials, cookies, jar, hostHeaders, proxy }: Secrets,
  { headers = [], isAnonymous = false }: FetchRequest,
  { endpoint, authority, path }: Target,
  now: Millis,
): [name: string, value: string][] {
  const { secure, host } = endpoint;
  const toProxy = secure ? undefined : proxy?.authorization;
  if (isAnonymous) return toProxy === undefined ? [] : [['Proxy-Authorization', toProxy]];
  const login = credentials?.get(`${secure ? 'https' : 'http'}://${authority}`);
  const cookie = jar
    ? jar.headerFor({ host, path, secure }, now)
    : cookies?.headerFor(host, path, secure, now);
  const given = hostHeaders?.headersFor(host, authority, secure) ?? [];
  const secrets: [string, string | undefined][] = [
    ['Authorization', login && basicAuthorization(login)],
    ['Cookie', cookie],
    ['Proxy-Authorization', toProxy],
  ];
  const own = new Set([...headers, ...given].map(([name]) => name.toLowerCase()));
  const ofCaller = new Set(headers.map(([name]) => name.toLowerCase()));
  const asked = given.filter(([name]) => !ofCaller.has(name.toLowerCase()));
  return [
    ...asked.map(([name, value]): [string, string] => [name, value]),
    ...withoutOwn(secrets, own),
  ];
}

/** Those that have a value, and are not given by others. */
function withoutOwn(
  secrets: readonly [string, string | undefined][],
  own: ReadonlySet<string>,
): [name: string, value: string][] {
  return secrets.flatMap(([name, value]) =>
    value === undefined || own.has(name.toLowerCase()) ? [] : [[name, value]],
  );
}
