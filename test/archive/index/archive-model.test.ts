/**
 * What an archive answers, compared with a plain list of what was written: several agents, ties in
 * key and time, files of one record, revisits in other files, with every kind of index and none.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Archive, type CaptureQuery } from '../../../src/archive/index/archive.ts';
import type { Capture } from '../../../src/archive/index/cdxj.ts';
import { mergeIndex, partLines, partsDir } from '../../../src/archive/index/index-merge.ts';
import { partName } from '../../../src/archive/index/index-part.ts';
import { surt } from '../../../src/archive/index/surt.ts';
import { StoredPayloads } from '../../../src/archive/payloads/stored-payloads.ts';
import { payloadOf } from '../../../src/archive/warc/http-block.ts';
import { readWarc } from '../../../src/archive/warc/warc-reader.ts';
import { type Orphan, recoverArchive } from '../../../src/archive/write/recovery.ts';
import { WarcWriter, type WholeLength } from '../../../src/archive/write/warc-writer.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { Disk } from '../../../src/disk/disk.ts';
import { exchangeOf, writeCrawl } from '../../corpus/lab-archive.ts';
import { FaultyFileSystem } from '../../disk/faulty-file-system.ts';
import { temporaryFolder } from '../../disk/temporary-folder.ts';
import { collect } from '../warc/fixtures.ts';
import '../../property-seed.ts';

const disk = new Disk(new FaultyFileSystem({ skipSync: true }));
const NOON = Date.UTC(2026, 2, 14, 12);
const HOUR = 3_600_000;
/** The first three have one key. */
const URLS = [
  ...['http://a.test/x', 'http://a.test/X', 'https://www.a.test/x/', 'http://a.test/x?b=1&a=2'],
  ...['http://a.test/xy', 'http://sub.a.test/x', 'http://a.test:8080/x', 'http://a.testing/x'],
];

interface Written {
  readonly url: string;
  readonly time: number;
  readonly status: number;
  readonly body: string;
  readonly agent: number;
}
interface Kept extends Written {
  readonly capture: Pick<Capture, 'url' | 'timestamp' | 'filename' | 'offset' | 'length'>;
}

const anyPage: fc.Arbitrary<Written> = fc.record({
  url: fc.constantFrom(...URLS),
  time: fc.integer({ min: 0, max: 3 }).map((hours) => NOON + hours * HOUR),
  status: fc.constantFrom(200, 204, 301, 404),
  // A body that is long enough is stored once: later ones refer to it.
  body: fc.constantFrom('short', 'a'.repeat(1500), 'b'.repeat(2000)),
  agent: fc.nat(2),
});
const stamp = (time: number) => new Date(time).toISOString().replace(/\D/g, '').slice(0, 14);

async function write(dir: string, pages: readonly Written[], rotateBytes: number): Promise<Kept[]> {
  const writers: WarcWriter[] = [];
  const indexDir = partsDir(dir);
  for (const agent of ['0', '1', '2']) {
    const folder = indexDir;
    await disk.makeFolder(folder);
    const payloads = await StoredPayloads.open({ disk, folder, files: [], memory: 2 ** 16 });
    const options = { info: { software: 'test' }, indexDir, rotateBytes, disk, payloads, agent };
    writers.push(await WarcWriter.open(join(dir, 'archive'), options));
  }
  const kept: Kept[] = [];
  for (const page of pages) {
    const { url, time, body } = page;
    const exchange = exchangeOf({ ...page, body: Buffer.from(body) }, time);
    const { response } = await writers[page.agent].write(exchange);
    const { file: filename, offset, length } = response;
    kept.push({ ...page, capture: { url, timestamp: stamp(time), filename, offset, length } });
  }
  for (const writer of writers) await writer.close();
  return kept;
}

