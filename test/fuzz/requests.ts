/**
 * Requests by a grammar, well formed and not: methods, forms of targets, Host headers, sizes,
 * bodies, damage. Seeded, so that a failing request can be sent again.
 */
import { mutate, type Random } from './mutation.ts';

/** What a client sends on one connection, and how it leaves. */
export interface Conversation {
  /** Written one after the other, each in a packet of its own where the system allows. */
  readonly pieces: readonly Buffer[];
  readonly requests: number;
  /**
   * After the pieces: `wait` for answers, `half-close` and wait, `reset` the connection at once.
   */
  readonly leave: 'wait' | 'half-close' | 'reset';
}

/** Names and paths that the server knows. */
export interface Known {
  readonly hosts: readonly string[];
  readonly paths: readonly string[];
}

const METHODS = 'POST PUT OPTIONS CONNECT TRACE get PRI G\x00T M-SEARCH'.split(' ');
const VERSIONS = ['HTTP/1.0', 'HTTP/2.0', 'HTTP/0.9', 'HTTP/1.', 'http/1.1', '', 'HTTP/1.1 '];
const TARGETS = [
  ...[
    '/',
    '//',
    '///',
    '//x',
    '//@',
    '//[',
    '//%',
    '/\\',
    '\\\\',
    '*',
    '',
    '?',
    '#',
    ':',
    '/?',
    '/#',
  ],
  ...['http://', 'http:///', 'http://[', 'http://a:99999/', 'http://%00/', 'HTTP://localhost//'],
  ...['https://[::1', 'http://user:pw@localhost/', 'file:///etc/passwd', 'javascript:alert(1)'],
  ...['localhost:80', '127.0.0.1:0', '[::1]:443', 'a:b:c', '/..', '/../../etc/passwd', '/./.'],
  ...['/%', '/%0', '/%zz', '/%00', '/%2f', '/%ff%fe', '/%c0%ae', '/\xff', '/a b', '/a\tb', '/\x7f'],
  `/${'a'.repeat(9000)}`,
  `/${'../'.repeat(3000)}`,
  `/${'%25'.repeat(2000)}`,
  `//${'/'.repeat(8000)}`,
];
const HOSTS = [
  ...['localhost', '127.0.0.1', 'localhost:1', '127.0.0.1:65535', '[::1]:80', 'LOCALHOST'],
  ...['rebound.example', '', ' ', ':', ':80', '[', '[::1', 'a b', 'a,b', 'a/b', '\xff', '..', '.'],
  ...['127.0.0.1:', '127.0.0.1:x', 'localhost:99999999999', '0', '*', 'http://localhost', 'a\0b'],
  `${'a'.repeat(300)}.test`,
  `${'a.'.repeat(2000)}test`,
];
const HEADERS = [
  ...['Connection: close', 'Connection: keep-alive', 'Connection: upgrade', 'Upgrade: websocket'],
  ...['Expect: 100-continue', 'Expect: pigs', 'Content-Length: 0', 'Content-Length: 5'],
  ...['Content-Length: -1', 'Content-Length: 99999999999999999999', 'Content-Length: 1, 2'],
  ...['Transfer-Encoding: chunked', 'Transfer-Encoding: gzip', 'Transfer-Encoding: , chunked'],
  ...['If-None-Match: *', `If-None-Match: "${' '.repeat(9000)}"`, 'If-Modified-Since: never'],
  ...['Accept-Encoding: gzip, br', `Accept-Encoding: ${' ,'.repeat(4000)}gzip`, 'Range: bytes=-1'],
  ...[
    'no colon',
    ': no name',
    'X Space : yes',
    ' folded',
    'X-Odd: \xff\x01',
    'X: \0',
    'Host: twice',
  ],
  `X-Long: ${'x'.repeat(20_000)}`,
  Array.from({ length: 2100 }, (_, n) => `H${n}: 1`).join('\r\n'),
];
const BODIES = [
  '',
  '',
  '',
  'hello',
  '5\r\nhello\r\n0\r\n\r\n',
  'zz\r\n',
  '0\r\n\r\n',
  '\0'.repeat(64),
];
const ENDS = ['\n', '\r', '\r\n\r\n'];
const WORDS = [
  ...[' ', '\r\n', '\r\n\r\n', '\0', ':', '/', '//', '%', '?', '#', '*', '[', 'HTTP/1.1'],
  ...[
    'Host: ',
    'Content-Length: ',
    'Transfer-Encoding: chunked\r\n',
    '\x16\x03\x01',
    'PRI * HTTP/2.0',
  ],
].map((word) => Buffer.from(word, 'latin1'));

