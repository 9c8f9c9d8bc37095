/**
 * Parsers of foreign input: no input makes them throw anything but an error for the user, or take
 * more than linear time.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { headEnd, payloadOf } from '../../src/archive/warc/http-block.ts';
import { readWarc } from '../../src/archive/warc/warc-reader.ts';
import { BytesPool } from '../../src/base/bytes-pool.ts';
import { DrumlinError } from '../../src/base/errors.ts';
import { canonicalSeed } from '../../src/crawl/state/seeds.ts';
import { decodeTransportState } from '../../src/crawl/transport/transport-state.ts';
import { Disk } from '../../src/disk/disk.ts';
import { parseCookies } from '../../src/fetch/cookies.ts';
import { parseCredentials } from '../../src/fetch/credentials.ts';
import { readHead } from '../../src/fetch/response-head.ts';
import { ResponseParser } from '../../src/fetch/response-parser.ts';
import { typeFilter } from '../../src/filter/content-type.ts';
import { compileUrlPattern } from '../../src/filter/url-pattern.ts';
import { holdsNumbers, namedEdges, numberedEdges } from '../../src/graph/io/edge-list.ts';
import { readQuery, writeResponse } from '../../src/lab/server/dns-message.ts';
import { parseRequest } from '../../src/lab/server/request.ts';
import { parsePage } from '../../src/parse/page.ts';
import { parseDelays } from '../../src/politeness/delays.ts';
import { retryAfter } from '../../src/politeness/retries-and-pauses.ts';
import { parseBudget } from '../../src/reputation/budget/budget-policy.ts';
import { parseOverrides } from '../../src/reputation/budget/overrides.ts';
import { groupFor } from '../../src/robots/explain.ts';
import { parseRobots, rulesFromBytes } from '../../src/robots/parse-robots.ts';
import { canonicalise } from '../../src/url/canonical.ts';
import { payLevelDomain } from '../../src/url/domain.ts';
import { fingerprint } from '../../src/url/fingerprint.ts';
import { Resolver } from '../../src/url/resolve.ts';
import { mutate, randomFrom } from './mutation.ts';

interface Parser {
  readonly name: string;
  readonly examples: readonly string[];
  readonly words: readonly string[];
  /** Pieces to repeat without end. */
  readonly endless: readonly string[];
  parse(bytes: Buffer): void | Promise<void>;
}

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'drumlin-fuzz-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const LIMITS = { maxHeadBytes: 65_536, maxBodyBytes: 10 * 2 ** 20, maxWireBytes: 20 * 2 ** 20 };
const text = (bytes: Buffer) => bytes.toString('latin1');
const utf8 = (bytes: Buffer) => bytes.toString('utf8');