/** Conditions beside the place. */
const anyRest: fc.Arbitrary<CaptureQuery> = fc.record(
  {
    from: fc.constantFrom('2026', '2026031413', '20260314130000', '20260314130001', '2027'),
    to: fc.constantFrom('2025', '2026', '2026031413', '20260314125959', '20260314130000'),
    status: fc.constantFrom('200', '2xx', '4XX', '30x'),
  },
  { requiredKeys: [] },
);
const PREFIXES = [
  ...[
    'http://a.test',
    'http://a.test/',
    'http://a.test/x',
    'http://a.test/x?b',
    'http://a.test/x?',
  ],
  ...['https://www.a.test/', 'http://a.test:8080/'],
];
const PLACES: readonly CaptureQuery[] = [
  {},
  ...URLS.map((url) => ({ url })),
  ...['a.test', 'sub.a.test', 'test', 'b.test'].map((domain) => ({ domain })),
  ...PREFIXES.map((prefix) => ({ prefix })),
];

/** A prefix contains the whole host, with its port. */
const isOfHost = (url: string, prefix: string) => new URL(url).host === new URL(prefix).host;

function wants({ url, time, status }: Written, query: CaptureQuery): boolean {
  const host = new URL(url).hostname;
  const { domain, prefix, from = '', to } = query;
  return (
    (query.url === undefined || surt(query.url) === surt(url)) &&
    (domain === undefined || host === domain || host.endsWith(`.${domain}`)) &&
    (prefix === undefined || (url.startsWith(prefix) && isOfHost(url, prefix))) &&
    stamp(time) >= from &&
    (to === undefined || stamp(time).slice(0, to.length) <= to) &&
    String(status).startsWith((query.status ?? '').replace(/x+$/i, ''))
  );
}

const placeOf = ({ filename, offset }: Pick<Capture, 'filename' | 'offset'>) =>
  `${filename} ${offset}`;

async function capturesIn(archive: Archive, query: CaptureQuery, from?: string) {
  const found: Capture[] = [];
  for await (const capture of archive.captures(query, from)) found.push(capture);
  return found;
}

/** Revisits of which only the date, or only the digest, says what they refer to. */
const AMBIGUOUS: Written[] = (
  [
    [0, 0, 'a'],
    [0, 1, 'b'],
    [1, 0, 'a'],
    [1, 1, 'b'],
    [2, 1, 'a'],
    [3, 1, 'a'],
  ] as const
).map(([hours, agent, letter]) => ({
  ...{ url: URLS[0], time: NOON + hours * HOUR, status: 200, agent },
  body: letter.repeat(1500),
}));

const KINDS = ['parts', 'plain', 'blocks', 'files'] as const;

test.each(KINDS)('an archive with %s answers like a list of its captures', async (kind) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyPage, { maxLength: 14 }),
      fc.constantFrom(1, 4000, 1e9),
      anyRest,
      async (pages, rotateBytes, rest) => {
        const dir = join(temporaryFolder(), 'crawl');
        const kept = await write(dir, pages, rotateBytes);
        if (kept.length === 0) return;
        if (kind === 'files') rmSync(partsDir(dir), { recursive: true });
        else if (kind !== 'parts')
          expect(await mergeIndex(disk, dir, { compressFrom: kind === 'blocks' ? 0 : 1e9 })).toBe(
            kept.length,
          );
        const archive = await Archive.open(disk, dir);
        const lines: string[] = [];
        for await (const batch of archive.lines()) lines.push(...batch);
        expect(lines).toEqual(lines.toSorted());
        expect(lines.filter((line) => /"(?:id|date)":/.test(line))).toEqual([]);
        const order = (await capturesIn(archive, {})).map(placeOf);
        expect(order.toSorted()).toEqual(kept.map(({ capture }) => placeOf(capture)).sort());
        const sorted = kept.toSorted(
          (a, b) => order.indexOf(placeOf(a.capture)) - order.indexOf(placeOf(b.capture)),
        );
        for (const query of PLACES.flatMap((place) => [place, { ...place, ...rest }])) {
          const found = await capturesIn(archive, query);
          const model = sorted.filter((page) => wants(page, query));
          expect(found).toMatchObject(model.map(({ capture }) => capture));
          expect(found).toHaveLength(model.length);
        }
        await recordsAgree(archive, sorted);
        await nearestAgree(archive, sorted);
        const [half] = lines.slice(lines.length >> 1);
        expect(await capturesIn(archive, {}, half)).toHaveLength(
          lines.length - (lines.length >> 1),
        );
      },
    ),
    { numRuns: 8, examples: [[AMBIGUOUS, 1e9, {}]] },
  );
});

