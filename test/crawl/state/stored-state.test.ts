/**
 * What a checkpoint holds, field by field, as it is stored: a field that a resume forgets fails
 * here by its name.
 */

import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Clock, systemClock } from '../../../src/base/clock.ts';
import {
  type CrawlConfig,
  type CrawlOptions,
  resolveConfig,
} from '../../../src/config/settings.ts';
import { AgentFolder, type StoredState } from '../../../src/crawl/state/agent-folder.ts';
import { Disk } from '../../../src/disk/disk.ts';
import { withSum } from '../../../src/disk/summed-json.ts';
import { type Lab, startLab } from '../../../src/lab/server/lab.ts';
import { FaultyFileSystem } from '../../disk/faulty-file-system.ts';
import { temporaryFolder } from '../../disk/temporary-folder.ts';
import { startCrawl } from '../here.ts';

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
interface Stored {
  readonly files: Json;
  readonly state: { readonly [key: string]: Json };
}

let lab: Lab;
/** The folder of a crawl that was stopped in the middle, with all that a checkpoint may hold. */
let stopped: string;

const disk = () => new Disk(new FaultyFileSystem({ skipSync: true }));
const configOf = (dir: string, options: CrawlOptions = {}): CrawlConfig => ({
  ...resolveConfig({
    ...{ dir, dns: [lab.dns], allowPrivate: true, delay: 0, agents: 1, order: 'budget' },
    ...{ nearDuplicates: 'skip', learnTraps: true, softErrors: 'skip', crawlLog: true },
    ...{ sieveMemory: 2 ** 20, hostMemory: 2 ** 20, domainMemory: 2 ** 23, dedupMemory: 65_536 },
    edgeLife: 30 * 86_400_000,
    ...{ frontHosts: 5, frontUrls: 30, maxPages: 40, warcSize: 100_000 },
    ...options,
  }),
  // Below what a user may set: much is on disk.
  backlogMemory: 600,
});
const checkpointIn = (dir: string) => join(dir, 'agents/0/checkpoint.json');
const storedIn = (dir: string): Stored => JSON.parse(readFileSync(checkpointIn(dir), 'utf8'));

beforeAll(async () => {
  lab = await startLab({ scenario: 'clean', domains: 12, pages: 12 });
  stopped = mkdtempSync(join(tmpdir(), 'drumlin-stopped-'));
  await (await startCrawl(lab.seeds, configOf(stopped))).finished;
});
afterAll(async () => {
  await lab.close();
  rmSync(stopped, { recursive: true, force: true });
});

/** A copy of the stopped crawl, with another checkpoint. */
function copyWith(change: (stored: Stored) => Json | Stored): string {
  const dir = join(temporaryFolder(), 'crawl');
  cpSync(stopped, dir, { recursive: true });
  const { crc32: _, ...stored } = storedIn(dir) as Stored & { crc32: Json };
  writeFileSync(checkpointIn(dir), withSum(JSON.stringify(change(stored))));
  return dir;
}

/** Every scalar below a value, by its path; of the elements of a list, the first. */
function* leaves(value: Json, path: readonly string[] = []): Generator<readonly string[]> {
  if (value === null || typeof value !== 'object') yield path;
  else if (Array.isArray(value)) yield* leavesIn(value.slice(0, 1), path);
  else yield* leavesIn(value, path);
}
function* leavesIn(value: object, path: readonly string[]): Generator<readonly string[]> {
  for (const [key, below] of Object.entries(value)) yield* leaves(below, [...path, key]);
}

/** The value with each scalar, or the one at a path, replaced by another. */
function changed(value: Json, path?: readonly string[]): Json {
  if (path?.length !== 0 && value !== null && typeof value === 'object') {
    const only = path?.[0];
    const below = Object.entries(value).map(([key, each]) => {
      const isMeant = only === undefined || key === only;
      return [key, isMeant ? changed(each, path?.slice(1)) : each] as const;
    });
    return Array.isArray(value) ? below.map(([, each]) => each) : Object.fromEntries(below);
  }
  if (typeof value === 'number') return value + 100_000 + serial++;
  return typeof value === 'boolean' ? !value : `${value}~`;
}
let serial = 0;

/** Of all that a checkpoint may hold, what the stopped crawl has not, and why. */
const KEYS: Readonly<Record<keyof Required<StoredState>, 'held' | string>> = {
  ...{ savedAt: 'held', pace: 'held', waiting: 'held', counters: 'held', frontier: 'held' },
  ...{ taken: 'held', seeds: 'held', moved: 'held', archive: 'held', standings: 'held' },
  ...{ lines: 'held', series: 'held', top: 'held', sieve: 'held', hosts: 'held', backlog: 'held' },
  ...{ reputation: 'held', likeness: 'held', outcomes: 'only in a planned crawl' },
};

