/** Schedules of random archives against a naive reading of them, by value. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { packNameArcs } from '../../../src/graph/arcs.ts';
import { buildGraph } from '../../../src/graph/build.ts';
import { openGraph } from '../../../src/graph/open-graph.ts';
import { Collection } from '../../../src/refresh/orders/collection.ts';
import { graphDir, refreshDir } from '../../../src/refresh/refresh-folder.ts';
import { changeRate } from '../../../src/refresh/schedule/change-rate.ts';
import { dueIn, makeSchedule } from '../../../src/refresh/schedule/schedule.ts';
import { bestVisits, fairVisits, freshness } from '../../../src/refresh/schedule/visits.ts';
import { temporaryFolder } from '../../disk/temporary-folder.ts';
import { quickDisk } from '../../graph/fixtures.ts';

const disk = quickDisk();
const DAY = 86_400_000;
const START = Date.UTC(2026, 0, 1);
const PAGES = ['http://a.test/', 'http://a.test/1', 'http://b.test/', 'http://c.test/new'];
/** The links of the graph; the last page is not in it. */
const LINKS: [string, string][] = [
  [PAGES[1], PAGES[0]],
  [PAGES[2], PAGES[0]],
  [PAGES[2], PAGES[1]],
];

/** What is seen of a page: a payload, a 304 that was asked for or not, an end, a verdict. */
type Kind = 'a' | 'b' | 'same' | '304' | '404' | '410' | '503' | 'dead' | 'alive';
const KINDS: Kind[] = ['a', 'a', 'b', 'b', 'same', '304', '404', '410', '503', 'dead', 'alive'];
interface Event {
  readonly page: number;
  readonly day: number;
  readonly kind: Kind;
  readonly folder: number;
}

const events: fc.Arbitrary<Event[]> = fc.uniqueArray(
  fc.record({
    ...{ page: fc.nat(PAGES.length - 1), day: fc.nat(40), folder: fc.nat(1) },
    kind: fc.constantFrom(...KINDS),
  }),
  { minLength: 4, maxLength: 30, selector: ({ page, day }) => `${page} ${day}` },
);

const date = (day: number): string => new Date(START + day * DAY).toISOString();

function recordOf(url: string, day: number, kind: Kind): string {
  const isRevisit = kind === 'same';
  const status = { a: 200, b: 200, same: 304, dead: 0, alive: 0 }[kind as 'a'] ?? Number(kind);
  const block = `HTTP/1.1 ${status} x\r\nContent-Type: text/html\r\n\r\n${kind}`;
  const more = isRevisit
    ? 'WARC-Profile: http://netpreserve.org/warc/1.1/revisit/server-not-modified\r\n'
    : `WARC-Payload-Digest: sha1:${kind.repeat(32).slice(0, 32)}\r\n`;
  return (
    `WARC/1.1\r\nWARC-Type: ${isRevisit ? 'revisit' : 'response'}\r\n${more}` +
    'Content-Type: application/http;msgtype=response\r\n' +
    `WARC-Record-ID: <urn:uuid:${day}-${kind}>\r\nWARC-Target-URI: ${url}\r\n` +
    `WARC-Date: ${date(day)}\r\nContent-Length: ${block.length}\r\n\r\n${block}\r\n\r\n`
  );
}

/** Two folders: an old crawl, and a refresh with verdicts and a graph. */
async function foldersOf(list: readonly Event[]): Promise<string[]> {
  const folders = [temporaryFolder(), temporaryFolder()];
  for (const [n, folder] of folders.entries()) {
    const own = list.filter((event) => event.folder === n);
    const records = own
      .filter(({ kind }) => kind !== 'dead' && kind !== 'alive')
      .map(({ page, day, kind }) => recordOf(PAGES[page], day, kind));
    mkdirSync(join(folder, 'archive'));
    const robots = recordOf('http://a.test/robots.txt', 50 + n, 'a');
    writeFileSync(join(folder, 'archive/a-00000.warc'), [robots, ...records].join(''));
    mkdirSync(refreshDir(folder));
    const verdicts = own
      .filter(({ kind }) => kind === 'dead' || kind === 'alive')
      .map(({ page, day, kind }) => {
        const verdict = kind === 'dead' ? 'gone' : 'changed';
        return `${PAGES[page]}\t${verdict}\t200\t${date(day)}\t\n`;
      });
    const head = 'url\tverdict\tstatus\ttime\tnew address\n';
    writeFileSync(join(refreshDir(folder), 'verdicts.tsv'), head + verdicts.join(''));
  }
  const links = (async function* () {
    yield* LINKS;
  })();
  await buildGraph(graphDir(folders[1]), { names: packNameArcs(links) }, { level: 'page', disk });
  return folders;
}

