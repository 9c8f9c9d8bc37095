/** The folder of similar pages when the process dies or the power fails at any of its steps. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DrumlinError } from '../../src/base/errors.ts';
import type { Frozen } from '../../src/disk/checkpoint.ts';
import { Disk } from '../../src/disk/disk.ts';
import type { FileSystem } from '../../src/disk/file-system.ts';
import { fingerprintOf } from '../../src/duplicates/fingerprint.ts';
import { FirstTexts } from '../../src/duplicates/first-texts.ts';
import {
  LikenessFolder,
  LikenessMemory,
  type LikenessState,
} from '../../src/duplicates/likeness-folder.ts';
import { FaultyFileSystem } from '../disk/faulty-file-system.ts';
import { PowerCutFileSystem } from '../disk/power-cut-file-system.ts';
import { temporaryFolder } from '../disk/temporary-folder.ts';

/** Sixteen pages: a few checkpoints fill it, so that new files are started. */
const MEMORY = 2 ** 12;
const CHECKPOINTS = 12;
/** 1,024 entries. */
const fewTexts = () => new FirstTexts(8);
const A_CHECKPOINT = 7;
/**
 * Pages of a list that ends, of a shop with session ids, of a host with a text for missing pages.
 */
const urlOf = (n: number): string =>
  [
    `http://list.org/${n}`,
    `http://shop.org/p${n % 2}?sid=s${n}z9`,
    `http://soft.org/${'x'.repeat(n % 40)}`,
  ][n % 3];
const TEXTS = Array.from({ length: 60 }, (_, t) =>
  fingerprintOf(Buffer.from(Array.from({ length: 40 }, (_, i) => `w${t}x${i}`).join(' '))),
);
const textOf = (n: number) =>
  TEXTS[n % 3 === 0 ? (n < 30 ? n : 59) : n % 3 === 1 ? 40 + (n % 2) : 50];

/** What a crawl does with a page. */
function take(memory: LikenessMemory, n: number): void {
  const [url, text] = [urlOf(n), textOf(n)];
  memory.texts?.enter(text, n % 3);
  const near = memory.pages.find(text, 0.65);
  const { isRelated } = memory.learner.learn(url, text, memory.add(text, url), near);
  const question = near && !isRelated ? memory.softErrors.suspect(url, text) : undefined;
  if (question !== undefined) memory.softErrors.answered(question, text);
}

function whatIsKnown(memory: LikenessMemory): unknown {
  const [rules, ends, softErrors, texts] = [
    ...[memory.rules, memory.ends, memory.softErrors],
    memory.texts as FirstTexts,
  ].map((part) => Buffer.from(part.encode()).toString('hex'));
  return {
    rules,
    ends,
    softErrors,
    texts,
    pages: TEXTS.map((text) => memory.pages.find(text, 0.9)?.url),
  };
}

const knownAfter = (pages: number): unknown => {
  const memory = new LikenessMemory(MEMORY, fewTexts());
  for (let n = 0; n < pages; n++) take(memory, n);
  return whatIsKnown(memory);
};
/** By the number of checkpoints. */
const MODEL = Array.from({ length: CHECKPOINTS + 1 }, (_, i) => knownAfter(i * A_CHECKPOINT));

interface Cut {
  readonly at: Frozen<LikenessState> | undefined;
  readonly checkpoints: number;
}

/**
 * Adds pages and makes checkpoints until the disk fails or all are made; returns the last that
 * counts.
 */
async function live(
  fileSystem: FileSystem,
  folder: string,
  { at, checkpoints }: Cut,
): Promise<Cut> {
  let last: Cut = { at, checkpoints };
  try {
    const known = await LikenessFolder.open({
      disk: new Disk(fileSystem),
      folder,
      ...{ memory: MEMORY, texts: fewTexts() },
      at,
    });
    for (let i = checkpoints; i < CHECKPOINTS; i++) {
      for (let n = i * A_CHECKPOINT; n < (i + 1) * A_CHECKPOINT; n++) take(known, n);
      const frozen = await known.freeze();
      last = { at: frozen, checkpoints: i + 1 };
      await known.discardOlder(frozen);
    }
  } catch (error) {
    if (!(error instanceof DrumlinError)) throw error;
  }
  return last;
}

const knownAt = async (folder: string, { at }: Cut): Promise<unknown> =>
  whatIsKnown(
    await LikenessFolder.open({ disk: new Disk(), folder, memory: MEMORY, texts: fewTexts(), at }),
  );

test('the test has something to lose: rules, ends and texts for missing pages', () => {
  const memory = new LikenessMemory(MEMORY, fewTexts());
  for (let n = 0; n < CHECKPOINTS * A_CHECKPOINT; n++) take(memory, n);
  expect(memory.rules.rewrite('http://shop.org/p1?sid=new0')).not.toBe(
    'http://shop.org/p1?sid=new0',
  );
  expect(memory.ends.encode().length).toBeGreaterThan(0);
  expect(memory.softErrors.isSoft('http://soft.org/y', TEXTS[50])).toBe(true);
  expect(memory.texts?.enter(TEXTS[50], 1)).toBe(true);
});

test('a process that dies at any operation leaves the state of the last checkpoint', async () => {
  for (let operations = 0, checkpoints = 0; checkpoints < CHECKPOINTS; operations++) {
    const folder = temporaryFolder();
    const dying = new FaultyFileSystem({ operations, skipSync: true });
    const cut = await live(dying, folder, { at: undefined, checkpoints: 0 });
    expect(await knownAt(folder, cut)).toEqual(MODEL[cut.checkpoints]);
    checkpoints = cut.checkpoints;
  }
});

test('so does a power failure, even a second one, and the crawl resumes to the same end', async () => {
  const lives = fc.array(fc.nat(40), { minLength: 1, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(lives, async (deaths) => {
      const folder = temporaryFolder();
      const powered = new PowerCutFileSystem();
      let cut: Cut = { at: undefined, checkpoints: 0 };
      for (const operations of deaths) {
        cut = await live(new FaultyFileSystem({ operations }, powered), folder, cut);
        powered.cutPower();
        expect(await knownAt(folder, cut)).toEqual(MODEL[cut.checkpoints]);
      }
      const end = await live(powered, folder, cut);
      expect(end.checkpoints).toBe(CHECKPOINTS);
      expect(await knownAt(folder, end)).toEqual(MODEL[CHECKPOINTS]);
    }),
    { numRuns: 25 },
  );
});

test('a disk that fills up in the middle of a checkpoint leaves the one before', async () => {
  for (let room = 500; room < 12_000; room += 701) {
    const folder = temporaryFolder();
    const full = new FaultyFileSystem({ room, shortTransfers: 97, skipSync: true });
    const cut = await live(full, folder, { at: undefined, checkpoints: 0 });
    expect(cut.checkpoints).toBeLessThan(CHECKPOINTS);
    expect(await knownAt(folder, cut)).toEqual(MODEL[cut.checkpoints]);
  }
});
