/**
 * What BEAST ensures beside agreeing with a model: the rounds of the paper, little memory, few
 * files.
 */
import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { Disk } from '../../../src/disk/disk.ts';
import { Beast } from '../../../src/frontier/beast/beast.ts';
import { temporaryFolder } from '../../disk/temporary-folder.ts';
import { OpenFiles } from '../backlog/open-files.ts';
import { textsOf } from './beast-life.ts';

const MEMORY = 2 ** 20;
const open = (options: Partial<Parameters<typeof Beast.open>[0]> = {}) =>
  Beast.open({ disk: new Disk(), folder: temporaryFolder(), memory: MEMORY, ...options });
const entry = (text = 'entry') => Buffer.from(text);
const where = ({ round, last, queues }: Beast) => ({ round, last, queues });

/** Reads the round to its end, then moves to the next. */
async function next(beast: Beast): Promise<'round' | 'rescan' | 'empty'> {
  while (await beast.take());
  return beast.advance();
}

test('rounds are those of the picture: the queue that was read serves the round after the last', async () => {
  const beast = await open({ queues: 4 });
  expect(where(beast)).toEqual({ round: 0, last: 4, queues: 4 });
  for (let round = 1; round <= 4; round++) beast.put(round, entry());
  expect(await next(beast)).toBe('round');
  expect(where(beast)).toEqual({ round: 1, last: 4, queues: 4 });
  await next(beast);
  expect(where(beast)).toEqual({ round: 2, last: 5, queues: 4 });
  await next(beast);
  await next(beast);
  expect(where(beast)).toEqual({ round: 4, last: 7, queues: 4 });
  beast.put('later', entry());
  expect(await next(beast)).toBe('rescan');
  expect(where(beast)).toEqual({ round: 4, last: 12, queues: 8 });
  beast.put(5, entry());
  expect(textsOf(await beast.takeLater())).toEqual(['entry']);
  expect(await beast.takeLater()).toBeUndefined();
  expect(await next(beast)).toBe('round');
  expect(where(beast)).toEqual({ round: 5, last: 12, queues: 8 });
});

test('empty rounds are skipped, and a cycle with nothing left ends at once', async () => {
  const beast = await open({ queues: 8 });
  beast.put(3, entry());
  beast.put('later', entry());
  expect(await next(beast)).toBe('round');
  expect(where(beast)).toEqual({ round: 3, last: 10, queues: 8 });
  beast.put(9, entry());
  expect(await next(beast)).toBe('rescan');
  expect(where(beast)).toEqual({ round: 8, last: 24, queues: 16 });
});

test('as long as everything fits, there are no more queues than at the start', async () => {
  const beast = await open({ queues: 2 });
  beast.put(1, entry());
  for (let round = 1; round < 50; round++) {
    expect(await next(beast)).toBe('round');
    expect(where(beast)).toEqual({ round, last: round + 1, queues: 2 });
    beast.put(round + 1, entry());
  }
});

test('it reports that it is empty, and continues when entries come', async () => {
  const beast = Beast.inMemory();
  expect(await next(beast)).toBe('empty');
  beast.put(1, entry('a'));
  await next(beast);
  expect(textsOf(await beast.take())).toEqual(['a']);
  expect(await next(beast)).toBe('empty');
  expect(where(beast)).toEqual({ round: 1, last: 2, queues: 1 });
  beast.put(2, entry('b'));
  expect(await next(beast)).toBe('round');
  expect(textsOf(await beast.take())).toEqual(['b']);
});

test('the number of queues doubles at every rescan, up to the most', async () => {
  const beast = await open({ mostQueues: 6 });
  const seen: number[] = [];
  beast.put('later', entry());
  for (let i = 0; i < 5; i++) {
    expect(await next(beast)).toBe('rescan');
    seen.push(beast.queues);
    await beast.takeLater();
    beast.put('later', entry());
  }
  expect(seen).toEqual([2, 4, 6, 6, 6]);
});

test('rounds may be read while a rescan is under way; the next rescan waits for its end', async () => {
  const beast = await open();
  for (const text of ['a', 'b']) beast.put('later', entry(text));
  expect(await next(beast)).toBe('rescan');
  for (const round of [2, 3]) beast.put(round, entry());
  for (const said of ['round', 'round', 'rescan']) {
    expect(await next(beast)).toBe(said);
    beast.put('later', entry('c'));
  }
  expect(beast).toMatchObject({ queues: 2, leftToRescan: 2, later: 5 });
  expect(textsOf(await beast.takeLater())).toEqual(['a', 'b']);
  expect(await next(beast)).toBe('rescan');
  expect(beast).toMatchObject({ queues: 4, leftToRescan: 3 });
});

describe('errors of the caller', () => {
  test('an entry for the present round, a past one or one beyond the last is refused', async () => {
    const beast = await open({ queues: 2 });
    beast.put(1, entry());
    beast.put(2, entry());
    await next(beast);
    for (const place of [-1, 0, 1, 3, 1.5, Number.NaN]) {
      expect(() => beast.put(place, entry()), String(place)).toThrow('only into 2 to 2');
    }
    expect(beast.entries).toBe(2);
  });

  test('advancing before the round is read to its end is refused', async () => {
    const beast = await open({ memory: 0 });
    beast.put(1, entry());
    await beast.makeRoom();
    await beast.advance();
    await expect(beast.advance()).rejects.toThrow('Round 1 has more');
  });

  test('so is a call before the last one is done', async () => {
    const beast = await open({ memory: 0 });
    beast.put(1, entry());
    const writes = beast.makeRoom();
    await expect(beast.take()).rejects.toThrow('Called before');
    await writes;
  });

  test.each([0, 1.5, 9])('so are %d queues of at most 8', async (queues) => {
    await expect(open({ queues, mostQueues: 8 })).rejects.toThrow('queues');
  });
});