const PARSERS: Parser[] = [
  {
    name: 'HTML',
    examples: [
      '<!doctype html><html><head><base href="/x/"><meta charset=utf-8><title>t</title></head><body><a href="a?b=c&amp;d#e" rel=nofollow>x</a><img srcset="a 1x, b 2x"><svg><a xlink:href="/s"/></svg><script>"</scr"</script><!-- c --></body>',
      '<frameset><frame src=f></frameset><noscript><a href=n></noscript><textarea><a href=t></textarea>&#x26;&notin;&#9999999;',
      '<meta http-equiv="refresh" content="5; url=/next"><meta name=robots content="noindex, nofollow"><link rel=canonical href="//c/">',
    ],
    words: [
      '<a href=',
      '<!--',
      '-->',
      '<![CDATA[',
      ']]>',
      '<script',
      '</script',
      '<svg>',
      '<math>',
      '&amp',
      '&#',
      '"',
      "'",
      '=',
      '<base href=',
      'srcset="',
      '<template>',
      '\ufeff',
    ],
    endless: [
      '<a href=',
      '<a ',
      '<',
      '<!--',
      '<![CDATA[',
      '&',
      '&#',
      '&#x',
      '<svg>',
      '<a a',
      'a="',
      '<div><p>',
      '</a',
      '<script>',
      '<a href="',
      ' x=y',
      '<img srcset="a 1x,',
      ',',
      '<meta charset=x>',
      '<base href=/>',
    ],
    parse: (bytes) =>
      void parsePage(bytes, {
        url: 'http://a.test/b/c?d',
        contentType: undefined,
        robotsHeaders: [utf8(bytes.subarray(0, 60))],
      }),
  },
  {
    name: 'robots.txt',
    examples: [
      'User-agent: *\nDisallow: /a*b$\nAllow: /c\nCrawl-delay: 1.5\n\nUser-agent: drumlin\r\nUser-agent: x\rDisallow:\nSitemap: http://a/b.xml # c\n',
      '\ufeffuser-agent : drumlin/1.0\ndisallow: /%2f%zz*\u00e9',
    ],
    words: [
      'User-agent:',
      'Disallow:',
      'Allow:',
      '*',
      '$',
      '%',
      '%2F',
      '#',
      '\r',
      '\n',
      '\0',
      'drumlin',
    ],
    endless: [
      '*',
      'User-agent: drumlin\n',
      'Disallow: /*a',
      'a*',
      '%',
      '%2',
      '\r',
      'User-agent: a\n',
      `Disallow: /${'*a'.repeat(50)}\n`,
      ':',
      '#',
      'Crawl-delay: 9',
    ],
    parse(bytes) {
      const rules = parseRobots(bytes, 'drumlin');
      const path = `/${'a'.repeat(200)}?${text(bytes.subarray(0, 100)).replace(/[^!-~]/g, '')}`;
      rules.verdict(path);
      groupFor(bytes, 'drumlin');
      const stored = rules.toBytes();
      if (stored)
        expect(rulesFromBytes(stored).verdict(path).allowed).toBe(rules.verdict(path).allowed);
    },
  },
  {
    name: 'URL',
    examples: [
      'http://user:p@www.example.co.uk:80/a/../b;c?d=e&f=%41#g',
      '../x/./y?z',
      '//[::1]:8080/',
      'http://xn--bcher-kva.example/%E4%B8%AD',
      'http://0x7f.1/',
      'javascript:alert(1)',
    ],
    words: [
      '//',
      '..',
      '%',
      '%2e',
      '@',
      ':',
      '[',
      ']',
      '?',
      '#',
      '\\',
      '\t',
      '\u3002',
      'xn--',
      '0x',
      '\ud800',
    ],
    endless: [
      '../',
      './',
      '%2e%2e/',
      'a.',
      'xn--a.',
      '%',
      '&',
      '=',
      '@',
      ':',
      '//',
      '\\',
      '?a=b&',
      '#',
      '\u3002',
      '0x',
      '[',
      'b/',
    ],
    parse(bytes) {
      const resolver = new Resolver('http://a.test/b/c?d');
      for (const reference of [text(bytes), utf8(bytes)]) {
        resolver.resolve(reference);
        const url = canonicalise(reference, { base: 'http://a.test/b/' });
        if (url === undefined) continue;
        expect(canonicalise(url)).toBe(url);
        fingerprint(url);
        payLevelDomain(new URL(url).hostname);
      }
    },
  },
  {
    name: 'HTTP response',
    examples: [
      'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5\r\n\r\nhello',
      'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n0\r\nT: r\r\n\r\n',
      'HTTP/1.0 302\nLocation: /x\nSet-Cookie: a=b\n\n',
    ],
    words: [
      '\r\n',
      '\n',
      '\r\n\r\n',
      'Content-Length: ',
      'Transfer-Encoding: chunked',
      '0\r\n\r\n',
      'ffffffffffffffff\r\n',
      ': ',
      'HTTP/1.1 ',
      '\0',
    ],
    endless: [
      'HTTP/1.1 100 Continue\r\n\r\n',
      'a: b\r\n',
      '\r\n',
      '0',
      'f',
      '1\r\na\r\n',
      ';',
      ' ',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n',
      ': ',
    ],
    parse(bytes) {
      for (const step of [bytes.length, 1 + (bytes.length >> 4)]) {
        const parser = new ResponseParser('GET', LIMITS, new BytesPool());
        for (let at = 0, over = false; at < bytes.length && !over; at += step) {
          const piece = bytes.subarray(at, at + step);
          over = parser.push(piece, piece.length);
        }
        parser.end();
        expect(parser.failure !== undefined || parser.response !== undefined).toBe(true);
      }
    },
  },
  {
    name: 'HTTP block of an archive',
    examples: [
      'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked',
      'HTTP/1.0 302\nLocation: /x\nTransfer-Encoding: chunked\n\n5;x=y\r\nhello\r\n0\r\n\r\n',
    ],
    words: ['\r\n', '\n', '\r', '\r\n\r\n', 'Transfer-Encoding: ', ': ', 'HTTP/1.1 ', ' ', '\0'],
    endless: ['a: b\r\n', '\r\n', ' ', '\r', ',', ', ', 'a\r', '1\r\na\r\n', '\r\n '],
    parse(block) {
      const end = headEnd(block);
      readHead(end < 0 ? block : block.subarray(0, end));
      expect(payloadOf(block).length).toBeLessThanOrEqual(block.length);
    },
  },
  {
    name: 'WARC',
    examples: [
      'WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:x>\r\nContent-Length: 4\r\n\r\nHTTP\r\n\r\n',
      gzipSync('WARC/1.0\r\nWARC-Type: request\r\nContent-Length: 0\r\n\r\n\r\n\r\n').toString(
        'latin1',
      ),
    ],
    words: [
      'WARC/1.1\r\n',
      'Content-Length: ',
      '\r\n\r\n',
      '\x1f\x8b\x08\0',
      '99999999999999999999',
    ],
    endless: [
      'WARC/1.1\r\n',
      'a: b\r\n',
      '\r\n',
      '\x1f\x8b',
      '\x1f\x8b\x08\0\0\0\0\0\0\x03',
      'WARC/1.1\r\nContent-Length: 0\r\n\r\n\r\n\r\n',
      ' ',
    ],
    async parse(bytes) {
      const path = join(folder, 'fuzz.warc');
      writeFileSync(path, bytes);
      const reader = readWarc(path, { maxRecordBytes: 2 ** 20 });
      for await (const _ of reader);
      expect(reader.wholeLength).toBeLessThanOrEqual(bytes.length);
    },
  },
  {
    name: 'DNS query',
    examples: ['\x12\x34\x01\0\0\x01\0\0\0\0\0\0\x03www\x07example\x04test\0\0\x01\0\x01'],
    words: ['\xc0\x0c', '\x3f', '\0', '\xff'],
    endless: ['\xc0\x0c', '\x01a', '\0', `\x3f${'a'.repeat(63)}`],
    parse(bytes) {
      const query = readQuery(bytes);
      if (query) writeResponse(query, 0, { address: '127.0.0.1', seconds: 1 });
    },
  },
  {
    name: 'HTTP request to the lab',
    examples: ['GET /a?b HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n'],
    words: ['\r\n', 'Host: ', 'GET ', ' HTTP/1.1', ':'],
    endless: ['a: b\r\n', ' ', '\r\n', 'Host: x\r\n', ':'],
    parse: (bytes) => void parseRequest(text(bytes)),
  },
  {
    name: 'cookies.txt',
    examples: [
      '# Netscape HTTP Cookie File\n.example.org\tTRUE\t/\tFALSE\t0\tname\tvalue\n#HttpOnly_a.test\tFALSE\t/x\tTRUE\t99999999999\ta\tb\n',
    ],
    words: ['\t', '\n', 'TRUE', '#HttpOnly_', '.'],
    endless: ['\t', '\n', 'a.test\tTRUE\t/\tFALSE\t0\ta\tb\n', '.', '#'],
    parse: (bytes) =>
      void parseCookies(utf8(bytes), 'cookies.txt').headerFor('www.example.org', '/x/y', true, 0),
  },
  {
    name: 'passwords',
    examples: ['# ours\nexample.org user pass word\na.test\tme\tsecret\n'],
    words: [' ', '\t', '\n', '#', ':', '*'],
    endless: [' ', 'a b c\n', '\t', '#'],
    parse: (bytes) => void parseCredentials(utf8(bytes), 'passwords'),
  },
  {
    name: 'delays',
    examples: ['host example.org 10s\nhost .example.org 1m\naddress 192.0.2.1 2s\n# x\n'],
    words: ['host ', 'address ', '10s', '.', '\n', '::1'],
    endless: [' ', 'host a.test 1s\n', '.', '9', '#'],
    parse: (bytes) => void parseDelays(utf8(bytes), 'delays'),
  },
  {
    name: 'pattern of URLs',
    examples: ['https://example.org/docs/*', '*.zip', '*/a/*/b/*', 'http://?/**'],
    words: ['*', '?', '**', '/', '[', '\\'],
    endless: ['*', '*a', '?', '**/', 'a*b'],
    parse(bytes) {
      const pattern = text(bytes).slice(0, 2000).replace(/^\//, '*');
      compileUrlPattern(pattern)(`http://a.test/${'ab'.repeat(200)}`);
    },
  },
  {
    name: 'seed',
    examples: ['http://example.org/', 'example.org', 'https://a:b@c/d'],
    words: ['://', 'http', ' ', '#'],
    endless: ['http://', 'a', '/', '%', '.'],
    parse: (bytes) => void canonicalSeed(utf8(bytes)),
  },
  {
    name: 'header values',
    examples: [
      'text/html; charset=utf-8',
      'Wed, 21 Oct 2015 07:28:00 GMT',
      '120',
      'application/xhtml+xml;q="a;b"',
    ],
    words: [';', '"', 'charset=', '/', ',', '9'],
    endless: [';', '"', '9', '/', 'a/', 'charset=', ' '],
    parse(bytes) {
      retryAfter(text(bytes), 0);
      typeFilter(['text/*', 'application/pdf'])(text(bytes));
    },
  },
  {
    name: 'policy of budgets',
    examples: [
      'irlbot(top=1%, least=10, most=10000)',
      'max(irlbot, equal(50)) * boost(.edu=4, .gov=4)',
      'rank <= 1000 ? 5000 : -log(score + 1) ^ 2 / min(in, 7)',
    ],
    words: ['(', ')', '?', ':', '^', '-', '==', 'rank', 'irlbot', '=', '%', '.', '1e9', ','],
    endless: [
      '(',
      '-',
      '1+',
      '1?',
      '1?1:',
      '^1',
      'max(',
      'rank',
      '1',
      '.',
      ' ',
      'boost(.a=1,',
      ')',
    ],
    parse(bytes) {
      const policy = parseBudget(text(bytes));
      const view = {
        rank: 3,
        score: 0.5,
        inDegree: 7,
        supporters: 9,
        cash: 1,
        spam: 0.25,
        domains: 100,
        mean: 2,
      };
      const budget = policy.budget({ name: 'example.org', ...view });
      expect(Number.isInteger(budget) && budget >= 0).toBe(true);
      expect(String(parseBudget(String(policy)))).toBe(String(policy));
    },
  },
  {
    name: 'decisions of an operator',
    examples: ['# ours\nexample.org budget 5000\nspam.test\tblock\nb\u00fccher.example trust\n'],
    words: [' ', '\t', '\n', 'block', 'trust', 'budget', '#', '.', '[::1]'],
    endless: ['a.test block\n', ' ', '\n', '.', '#', 'a.'],
    parse: (bytes) => void parseOverrides(utf8(bytes), 'budgets.txt'),
  },
  {
    name: 'list of edges',
    examples: [
      '# arcs\n0 1\n1\t2\r\n 2 0 \n',
      'a.test b.test\nb.test\tc.test\n',
      gzipSync('0 1\n1 2\n').toString('latin1'),
    ],
    words: [' ', '\t', '\n', '\r\n', '#', '4294967295', '99999999999', '-1', '\0'],
    endless: ['0 1\n', 'a b\n', '0 ', '9', '\n', '#', 'a', ' '],
    async parse(bytes) {
      const path = join(folder, bytes[0] === 0x1f ? 'edges.txt.gz' : 'edges.txt');
      writeFileSync(path, bytes);
      const disk = new Disk();
      for await (const _ of namedEdges(disk, [path]));
      if (await holdsNumbers(disk, [path])) for await (const _ of numberedEdges(disk, [path]));
    },
  },
  {
    name: 'state of a transport',
    examples: ['DRML\x01trs\0\0\0\0\x02\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0'],
    words: ['\xff\xff\xff\xff', '\0\0\0\0', 'DRML\x01trs'],
    endless: ['\0', '\xff', 'DRML\x01trs'],
    parse: (bytes) => void decodeTransportState(bytes, 'front.1'),
  },
];

const ROUNDS = 1500;
const WITH_FILES = new Set(['WARC', 'list of edges']);
/** Long enough that quadratic time shows: a minute and more, instead of some milliseconds. */
const ENDLESS_BYTES = 512 * 1024;
const MOST_SECONDS = 2;

/** An error for the user is a valid answer; any other is a bug. */
async function parsed({ parse }: Parser, bytes: Buffer): Promise<void> {
  try {
    await parse(bytes);
  } catch (error) {
    if (error instanceof DrumlinError) return;
    throw new Error(`${JSON.stringify(text(bytes.subarray(0, 500)))}: ${error}`, { cause: error });
  }
}

describe.each(PARSERS)('$name', (parser) => {
  const examples = parser.examples.map((example) => Buffer.from(example, 'latin1'));
  const words = parser.words.map((word) => Buffer.from(word, 'utf8'));

  test('damaged in any way is read or refused', async () => {
    const random = randomFrom(parser.name.length);
    for (let round = 0; round < (WITH_FILES.has(parser.name) ? ROUNDS / 5 : ROUNDS); round++) {
      await parsed(parser, mutate(examples, words, random));
    }
  });

  test.each(parser.endless)('that repeats %j without end takes linear time', async (unit) => {
    const piece = Buffer.from(unit, 'latin1');
    for (const start of ['', parser.examples[0]]) {
      const bytes = Buffer.concat([
        Buffer.from(start, 'latin1'),
        Buffer.alloc(ENDLESS_BYTES - (ENDLESS_BYTES % piece.length), piece),
      ]);
      const before = process.cpuUsage();
      await parsed(parser, bytes);
      const { user, system } = process.cpuUsage(before);
      expect((user + system) / 1e6).toBeLessThan(MOST_SECONDS);
    }
  });
});