export function conversation(known: Known, random: Random): Conversation {
  const requests = random(4) === 0 ? 1 + random(5) : 1;
  const bytes = Buffer.concat(
    Array.from({ length: requests }, () => Buffer.from(request(known, random), 'latin1')),
  );
  const sent = random(3) === 0 ? mutate([bytes], WORDS, random) : bytes;
  return { pieces: split(sent, random), requests, leave: leaving(random) };
}

export function leaving(random: Random): Conversation['leave'] {
  return (['wait', 'wait', 'wait', 'wait', 'half-close', 'reset'] as const)[random(6)];
}

/** One write, a few, or (a short text) one for each byte. */
export function split(bytes: Buffer, random: Random): Buffer[] {
  if (random(3) > 0) return [bytes];
  if (bytes.length < 60 && random(4) === 0) return Array.from(bytes, (byte) => Buffer.from([byte]));
  const cuts = Array.from({ length: 1 + random(3) }, () => random(bytes.length + 1)).sort(
    (a, b) => a - b,
  );
  return [0, ...cuts].map((from, i) => bytes.subarray(from, cuts[i] ?? bytes.length));
}

/** Each part is good in most requests, so that the next part is read at all. */
function request({ hosts, paths }: Known, random: Random): string {
  const one = (good: readonly string[], bad: readonly string[]) =>
    pick(random(5) === 0 ? bad : good, random);
  const host = one(hosts, HOSTS);
  const path = pick(random(2) === 0 ? TARGETS : paths, random);
  const target = random(8) === 0 ? `http://${host}${path}` : path;
  const end = one(['\r\n'], ENDS);
  const lines = Array.from({ length: random(3) }, () => pick(HEADERS, random));
  if (random(16) > 0) lines.splice(random(lines.length + 1), 0, `Host: ${host}`);
  const first = `${one(['GET', 'HEAD'], METHODS)} ${target} ${one(['HTTP/1.1'], VERSIONS)}`;
  return `${[first, ...lines].join(end)}${end}${end}${one([''], BODIES)}`;
}

function pick<T>(from: readonly T[], random: Random): T {
  return from[random(from.length)];
}

/** A query for a name, or what an attacker makes of it. */
export function dnsPacket(names: readonly string[], random: Random): Buffer {
  const query = dnsQuery(random(65536), pick(names, random), pick([1, 28, 255, 16, 0], random));
  if (random(4) === 0) return query;
  if (random(8) === 0) return Buffer.from(Array.from({ length: random(700) }, () => random(256)));
  return mutate([query], [Buffer.from([0xc0, 12]), Buffer.from([63]), Buffer.alloc(1)], random);
}

export function dnsQuery(id: number, name: string, type: number): Buffer {
  const head = Buffer.from([id >> 8, id & 255, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0]);
  const labels = name.split('.').filter((label) => label !== '' && label.length < 64);
  const encoded = labels.map((label) =>
    Buffer.from(`${String.fromCharCode(label.length)}${label}`, 'latin1'),
  );
  return Buffer.concat([head, ...encoded, Buffer.from([0, type >> 8, type & 255, 0, 1])]);
}