describe('memory that was read in part', () => {
  /** Takes one batch, and resumes in another process. */
  async function takeAndReopen(
    options: Parameters<typeof Beast.open>[0],
    take: (beast: Beast) => ReturnType<Beast['take']>,
  ): Promise<{ taken: string[]; options: typeof options }> {
    const beast = await Beast.open(options);
    const taken = textsOf(await take(beast));
    const at = await beast.freeze();
    await beast.discardOlder(at);
    await beast.close();
    return { taken, options: { ...options, at } };
  }

  test.each([
    'round',
    'rescan',
  ] as const)('of a %s continues where it was, after each of many restarts', async (what) => {
    const limits = { window: 1000 };
    const first = { disk: new Disk(), folder: temporaryFolder(), memory: MEMORY, limits };
    const beast = await Beast.open(first);
    const texts = Array.from({ length: 60 }, (_, i) => `${i} ${'x'.repeat(200)}`);
    for (const text of texts) beast.put(what === 'round' ? 1 : 'later', entry(text));
    await beast.freeze();
    expect(await next(beast)).toBe(what);
    let options: Parameters<typeof Beast.open>[0] = { ...first, at: await beast.freeze() };
    const all: string[] = [];
    let batches = 0;
    for (; all.length < texts.length; batches++) {
      expect(batches).toBeLessThan(texts.length);
      const one = await takeAndReopen(options, (b) =>
        what === 'round' ? b.take() : b.takeLater(),
      );
      all.push(...one.taken);
      options = one.options;
    }
    expect(all).toEqual(texts);
    expect(batches).toBeGreaterThan(5);
    expect(readdirSync(first.folder).every((name) => name.startsWith('journal.'))).toBe(true);
  });
});

describe('memory and files', () => {
  test('nothing is written before memory is full', async () => {
    const folder = temporaryFolder();
    const beast = await open({ folder });
    await beast.makeRoom();
    for (let i = 0; !beast.full; i++) beast.put(i % 2 ? 1 : 'later', entry('x'.repeat(100)));
    expect(readdirSync(folder)).toEqual([]);
    await beast.makeRoom();
    expect(readdirSync(folder).sort()).toEqual(['later.1', 'rounds.2']);
    expect(beast.full).toBe(false);
  });

  test('memory is full when it has many queues, and not only many entries', async () => {
    const beast = await open({ queues: 100_000 });
    let count = 0;
    while (!beast.full) beast.put(++count, entry('x'));
    expect(count).toBeLessThan(MEMORY / 500);
    expect(count).toBeGreaterThan(MEMORY / 2000);
  });

  test('thousands of queues need at most two open files, and every file is deleted when it is read', async () => {
    const files = new OpenFiles();
    const folder = temporaryFolder();
    const beast = await open({ disk: new Disk(files), folder, memory: 50_000, queues: 512 });
    for (let i = 0; i < 3000; i++) {
      beast.put(i % 5 ? 1 + ((i * 7919) % 512) : 'later', entry(String(i)));
      await beast.makeRoom();
    }
    let read = 0;
    let rounds = 0;
    for (let said = await next(beast); said !== 'empty'; said = await beast.advance()) {
      if (said === 'round') rounds++;
      for (let some = await beast.take(); some; some = await beast.take()) read += some.count;
      for (let some = await beast.takeLater(); some; some = await beast.takeLater())
        read += some.count;
    }
    expect({ read, rounds }).toEqual({ read: 3000, rounds: 512 });
    expect(files.most).toBeLessThanOrEqual(2);
    expect(files.now).toBe(0);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('a checkpoint of many files opens few of them at once', async () => {
    const files = new OpenFiles();
    const beast = await open({ disk: new Disk(files), memory: 0 });
    for (let i = 0; i < 60; i++) {
      beast.put(1, entry());
      await beast.makeRoom();
    }
    expect(Object.keys((await beast.freeze()).files)).toHaveLength(60);
    expect(files.most).toBeLessThanOrEqual(16);
  });

  test('a slow crawl with many checkpoints makes one small file, however long it lasts', async () => {
    const disk = new Disk();
    const folder = temporaryFolder();
    const beast = await open({ disk, folder, queues: 2, limits: { journalSlack: 10_000 } });
    const checkpoints = 200;
    for (let i = 0; i < checkpoints; i++) {
      beast.put(beast.round + 1, entry('x'.repeat(400)));
      const frozen = await beast.freeze();
      await beast.discardOlder(frozen);
      expect(readdirSync(folder)).toEqual(Object.keys(frozen.files));
      expect(Object.keys(frozen.files)).toHaveLength(1);
      expect(Object.values(frozen.files)[0]).toBeLessThan(12_000);
      await next(beast);
    }
    // A checkpoint writes the block that it ends in, or that one and the next.
    expect(disk.traffic.written).toBeLessThan(1.2 * (402 + 4096) * checkpoints);
  });

  test('the entries for later are deleted piece by piece while they are read', async () => {
    const folder = temporaryFolder();
    const beast = await open({ folder, memory: 10_000, limits: { piece: 20_000 } });
    for (let i = 0; i < 2000; i++) {
      beast.put('later', entry('x'.repeat(100)));
      await beast.makeRoom();
    }
    const pieces = readdirSync(folder).length;
    expect(pieces).toBeGreaterThan(5);
    await beast.advance();
    while (beast.leftToRescan > 1000) await beast.takeLater();
    expect(readdirSync(folder).length).toBeLessThan(0.6 * pieces);
  });
});