/** Each capture has its own record, and that or the one it refers to has its payload. */
async function recordsAgree(archive: Archive, kept: readonly Kept[]): Promise<void> {
  for (const [i, capture] of (await capturesIn(archive, {})).entries()) {
    const { url, time, body } = kept[i];
    const { headers } = await archive.record(capture);
    expect([headers.targetUri, stamp(Date.parse(headers.get('WARC-Date') ?? ''))]).toEqual([
      url,
      stamp(time),
    ]);
    const { type, block, headers: original } = await archive.page(capture);
    const [toUrl, toDate] = ['WARC-Refers-To-Target-URI', 'WARC-Refers-To-Date'].map(
      headers.get,
      headers,
    );
    if (toUrl) expect([original.targetUri, original.get('WARC-Date')]).toEqual([toUrl, toDate]);
    expect([type, Buffer.from(payloadOf(block)).toString()]).toEqual(['response', body]);
  }
}

async function nearestAgree(archive: Archive, kept: readonly Kept[]): Promise<void> {
  for (const url of URLS)
    for (const at of [Infinity, 0, NOON + HOUR, NOON + 1.5 * HOUR]) {
      const rank = (page: Kept) => [
        page.url === url ? 0 : 1,
        at === Infinity ? -page.time : Math.abs(page.time - at),
      ];
      let best: Kept | undefined;
      for (const page of kept.filter((each) => surt(each.url) === surt(url))) {
        const [a, b] = [rank(page), best ? rank(best) : [9, 0]];
        if (a[0] < b[0] || (a[0] === b[0] && a[1] < b[1])) best = page;
      }
      const found = await archive.nearest(url, at);
      expect(found && placeOf(found)).toBe(best && placeOf(best.capture));
    }
}

describe('two records in a member', () => {
  test('are found each, and nothing behind the member', async () => {
    const dir = join(temporaryFolder(), 'crawl');
    const pages = [0, 1, 2, 3].map((n) => ({
      url: `http://a.test/${n}`,
      body: Buffer.from(`${n}`),
    }));
    await writeCrawl(dir, pages, { compress: 'none' });
    const [name] = readdirSync(join(dir, 'archive'));
    const records = (await collect(readWarc(join(dir, 'archive', name)))).map(({ bytes }) =>
      Buffer.from(`${Buffer.from(bytes).toString('latin1')}\r\n\r\n`, 'latin1'),
    );
    // Behind the warcinfo, each page has a response and a request; here the request comes first.
    const [about, ...others] = records;
    const turned = others.map((_, i) => others[i ^ 1]);
    const members = [[about], turned.slice(0, 4), turned.slice(4)];
    const path = join(temporaryFolder(), 'shared.warc.gz');
    writeFileSync(path, Buffer.concat(members.map((each) => gzipSync(Buffer.concat(each)))));
    const archive = await Archive.open(disk, path);
    const captures = await capturesIn(archive, {});
    expect(new Set(captures.map(({ offset }) => offset)).size).toBe(2);
    for (const [n, capture] of captures.entries()) {
      const { block, headers } = await archive.record(capture);
      expect([headers.targetUri, Buffer.from(payloadOf(block)).toString()]).toEqual([
        `http://a.test/${n}`,
        `${n}`,
      ]);
    }
    const moved = { ...captures[3], offset: captures[0].offset };
    await expect(archive.record(moved)).rejects.toMatchObject({ code: 'CAPTURE_GONE' });
  });
});