/** The looks at pages that are alive: the payload at each, and the time since the one before. */
function naivePages(list: readonly Event[]) {
  return PAGES.flatMap((url, page) => {
    const own = list.filter((event) => event.page === page).sort((a, b) => a.day - b.day);
    let [payload, last, isAlive] = ['', -1, false];
    const looks: { time: number; changed: boolean }[] = [];
    for (const { day, kind } of own) {
      if (['404', '410', 'dead'].includes(kind)) isAlive = false;
      if (!['a', 'b', 'same'].includes(kind)) continue;
      const changed = kind !== 'same' && kind !== payload;
      if (last >= 0) looks.push({ time: day - last, changed });
      if (kind !== 'same') payload = kind;
      [last, isAlive] = [day, true];
    }
    return isAlive ? [{ url, looks, last: START + last * DAY }] : [];
  });
}

async function pageRanks(dir: string): Promise<(url: string) => number> {
  const graph = await openGraph(graphDir(dir), disk);
  const scores = await new Collection(graph).pageRank();
  const ranks = new Map<string, number>();
  for await (const name of graph.names.all()) ranks.set(name, scores[ranks.size] * graph.nodes);
  await graph.close();
  return (url) => ranks.get(url) ?? Math.min(...ranks.values());
}

const options = fc.record({
  budget: fc.constantFrom(0.1, 1, 5),
  starve: fc.constantFrom('some' as const, 'none' as const),
  weights: fc.constantFrom('even' as const, 'pagerank' as const),
});
const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

test('a schedule has the rates, visits and times of a naive reading, and their freshness', async () => {
  await fc.assert(
    fc.asyncProperty(events, options, fc.integer({ min: 1, max: 90 }), async (list, how, today) => {
      const pages = naivePages(list);
      fc.pre(pages.length > 0);
      const folders = await foldersOf(list);
      const now = START + today * DAY;
      const made = await makeSchedule(disk, folders, how, now);
      const times = pages.flatMap(({ looks }) => looks.map(({ time }) => time));
      const usual = times.length === 0 ? 30 : sum(times) / times.length;
      const rates = Float64Array.from(pages, ({ looks }) => changeRate(looks, usual));
      const rankOf = how.weights === 'even' ? () => 1 : await pageRanks(folders[1]);
      const weights = Float64Array.from(pages, ({ url }) => rankOf(url));
      const visitsOf = how.starve === 'none' ? fairVisits : bestVisits;
      const visits = visitsOf(rates, weights, how.budget);
      const next = pages.map(({ last }, i) => last + DAY / visits[i]);
      const shown = (time: number) => (time <= 8.64e15 ? new Date(time).toISOString() : 'never');
      const lines = pages.map(({ url, last }, i) =>
        [url, rates[i].toPrecision(4), visits[i].toPrecision(4), date((last - START) / DAY)].concat(
          shown(next[i]),
        ),
      );
      const [, ...found] = readFileSync(made.path, 'utf8').trimEnd().split('\n');
      expect(found).toEqual(lines.map((line) => line.join('\t')));
      const mean = (of: (i: number) => number) =>
        sum(pages.map((_, i) => weights[i] * freshness(rates[i], of(i)))) / sum([...weights]);
      expect(made).toMatchObject({
        ...{ pages: pages.length, visited: visits.filter((f) => f > 0).length },
        due: next.filter((time) => time <= now).length,
        freshness: expect.closeTo(
          mean((i) => visits[i]),
          9,
        ),
        even: expect.closeTo(
          mean(() => how.budget / pages.length),
          9,
        ),
      });
      expect(await dueIn(disk, folders[1], now)).toHaveLength(made.due);
    }),
    { numRuns: 25 },
  );
});

test('what is due is due at its moment, the longest overdue first, and never what never is', async () => {
  const dir = temporaryFolder();
  mkdirSync(refreshDir(dir));
  const lines = ['now', 'later', 'long', 'before', 'never'].map((name, i) => {
    const next = [date(5), date(6), date(1), date(4), 'never'][i];
    return `http://${name}.test/\t1\t1\t${date(0)}\t${next}\n`;
  });
  const head = 'url\tchanges a day\tvisits a day\tlast look\tnext look\n';
  writeFileSync(join(refreshDir(dir), 'schedule.tsv'), head + lines.join(''));
  const due = await dueIn(disk, dir, START + 5 * DAY);
  expect(due).toEqual(['long', 'before', 'now'].map((name) => `http://${name}.test/`));
});
