/**
 * The near-duplicates of a whole corpus, in fixed memory.
 *
 * Idea      The fingerprints are those of a crawl (src/duplicates), but nothing is forgotten. For
 *           each band, pages are sorted by its hash on disk. Pages that share one are candidates:
 *           each is paired with the pages just before it in the group and with the first ones, so
 *           that a large group costs no more than its length. The pairs are sorted, so that each is
 *           compared once, by the sketches and their numbers of words. Pages that are alike are
 *           joined to clusters (components.ts).
 *
 *             bands ─► 13 sorts ─► pairs ─► sort ─► alike? ─► components ─► the earliest of each
 *
 * Requires  a folder for files that are deleted on the way.
 * Ensures   every page of a cluster of two or more is reported once, in order of its number, with
 *           the earliest page of its cluster: by date, then by number. The result depends on
 *           nothing but the sketches.
 * Cost      the memory given. On disk 104 bytes a page for the keys, 8 for each pair.
 */
import { join } from 'node:path';
import type { Bytes } from '../../base/units.ts';
import { AppendLog } from '../../disk/append-log.ts';
import type { Disk } from '../../disk/disk.ts';
import { PairSorter } from '../../disk/external-sort.ts';
import { type Format, HEADER_BYTES } from '../../disk/format.ts';
import { ReadAhead } from '../../disk/read-ahead.ts';
import { similarity } from '../../duplicates/fingerprint.ts';
import { Components, listsOf, Pairs } from './components.ts';
import {
  dateOf,
  idOf,
  KEYS,
  keyOf,
  readSketches,
  recordAt,
  SketchCache,
  type SketchPart,
  type SketchRecord,
  sameSignature,
  wordsOf,
} from './sketch-file.ts';

interface NearOptions {
  /** The part of the longer of two texts that must stand in the other. */
  readonly threshold: number;
  readonly memory: Bytes;
}

/** A page of a cluster, and the identifier of the earliest page in it. */
export interface ClusterMember {
  readonly page: number;
  readonly earliest: number;
  readonly earliestId: string;
}

/** Pages before it that a page is compared with in a group, and first pages of the group. */
const NEIGHBOURS = 4;
/** Two pages with the same signature are alike even if only half of their shingles agree. */
const SIGNATURE_NEEDS = 0.5;
/** Keys per page: with fewer, pages meet that have nothing in common. */
const SPREAD = 32;
const PAIRS: Format = { type: 'clu', version: 1 };

export async function* nearDuplicates(
  disk: Disk,
  folder: string,
  parts: readonly SketchPart[],
  { threshold, memory }: NearOptions,
): AsyncGenerator<ClusterMember> {
  const pairs = await candidates(disk, folder, parts, memory);
  const cache = await SketchCache.open(disk, parts, memory / 4);
  try {
    const components = new Components(disk, folder, memory / 2);
    await joinAlike(pairs, cache, components, threshold);
    yield* inOrder(disk, folder, components, cache, memory);
  } finally {
    await cache.close();
  }
}

/** Pairs of pages that share a key: the earlier ones by the number of the later. */
async function candidates(
  disk: Disk,
  folder: string,
  parts: readonly SketchPart[],
  memory: Bytes,
): Promise<Pairs> {
  const pages = parts.reduce((sum, part) => sum + part.pages, 0);
  const bits = Math.min(32, Math.max(16, Math.ceil(Math.log2(Math.max(1, pages) * SPREAD))));
  const sorters = Array.from(
    { length: KEYS },
    (_, key) => new Pairs(new PairSorter(disk, folder, `band-${key}`, memory / 2)),
  );
  for await (const { first, count, words } of readSketches(disk, parts)) {
    for (let i = 0; i < count; i++) {
      const record = recordAt(words, i);
      if (wordsOf(record) === 0) continue;
      for (let key = 0; key < KEYS; key++) {
        const full = sorters[key].add(keyOf(record, key) >>> (32 - bits), first + i);
        if (full) await full;
      }
    }
  }
  const pairs = new Pairs(new PairSorter(disk, folder, 'pairs', memory / 2));
  for (const sorter of sorters) await addPairs(sorter, pairs);
  return pairs;
}

