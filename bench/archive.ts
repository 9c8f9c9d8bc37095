/**
 * What storing a page costs: `npm run bench -- archive [--pages N] [--rounds N]`.
 *
 * CPU time of the whole process, all threads, per page of 25 KB. The ways take turns in every
 * round, so that other work on the machine affects all of them. Four questions: what does our
 * writer cost beside npm warcio's, by compression and level, and reading it again; which way of
 * compressing is cheapest, also for the pages of the lab, which repeat themselves less; what do
 * digests cost; and what does the rest cost.
 */
import { createHash, hash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { constants, createGzip, gzip, gzipSync } from 'node:zlib';
import { WARCRecord, WARCSerializer } from 'warcio';
import type { CompressionOptions } from '../src/archive/compress/compression.ts';
import { type GzipLevel, gzipMember, storedMember } from '../src/archive/compress/gzip.ts';
import { loadZstd, type Zstd, type ZstdLevel } from '../src/archive/compress/zstd.ts';
import { surt } from '../src/archive/index/surt.ts';
import { StoredPayloads } from '../src/archive/payloads/stored-payloads.ts';
import { verifyDigests } from '../src/archive/tools/verify.ts';
import { digest } from '../src/archive/warc/digest.ts';
import { readWarc } from '../src/archive/warc/warc-reader.ts';
import { RecordAssembler, requestFields, responseFields } from '../src/archive/warc/warc-record.ts';
import { WarcWriter } from '../src/archive/write/warc-writer.ts';
import { Disk } from '../src/disk/disk.ts';
import type { Exchange } from '../src/fetch/exchange.ts';
import { makePage } from '../src/lab/page.ts';
import { NO_PORTS, webOf } from '../src/lab/server/lab.ts';

const PAGE_BYTES = 25_000;
const LINKS = 59;

/** Stores all pages its own way and returns how many bytes came out. */
interface Way {
  readonly name: string;
  run(pages: readonly Exchange[]): Promise<number>;
}

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      pages: { type: 'string', default: '300' },
      rounds: { type: 'string', default: '7' },
    },
  });
  const pages = makePages(Number(values.pages));
  const rounds = Number(values.rounds);
  const dir = await mkdtemp(join(tmpdir(), 'drumlin-bench-'));
  try {
    await compare('Storing a page with its request', writers(dir), pages, rounds);
    await compare('Reading a page with its request', await readers(dir, pages), pages, rounds);
    const zstd = await loadZstd();
    await compare('Compressing one page', compressors(zstd), pages, rounds);
    const labPages = pagesOfTheLab(Number(values.pages));
    await compare('Compressing one page of the lab', fastCompressors(zstd), labPages, rounds);
    await compare('SHA-1 of a page', digesters(), pages, rounds);
    await compare('The rest of storing a page', rest(), pages, rounds);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

async function compare(
  title: string,
  ways: Way[],
  pages: readonly Exchange[],
  rounds: number,
): Promise<void> {
  const costs = ways.map(() => [] as number[]);
  const sizes = ways.map(() => 0);
  for (let round = -1; round < rounds; round++) {
    for (const [i, way] of ways.entries()) {
      const before = process.cpuUsage();
      const bytes = await way.run(pages);
      const { user, system } = process.cpuUsage(before);
      if (round < 0) continue; // warm-up
      costs[i].push((user + system) / pages.length);
      sizes[i] = bytes / pages.length;
    }
  }
  const mean = pages.reduce((sum, { payload }) => sum + payload.length, 0) / pages.length;
  console.log(`\n${title} (${pages.length} pages of ${mean.toFixed(0)} bytes, ${rounds} rounds)`);
  console.log(`${''.padEnd(44)}  min µs  median    mean ± sd    bytes`);
  for (const [i, way] of ways.entries()) {
    const sorted = costs[i].toSorted((a, b) => a - b);
    const mean = sorted.reduce((sum, c) => sum + c, 0) / rounds;
    const sd = Math.sqrt(sorted.reduce((sum, c) => sum + (c - mean) ** 2, 0) / rounds);
    const figures = [sorted[0], sorted[rounds >> 1], mean].map((figure) =>
      figure.toFixed(0).padStart(8),
    );
    console.log(
      `${way.name.padEnd(44)}${figures.join('')} ± ${sd.toFixed(0).padEnd(5)}${sizes[i].toFixed(0).padStart(8)}`,
    );
  }
}

function writers(dir: string): Way[] {
  let count = 0;
  const ours = (name: string, options: CompressionOptions): Way => ({
    name: `drumlin, ${name}`,
    async run(pages) {
      const folder = join(dir, String(count++));
      const writer = await WarcWriter.open(folder, { info: { software: 'bench' }, ...options });
      for (const page of pages) await writer.write(page);
      await writer.close();
      return folderBytes(folder);
    },
  });
  /** Stores it like a crawl. */
  const inCrawl = (name: string, compares: boolean, metadata = false): Way => ({
    name: `drumlin, gzip 1, ${name}`,
    async run(pages) {
      const folder = join(dir, String(count++));
      const indexDir = join(folder, 'parts');
      const disk = new Disk();
      const payloads = compares
        ? await StoredPayloads.open({ disk, folder: indexDir, files: [], memory: 16 * 2 ** 20 })
        : undefined;
      const writer = await WarcWriter.open(folder, {
        ...{ info: { software: 'bench' }, gzipLevel: 1, indexDir, payloads, metadata, disk },
      });
      for (const page of pages) await writer.write(page, undefined, { hopsFromSeed: 3 });
      await writer.close();
      return (await folderBytes(folder)) + (await folderBytes(indexDir));
    },
  });
  const gzip = (gzipLevel: GzipLevel) => ours(`gzip ${gzipLevel}`, { gzipLevel });
  const zstd = (zstdLevel: ZstdLevel) => ours(`zstd ${zstdLevel}`, { compress: 'zstd', zstdLevel });
  return [
    gzip(1),
    inCrawl('index', false),
    inCrawl('index, duplicates', true),
    inCrawl('index, duplicates, metadata', true, true),
    ...([3, 6, 9] as const).map(gzip),
    ...[1, 2, 3, 6, 9].map(zstd),
    gzip(0),
    ours('none', { compress: 'none' }),
    warcio(dir, false),
    warcio(dir, true),
  ];
}

/** Reads every record of a file, with its digests, by how it was compressed. */
async function readers(dir: string, pages: readonly Exchange[]): Promise<Way[]> {
  const ways: Way[] = [];
  for (const compress of ['gzip', 'zstd', 'none'] as const) {
    const folder = await mkdtemp(join(dir, 'read-'));
    const writer = await WarcWriter.open(folder, { info: { software: 'bench' }, compress });
    for (const page of pages) await writer.write(page);
    await writer.close();
    const [name] = await readdir(folder);
    ways.push({
      name: compress,
      async run() {
        for await (const record of readWarc(join(folder, name))) verifyDigests(record);
        return folderBytes(folder);
      },
    });
  }
  return ways;
}

/**
 * Its two ways to compress: the platform's CompressionStream, or pako in JavaScript. Both at level
 * 6.
 */
function warcio(dir: string, preferPako: boolean): Way {
  return {
    name: `warcio, ${preferPako ? 'pako' : 'CompressionStream'}`,
    async run(pages) {
      const folder = await mkdtemp(join(dir, 'warcio-'));
      const out = createWriteStream(join(folder, 'x.warc.gz'));
      for (const page of pages) {
        for (const record of warcioRecords(page)) out.write(await warcioBytes(record, preferPako));
      }
      await new Promise((resolve) => out.end(resolve));
      return folderBytes(folder);
    },
  };
}

function warcioRecords(page: Exchange): WARCRecord[] {
  const common = {
    url: page.url,
    date: new Date(page.startedAt).toISOString(),
    warcVersion: 'WARC/1.1' as const,
  };
  const httpHeaders = {
    'Content-Type': 'text/html; charset=utf-8',
    Date: 'Sat, 14 Mar 2026 15:09:26 GMT',
  };
  const response = WARCRecord.create({ ...common, type: 'response', httpHeaders }, [page.payload]);
  const warcHeaders = { 'WARC-Concurrent-To': response.warcHeader('WARC-Record-ID') ?? '' };
  const request = WARCRecord.create({
    ...common,
    type: 'request',
    warcHeaders,
    httpHeaders: { Host: 'a.test', 'User-Agent': 'bench' },
    statusline: 'GET / HTTP/1.1',
  });
  return [response, request];
}

function warcioBytes(record: WARCRecord, preferPako: boolean): Promise<Uint8Array> {
  return WARCSerializer.serialize(record, {
    gzip: true,
    preferPako,
    digest: { algo: 'sha-1', prefix: 'sha1:', base32: true },
  });
}

async function folderBytes(folder: string): Promise<number> {
  let bytes = 0;
  for (const file of await readdir(folder)) {
    const found = await stat(join(folder, file));
    if (found.isFile()) bytes += found.size;
  }
  return bytes;
}

function eachOf(name: string, make: (page: Uint8Array) => Uint8Array | Promise<Uint8Array>): Way {
  return {
    name,
    async run(pages) {
      let bytes = 0;
      for (const page of pages) bytes += (await make(page.payload)).length;
      return bytes;
    },
  };
}

/** Includes the copy that a caller makes of the member. */
const OURS = eachOf('ours, level 1', (page) =>
  gzipMember(page, 1, (member) => Buffer.from(member)),
);
const byZlib = (level: number) =>
  eachOf(`gzipSync, level ${level}`, (page) => gzipSync(page, { level }));

const byZstd = (zstd: Zstd) => (level: ZstdLevel) =>
  eachOf(`zstd, level ${level}`, (page) => zstd.frame(page, level));

function fastCompressors(zstd: Zstd): Way[] {
  return [OURS, byZlib(1), byZlib(3), byZlib(6), ...[1, 3, 6].map(byZstd(zstd))];
}

function compressors(zstd: Zstd): Way[] {
  const inPool = promisify<Uint8Array, { level: number }, Uint8Array>(gzip);
  return [
    OURS,
    ...[1, 2, 3, 4, 6, 9].map(byZlib),
    eachOf('gzipSync, level 1, window 8 KB', (page) =>
      gzipSync(page, { level: 1, windowBits: 13, memLevel: 6 }),
    ),
    eachOf('gzip in the thread pool, level 1', (page) => inPool(page, { level: 1 })),
    reusedStreams(1, 1),
    reusedStreams(1, 4),
    ...[1, 2, 3, 4, 5, 6, 9, 12, 19].map(byZstd(zstd)),
    eachOf('stored', storedMember),
  ];
}

/** Gzip streams that finish a member with every write and are reset for the next. */
function reusedStreams(level: number, count: number): Way {
  const streams = Array.from({ length: count }, () => {
    const stream = createGzip({ level, flush: constants.Z_FINISH });
    let bytes = 0;
    stream.on('data', (piece: Uint8Array) => {
      bytes += piece.length;
    });
    return (page: Uint8Array) =>
      new Promise<number>((resolve) => {
        bytes = 0;
        stream.write(page, () => {
          // Node has it on every zlib stream; its types omit it on this one.
          (stream as unknown as { reset(): void }).reset();
          resolve(bytes);
        });
      });
  });
  return {
    name: `${count} reused stream${count > 1 ? 's' : ''} in the thread pool, level ${level}`,
    async run(pages) {
      let next = 0;
      const shares = streams.map(async (compress) => {
        let bytes = 0;
        while (next < pages.length) bytes += await compress(pages[next++].payload);
        return bytes;
      });
      return (await Promise.all(shares)).reduce((sum, bytes) => sum + bytes, 0);
    },
  };
}

function digesters(): Way[] {
  return [
    eachOf('crypto.hash, in one piece', (page) => hash('sha1', page, 'buffer')),
    eachOf('createHash, in one piece', (page) => createHash('sha1').update(page).digest()),
    eachOf('createHash, in five pieces', (page) => {
      const hasher = createHash('sha1');
      for (let i = 0; i < 5; i++) hasher.update(page.subarray(i * 5000, (i + 1) * 5000));
      return hasher.digest();
    }),
  ];
}

/** The work for a page besides compressing it and writing it to disk. */
function rest(): Way[] {
  const assembler = new RecordAssembler();
  const ids = { responseId: randomUUID(), requestId: randomUUID(), warcinfoId: randomUUID() };
  const eachExchange = (name: string, make: (page: Exchange) => number): Way => ({
    name,
    run: async (pages) => pages.reduce((sum, page) => sum + make(page), 0),
  });
  return [
    eachExchange('digest of the payload', (page) => digest('sha1', page.payload).length),
    eachExchange('record of the response, with its digest', (page) => {
      const fields = responseFields(page, ids, 'sha1:TI5DHC6GG4FXDT4ZC5FK3PYJIPOZDAKD');
      return assembler.assemble(fields, [page.head, ...page.wireBody]).length;
    }),
    eachExchange('record of the request, with its digest', (page) => {
      return assembler.assemble(requestFields(page, ids), [page.requestBytes]).length;
    }),
    eachExchange('key for the index', (page) => surt(page.url).length),
    eachExchange('two names', () => randomUUID().length + randomUUID().length),
  ];
}

/**
 * Pages like those of a documentation site: a menu, classes, paragraphs of a skewed vocabulary, 59
 * links.
 */
function makePages(count: number): Exchange[] {
  let state = 20260314;
  const random = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
  const letters = 'etaoinshrdlucmfwypvbgkjqxz';
  const vocabulary = Array.from({ length: 1200 }, () =>
    Array.from({ length: 2 + random() * 8 }, () => letters[Math.floor(random() ** 2 * 26)]).join(
      '',
    ),
  );
  const word = () => vocabulary[Math.floor(random() ** 4 * vocabulary.length)];
  const words = (n: number) => Array.from({ length: n }, word).join(' ');
  // Written text has set phrases: without them, made-up text does not compress like real pages (4
  // to 5 times).
  const turns = Array.from({ length: 60 }, () => words(6));
  const prose = (n: number) =>
    Array.from({ length: n / 6 }, () =>
      random() < 0.6 ? turns[Math.floor(random() ** 2 * turns.length)] : words(6),
    ).join(' ');
  const link = () =>
    `<a class="reference internal" href="/${word()}/${word()}.html" title="${words(2)}">${words(2)}</a>`;
  const page = (i: number) => {
    const menu = Array.from(
      { length: LINKS - 20 },
      () => `    <li class="nav-item">${link()}</li>\n`,
    ).join('');
    let html = `<!doctype html>\n<html lang="en"><head><title>${words(4)}</title></head>\n<body><ul>\n${menu}</ul>\n`;
    for (let p = 0; p < 20; p++)
      html += `<h2 id="s${p}">${words(4)}</h2>\n<p class="text">${prose(24)} ${link()} ${prose(24)}</p>\n`;
    while (html.length < PAGE_BYTES) html += `<p class="text">${prose(60)}</p>\n`;
    return exchangeOf(`http://a.test/${i}.html`, Buffer.from(html.slice(0, PAGE_BYTES)));
  };
  return Array.from({ length: count }, (_, i) => page(i));
}

/** All of the same length, like the made-up ones, so that figures can be compared. */
function pagesOfTheLab(count: number): Exchange[] {
  const web = webOf({ domains: 20 * count }, NO_PORTS);
  const pages: Exchange[] = [];
  for (let i = 0; pages.length < count; i++) {
    const body = Buffer.from(makePage(web, web.domains.at(i % (20 * count)), i % 7).body);
    if (body.length >= PAGE_BYTES)
      pages.push(exchangeOf(`http://a.test/${i}.html`, body.subarray(0, PAGE_BYTES)));
  }
  return pages;
}

function exchangeOf(url: string, payload: Uint8Array): Exchange {
  return {
    url,
    ip: '127.0.0.1',
    startedAt: Date.UTC(2026, 2, 14, 15, 9, 26),
    elapsed: 10,
    requestBytes: Buffer.from(
      `GET ${new URL(url).pathname} HTTP/1.1\r\nHost: a.test\r\nUser-Agent: Mozilla/5.0 (compatible; bench)\r\nAccept: text/html\r\nAccept-Encoding: gzip, br, deflate\r\n\r\n`,
    ),
    head: Buffer.from(
      `HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nDate: Sat, 14 Mar 2026 15:09:26 GMT\r\nContent-Length: ${payload.length}\r\n\r\n`,
    ),
    wireBody: [payload],
    payload,
    status: 200,
    headers: { get: () => undefined, all: () => [], entries: () => [] },
    defects: [],
    bytesReceived: payload.length,
  };
}