test('the stopped crawl has all that a checkpoint may hold', () => {
  const held = Object.entries(KEYS).flatMap(([key, why]) => (why === 'held' ? [key] : []));
  expect(Object.keys(storedIn(stopped).state).sort()).toEqual(held.sort());
});

/** The parts of an agent that have files of their own. */
const PARTS = ['sieve', 'hosts', 'backlog', 'reputation', 'likeness'];

/** Links between domains age by it. */
const STILL: Clock = { ...systemClock, now: () => 0 };

/** Fields of parts that may be anything when a folder is opened, and why. */
const NOT_NEEDED: readonly [field: RegExp, why: string][] = [
  [/^reputation\.sample\.state\.p$/, 'a share: more than 1 means 1'],
  [/\.collecting\.open\.0\.0$/, 'the bucket of a chunk: its head has it, too'],
];

test('each field that a part stores has an effect when the part is opened', async () => {
  const opened = async (change: (stored: Stored) => Stored) => {
    const dir = copyWith(change);
    try {
      const folder = await AgentFolder.open(disk(), 0, configOf(dir), { clock: STILL });
      const { state, image } = folder.restored as NonNullable<typeof folder.restored>;
      await folder.save([image], state, async () => {});
      await folder.close();
    } catch (error) {
      return String(error).replaceAll(dir, '');
    }
    return JSON.stringify(storedIn(dir).state);
  };
  const same = await opened((stored) => stored);
  expect(await opened((stored) => stored)).toBe(same);
  const without: string[] = [];
  for (const path of leaves(storedIn(stopped).state)) {
    if (!PARTS.includes(path[0])) continue;
    const found = await opened((stored) => ({
      ...stored,
      state: changed(stored.state, path) as Stored['state'],
    }));
    const name = path.join('.');
    const isNeeded = !NOT_NEEDED.some(([field]) => field.test(name));
    if (found === same && isNeeded) without.push(name);
  }
  expect(without).toEqual([]);
});

/** What agents know beside their parts, as if all of it had happened. */
function allOf({ state }: Stored): Stored['state'] {
  const own = Object.fromEntries(Object.entries(state).filter(([key]) => !PARTS.includes(key)));
  const { archive, lines, standings, taken, savedAt, pace, ...free } = own;
  const tallies = ['retries', 'errors', 'refused', 'alike', 'truncated', 'spam', 'render'];
  const some = Object.fromEntries(tallies.map((name) => [name, { some: 0 }]));
  const counters = { ...(free.counters as object), ...some, requisites: 0 } as Json;
  const moved = [['http://a/', 'http://b/']];
  return { ...state, ...(changed({ ...free, counters, moved }) as Stored['state']) };
}

/** What the next checkpoint has anew, and what a resume takes from the last one for it. */
const ANEW: Readonly<Record<string, string>> = {
  savedAt: 'its time',
  pace: 'its time',
  waiting: 'counted where URLs wait',
  seeds: 'how many the crawl has',
  'frontier.required': 'what the memory allows',
  'frontier.allHere': 'whether the image has all hosts',
  'series.columns': 'has a point more',
  'top.budget': 'of the book of domains',
  'top.rank': 'of the book of domains',
};

/** Every scalar by its name, without those that are new. */
const named = (value: Json, path: readonly string[] = []): string[] => {
  const name = path.filter((key) => !/^\d+$/.test(key)).join('.');
  if (name in ANEW) return [];
  if (value === null || typeof value !== 'object') return [`${name} ${value}`];
  return Object.entries(value).flatMap(([key, below]) => named(below, [...path, key]));
};
const own = ({ state }: Stored) =>
  named(Object.fromEntries(Object.entries(state).filter(([key]) => !PARTS.includes(key))));

/** Nothing is fetched, so that the next checkpoints show what was kept of the last one. */
async function resumed(dir: string, agents: number): Promise<void> {
  await (await startCrawl([], { ...configOf(dir), agents, maxPages: 0 })).finished;
}

test.each([
  [[1], []],
  [
    [3, 1],
    ['frontier.hostsSeen', 'frontier.domainsSeen'],
  ],
])('each field that an agent stores is kept when it becomes %j agents', async (numbers, counted) => {
  const dir = copyWith((stored) => ({ ...stored, state: allOf(stored) }));
  const before = storedIn(dir);
  for (const agents of numbers) await resumed(dir, agents);
  const after = storedIn(dir);
  const kept = new Set(own(after));
  const lost = own(before).filter((each) => !kept.has(each));
  expect(lost.filter((each) => !counted.includes(each.split(' ')[0]))).toEqual([]);
  expect(after.state.moved).toEqual(before.state.moved);
});
