/**
 * A web that is wider than any crawl: a given number of hosts, each with endless pages. Every page
 * links to pages of other hosts that hardly any other page links to. A crawl of it discovers as
 * many URLs per page fetched as a page has links.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startDns } from '../../src/lab/server/dns-server.ts';

const [hosts, links] = process.argv.slice(2).map(Number);

/** A host in a domain of its own; the name contains its number. */
const hostName = (n: number) => `w${n % hosts}.d${n % hosts}.test`;

const server = createServer((request, response) => {
  if (request.url === '/robots.txt') return response.writeHead(404).end();
  response.setHeader('content-type', 'text/html');
  let h = mixed(0, `${request.headers.host}${request.url}`);
  let body = '<!doctype html><title>wide</title>';
  for (let i = 0; i < links; i++) {
    h = mixed(h, String(i));
    body += `<a href="http://${hostName(h)}:${port}/${h.toString(36)}/${i}">${i}</a>\n`;
  }
  return response.end(body);
});

/** 32 bits from a number and a text (FNV-1a with a finalizer). */
function mixed(from: number, text: string): number {
  let h = from ^ 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  return (h ^ (h >>> 13)) >>> 0;
}

await new Promise<void>((listening) => server.listen(0, '0.0.0.0', listening));
const { port } = server.address() as AddressInfo;
// An address for each host, as far as 127.0.0.0/8 has them, so that no host waits for another.
const dns = await startDns(0, (name) => {
  const n = Number(/^w(\d+)\./.exec(name)?.[1] ?? 0);
  const address = `127.${1 + ((n >> 16) & 127)}.${(n >> 8) & 255}.${1 + (n & 253)}`;
  return { rcode: 0, address, seconds: 3600 };
});
const seeds = Array.from(
  { length: 64 },
  (_, i) => `http://${hostName(mixed(7, String(i)))}:${port}/`,
);
console.log(JSON.stringify({ dns: `127.0.0.1:${dns.port}`, httpPort: port, https: 0, seeds }));
