/**
 * The answer of a name server as a record: `dns:example.org`, `text/dns` (RFC 2540).
 *
 *   20260314150926
 *   example.org.	300	IN	A	93.184.216.34
 *
 * The time of the question, then a line per address, as Heritrix writes it. It is a `resource`,
 * because WARC requires that for anything but an HTTP exchange.
 */
import { isIPv6 } from 'node:net';
import type { DnsAnswer } from '../../net/dns.ts';
import { timestamp14 } from './digest.ts';
import type { Resource } from './warc-record.ts';

export function dnsResource({ host, askedAt, server, records }: DnsAnswer): Resource {
  const name = host.endsWith('.') ? host : `${host}.`;
  const lines = records.map(
    ({ address, ttl }) => `${name}\t${ttl}\tIN\t${isIPv6(address) ? 'AAAA' : 'A'}\t${address}\n`,
  );
  return {
    uri: `dns:${host}`,
    date: askedAt,
    ip: server,
    contentType: 'text/dns',
    content: Buffer.from(`${timestamp14(askedAt)}\n${lines.join('')}`),
  };
}
