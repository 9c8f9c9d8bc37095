/**
 * A proxy for all requests, written as `http://user:password@host:port`.
 *
 * Pages over http are requested by their full URL. For https a tunnel is opened (CONNECT); its
 * content is as private as without a proxy. The proxy resolves names, so the guard can check only
 * the proxy's address, and addresses that are written in URLs.
 */
import { DrumlinError } from '../base/errors.ts';
import type { ResolvedAddress } from '../net/dns.ts';
import { DnsError, type NameResolver } from '../net/dns.ts';
import { basicAuthorization } from './credentials.ts';

export interface HttpProxy {
  readonly address: ResolvedAddress;
  readonly port: number;
  /** The value of the Proxy-Authorization header. */
  readonly authorization?: string;
}

const WRITTEN =
  /^http:\/\/(?:([^:@/]*)(?::([^@/]*))?@)?(\[[0-9a-f:.]+\]|[^\s:@/?#]+)(?::(\d{1,5}))?\/?$/i;

/** Resolves the proxy's name once. Errors never quote the text: it may contain a password. */
export async function proxyOf(text: string, resolver: NameResolver): Promise<HttpProxy> {
  const [, userPart = '', passwordPart = '', host, portPart = '80'] = WRITTEN.exec(text) ?? [];
  const [user, password, port] = [decoded(userPart), decoded(passwordPart), Number(portPart)];
  if (
    host === undefined ||
    user === undefined ||
    password === undefined ||
    port < 1 ||
    port > 65_535
  ) {
    throw new DrumlinError(
      'PROXY',
      'The proxy is not a URL of a supported kind.',
      'Write it like http://proxy.example.org:3128 or http://user:password@proxy.example.org:3128.',
    );
  }
  const address = await resolve(host.toLowerCase(), resolver);
  return user === ''
    ? { address, port }
    : { address, port, authorization: basicAuthorization({ user, password }) };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

async function resolve(name: string, resolver: NameResolver): Promise<ResolvedAddress> {
  try {
    return (await resolver.resolve(name))[0];
  } catch (error) {
    if (!(error instanceof DnsError)) throw error;
    throw new DrumlinError(
      'PROXY',
      `The proxy has no address: ${error.message}.`,
      'Write its address instead of its name.',
    );
  }
}