describe('the exact limit', () => {
  const page = (n: number) =>
    exchangeOf({ url: `http://a.test/${n}`, body: Buffer.from('x') }, NOON);
  const info = { software: 'test' };

  test.each([
    [-1, 2],
    [0, 2],
    [1, 1],
  ])('of a file that has it, and %i bytes: two exchanges are in %i files', async (more, files) => {
    for (const together of [false, true]) {
      const [first, second] = [temporaryFolder(), temporaryFolder()];
      const options = {
        info,
        disk,
        compress: 'none' as const,
        clock: { ...systemClock, now: () => NOON },
      };
      const one = await WarcWriter.open(first, options);
      await one.write(page(1));
      const [{ length }] = await one.checkpoint();
      await one.close();
      const writer = await WarcWriter.open(second, { ...options, rotateBytes: length + more });
      if (together) await Promise.all([writer.write(page(1)), writer.write(page(2))]);
      else for (const n of [1, 2]) await writer.write(page(n));
      const lengths = await writer.checkpoint();
      expect(await writer.checkpoint()).toEqual(lengths.slice(-1));
      await writer.close();
      expect(lengths.map(({ file }) => file).sort()).toEqual(readdirSync(second).sort());
      for (const { file, length } of lengths)
        expect(readFileSync(join(second, file))).toHaveLength(length);
      expect(lengths).toHaveLength(files);
    }
  });

  test.each([
    [-1, 'cut'],
    [0, 'kept'],
    [1, 'refused'],
  ])('of a checkpoint with %i bytes more than the file: it is %s', async (more, fate) => {
    const folder = temporaryFolder();
    const indexDir = join(folder, 'parts');
    await disk.makeFolder(indexDir);
    const file = 'drumlin-20260314150926-00000-0.warc.gz';
    for (const path of [join(folder, file), join(indexDir, partName(file))])
      writeFileSync(path, '0123456789');
    const orphans: string[] = [];
    const onOrphan = ({ orphan }: Orphan) => void orphans.push(readFileSync(orphan, 'latin1'));
    const options = { indexDir, keepTails: true, onOrphan };
    const files = [{ file, length: 10 + more, index: 10 + more }];
    const work = recoverArchive(disk, folder, '0', files, options);
    if (fate === 'refused') await expect(work).rejects.toMatchObject({ code: 'FILE_SHORT' });
    else await work;
    expect(orphans).toEqual(fate === 'cut' ? ['9'] : []);
    expect(readFileSync(join(folder, file))).toHaveLength(Math.min(10, 10 + more));
    const parts = fate === 'refused' ? [] : [partName(file)];
    expect(readdirSync(indexDir)).toEqual(parts);
    for (const part of parts) expect(readFileSync(join(indexDir, part))).toHaveLength(10 + more);
  });
});

/** What may have happened to a part, and whether its lines are those of its file then. */
const DAMAGE: readonly [what: string, change: (text: string) => string | undefined][] = [
  ['is as it was', (text) => text],
  ['is missing', () => undefined],
  ['is empty', () => ''],
  ['lacks its last line', (text) => text.replace(/[^\n]*\n$/, '')],
  ['lacks the end of its last line', (text) => text.slice(0, -20)],
  ['has a line more', (text) => `${text}${text.slice(0, text.indexOf('\n') + 1)}`],
  ['has another byte', (text) => text.replace('"status":"200"', '"status":"404"')],
];

test.each(
  DAMAGE,
)('a part that %s gives way to its file, if its sum is known', async (_, change) => {
  const dir = join(temporaryFolder(), 'crawl');
  const writer = await WarcWriter.open(join(dir, 'archive'), {
    ...{ info: { software: 'test' }, indexDir: partsDir(dir), disk },
  });
  for (const n of [0, 1, 2])
    await writer.write(exchangeOf({ url: `http://a.test/${n}`, body: Buffer.from(`${n}`) }, NOON));
  const [{ file, sum }] = (await writer.checkpoint()) as [WholeLength];
  await writer.close();
  const read = async () => {
    const lines: string[] = [];
    const sums = new Map([[file, sum as number]]);
    for await (const batch of partLines(disk, dir, sums)) lines.push(...batch);
    return lines.map(
      (line) => JSON.parse(line.slice(line.indexOf('{'))).status + line.slice(0, 30),
    );
  };
  const whole = await read();
  expect(whole).toHaveLength(3);
  const path = join(partsDir(dir), partName(file));
  const text = change(readFileSync(path, 'latin1'));
  if (text === undefined) rmSync(path);
  else writeFileSync(path, text);
  expect(await read()).toEqual(whole);
});
