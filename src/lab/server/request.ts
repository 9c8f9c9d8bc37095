/**
 * The part of HTTP that a server of synthetic pages must read: request line, Host, a few headers.
 *
 * Requires  text of whole header lines, one character a byte, without the empty line that ends
 *           them.
 * Ensures   a request, or the status with which to refuse it; never throws.
 */
import type { Visitor } from '../tricks/manner.ts';

export interface Request {
  readonly method: string;
  /** Host name without port, lower case. */
  readonly host: string;
  /** Path and query, beginning with a slash. */
  readonly target: string;
  readonly keepAlive: boolean;
  /** All lines as received. */
  readonly head: string;
  /** The same in lower case, for looking up names. */
  readonly lower: string;
}

export const MAX_HEAD = 16 * 1024;
/** Characters that no target may contain: control characters and the space. */
const UNWRITABLE = /[\x00-\x20\x7f]/;

export function parseRequest(head: string): Request | number {
  const lineEnd = head.indexOf('\r\n');
  const line = lineEnd < 0 ? head : head.slice(0, lineEnd);
  const methodEnd = line.indexOf(' ');
  const targetEnd = line.lastIndexOf(' ');
  if (methodEnd <= 0 || targetEnd <= methodEnd) return 400;
  const version = line.slice(targetEnd + 1);
  if (version !== 'HTTP/1.1' && version !== 'HTTP/1.0') return 400;
  let target = line.slice(methodEnd + 1, targetEnd);
  if (UNWRITABLE.test(target)) return 400;
  const lower = head.toLowerCase();
  let host = headerOf({ head, lower }, 'host');
  if (target.charCodeAt(0) !== 47) {
    const absolute = /^https?:\/\/([^/?#]+)(\/[^#]*)?$/i.exec(target);
    if (!absolute) return 400;
    host = absolute[1];
    target = absolute[2] ?? '/';
  }
  if (host === undefined) return 400;
  const fragment = target.indexOf('#');
  if (fragment >= 0) target = target.slice(0, fragment);
  const connection = headerOf({ head, lower }, 'connection')?.toLowerCase();
  return {
    method: line.slice(0, methodEnd),
    host: hostNameOf(host),
    target,
    keepAlive: version === 'HTTP/1.1' ? connection !== 'close' : connection === 'keep-alive',
    head,
    lower,
  };
}

/** Cloaked sites take a client for a browser if it claims to be one, and nothing else. */
export function visitorOf(request: Pick<Request, 'head' | 'lower'>): Visitor {
  const agent = headerOf(request, 'user-agent')?.toLowerCase() ?? '';
  return agent.startsWith('mozilla/') && !/bot|crawl|spider|compatible|https?:/.test(agent)
    ? 'browser'
    : 'crawler';
}

/** A header's value without surrounding space, the first if there are several. */
export function headerOf(
  request: Pick<Request, 'head' | 'lower'>,
  name: string,
): string | undefined {
  const at = request.lower.indexOf(`\r\n${name}:`);
  if (at < 0) return undefined;
  const start = at + name.length + 3;
  const end = request.head.indexOf('\r\n', start);
  return (end < 0 ? request.head.slice(start) : request.head.slice(start, end)).trim();
}

function hostNameOf(host: string): string {
  const colon = host.indexOf(':');
  const name = colon < 0 ? host : host.slice(0, colon);
  return (name.endsWith('.') ? name.slice(0, -1) : name).toLowerCase();
}
