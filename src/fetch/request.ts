/**
 * A request as bytes, and where to send it.
 *
 * Requires  nothing: a URL or header that could not be sent as one request is refused with a TypeError, so that no page can
 *           smuggle a second request into a link.
 * Cost      one pattern over a canonical URL; the WHATWG parser only for the others.
 */
import type { Endpoint } from './connection.ts';
import type { FetchRequest } from './exchange.ts';
import type { Identity } from './identity.ts';

export interface Target {
  readonly endpoint: Endpoint;
  /** Value of the Host header. */
  readonly authority: string;
  /** Path and query. */
  readonly path: string;
}

/** What canonical URLs look like: no user, no fragment, everything odd already percent-encoded. */
const CANONICAL = /^http(s?):\/\/((?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::(\d+))?)(\/[!"$-~]*)$/;
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

export function targetOf(request: FetchRequest): Target {
  const match = CANONICAL.exec(request.url) ?? CANONICAL.exec(canonical(request.url));
  if (match === null) throw new TypeError(`${JSON.stringify(request.url)} is no URL that can be fetched`);
  const [, s, authority, port, path] = match;
  const secure = s === 's';
  const { address } = request;
  return {
    endpoint: {
      key: `${secure ? 's' : ''}${authority} ${address.ip}`,
      address,
      port: port === undefined ? (secure ? 443 : 80) : Number(port),
      secure,
      host: port === undefined ? authority : authority.slice(0, -port.length - 1),
    },
    authority,
    path,
  };
}

function canonical(text: string): string {
  const url = new URL(text);
  return `${url.protocol}//${url.host}${url.pathname}${url.search}`;
}

/** The header lines that are the same in every request, ready to be pasted. */
export function constantLines(identity: Identity, keepAlive: boolean): string {
  return [
    `User-Agent: ${identity.userAgent}`,
    ...(identity.from === undefined ? [] : [`From: ${identity.from}`]),
    'Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    'Accept-Encoding: gzip, deflate, br',
    `Connection: ${keepAlive ? 'keep-alive' : 'close'}`,
    '',
  ].join('\r\n');
}

export function requestBytes(request: FetchRequest, target: Target, constant: string): Buffer {
  let text = `${request.method ?? 'GET'} ${target.path} HTTP/1.1\r\nHost: ${target.authority}\r\n${constant}`;
  for (const [name, value] of request.headers ?? []) {
    if (!HEADER_NAME.test(name) || !HEADER_VALUE.test(value)) {
      throw new TypeError(`the header ${JSON.stringify(name)} cannot be sent as it is`);
    }
    text += `${name}: ${value}\r\n`;
  }
  return Buffer.from(`${text}\r\n`, 'latin1');
}