/** Pairs each page of a group with its first pages and with those just before it. */
async function addPairs(sorter: Pairs, pairs: Pairs): Promise<void> {
  // A long group comes in several pieces.
  let [group, first, last] = [-1, [] as number[], [] as number[]];
  for await (const { key, values } of listsOf(await sorter.sorted())) {
    if (key !== group) [group, first, last] = [key, [], []];
    for (const page of values) {
      for (const earlier of [...first, ...last]) {
        const full = pairs.add(page, earlier);
        if (full) await full;
      }
      if (first.length < NEIGHBOURS) first.push(page);
      else if (last.push(page) > NEIGHBOURS) last.shift();
    }
  }
}

async function joinAlike(
  pairs: Pairs,
  cache: SketchCache,
  components: Components,
  threshold: number,
): Promise<void> {
  for await (const { key, values } of listsOf(await pairs.sorted())) {
    const page = await cache.read(key);
    for (const earlier of values) {
      const other = cache.held(earlier) ?? (await cache.read(earlier));
      if (areAlike(page, other, threshold)) await components.join(key, earlier);
    }
  }
}

function areAlike(one: SketchRecord, other: SketchRecord, threshold: number): boolean {
  const resemblance = similarity(one.words, one.at, other.words, other.at);
  const shared = sharedPart(resemblance, wordsOf(one), wordsOf(other));
  return shared >= threshold || (resemblance >= SIGNATURE_NEEDS && sameSignature(one, other));
}

/**
 * The part of the longer of two texts that stands in the other, by their resemblance: of texts of a
 * and b words with c in common it is c / (a + b - c), and c / max(a, b) is wanted. Where a text is
 * a part of another, resemblance alone would take them for copies too soon.
 */
function sharedPart(resemblance: number, a: number, b: number): number {
  return ((resemblance / (1 + resemblance)) * (a + b)) / Math.max(a, b);
}

/** The members of all clusters by their numbers, each with the earliest of its cluster. */
async function* inOrder(
  disk: Disk,
  folder: string,
  components: Components,
  cache: SketchCache,
  memory: Bytes,
): AsyncGenerator<ClusterMember> {
  const [members, earliest] = [join(folder, 'clusters.pairs'), join(folder, 'earliest.pairs')];
  await findEarliest(disk, components, cache, members, earliest);
  const byMember = new Pairs(new PairSorter(disk, folder, 'members', memory / 2));
  const roots = readPairs(disk, earliest);
  let root = await roots.next();
  for await (const [of, member] of readPairs(disk, members)) {
    while (!root.done && root.value[0] < of) root = await roots.next();
    await byMember.add(member, root.done ? of : root.value[1]);
  }
  await roots.return(undefined);
  for (const path of [members, earliest]) await disk.remove(path);
  for await (const { key, values } of listsOf(await byMember.sorted())) {
    const [first] = values;
    const record = cache.held(first) ?? (await cache.read(first));
    yield { page: key, earliest: first, earliestId: idOf(record) };
  }
}

async function findEarliest(
  disk: Disk,
  components: Components,
  cache: SketchCache,
  members: string,
  earliest: string,
): Promise<void> {
  const list = await AppendLog.create(disk, members, PAIRS);
  const firsts = await AppendLog.create(disk, earliest, PAIRS);
  let [root, best, date] = [-1, 0, 0];
  const endCluster = async () => {
    if (root >= 0) await firsts.append(pairOf(root, best));
  };
  await components.finish(async (of, member) => {
    await list.append(pairOf(of, member));
    const captured = dateOf(cache.held(member) ?? (await cache.read(member)));
    if (of !== root) {
      await endCluster();
      [root, best, date] = [of, member, captured];
    } else if (captured < date) [best, date] = [member, captured];
  });
  await endCluster();
  await list.close();
  await firsts.close();
}

const pairOf = (one: number, other: number) => new Uint8Array(Uint32Array.of(one, other).buffer);

async function* readPairs(disk: Disk, path: string): AsyncGenerator<readonly [number, number]> {
  const file = await disk.open(path, 'read');
  const chunk = 64 * 1024;
  const reader = new ReadAhead(file, HEADER_BYTES, await file.size(), chunk);
  try {
    for (;;) {
      const bytes = await reader.peek(chunk);
      if (bytes.length === 0) return;
      const words = new Uint32Array(bytes.slice().buffer);
      reader.skip(bytes.length);
      for (let i = 0; i < words.length; i += 2) yield [words[i], words[i + 1]];
    }
  } finally {
    await reader.end();
    await file.close();
  }
}
