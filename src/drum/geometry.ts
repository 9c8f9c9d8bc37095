/**
 * How the memory given becomes the buffers of a DRUM.
 *
 * Idea      two phases use the same memory in turn. While tuples are collected it holds the buffers
 *           of the k buckets; while they are merged, one bucket being sorted and the windows on the
 *           repository. Other memory serves both phases: the batch coming in, the answers going
 *           out, the buffers of the files.
 * Ensures   `footprint` of the result is at most the memory asked for; a bucket never holds more
 *           keys than can be sorted in the arena.
 *
 * The paper's letters: k buckets, M the size of a chunk, r the bucket buffer, R the memory.
 */
import { alignTo8 } from '../base/align.ts';
import { DrumlinError } from '../base/errors.ts';
import { formatBytes } from '../base/units.ts';
import { SLACK, SLOTS } from './kernel.ts';

/** What is left of 1 MiB after a cache and a reader of lines. */
const MIN_MEMORY = 768 * 1024;
/** The kernel's addresses have 32 bits; more memory is of better use in the system's file cache. */
const MAX_MEMORY = 3 * 2 ** 30;
/**
 * A bucket this large is sorted in a few milliseconds, in the cache; a larger one would only
 * lengthen the pauses.
 */
const MAX_BUCKET_KEYS = 262_144;
const MAX_BUCKETS = 4096;
const MIN_BUCKETS = 16;
const KEY_CHUNK = 32 * 1024;
const TEXT_CHUNK = 256 * 1024;
/** Keys of a group sorted at once, on average: few enough for an insertion sort. */
export const KEYS_PER_GROUP = 8;

/**
 * Bytes a tuple in a merge with values: where its text is, where its answer is, and how long that
 * is.
 */
const TUPLE_BYTES = 12;

export interface Geometry {
  /** k: at most 65,536. */
  readonly buckets: number;
  /** M: bytes of a bucket's buffer for keys, a multiple of 8. */
  readonly keyChunk: number;
  /** Bytes of a bucket's buffer for texts. */
  readonly textChunk: number;
  /** r: the most keys a bucket may hold. */
  readonly bucketKeys: number;
  /**
   * The most bytes of texts a bucket may hold: a limit only where the merge needs them in memory.
   */
  readonly bucketTexts: number;
  /** Bytes read or written at a time, a multiple of 8. */
  readonly window: number;
  /** Entries of an offered batch that are collected at a time. */
  readonly stagedEntries: number;
  /** Bytes of an offered batch that are collected at a time. */
  readonly stagedBytes: number;
}

/** Many buckets on disk: DRUM. */
export function drumGeometry(given: number): Geometry {
  const memory = usable(given);
  const buckets = clamp(Math.floor(memory / (KEY_CHUNK + TEXT_CHUNK)), MIN_BUCKETS, MAX_BUCKETS);
  return largestThatFits(memory, (scale) => {
    const k = Math.max(MIN_BUCKETS, Math.floor(buckets * scale));
    const perBucket = Math.floor((memory * scale * 0.75) / k);
    const keyChunk = Math.min(KEY_CHUNK, roundDown(perBucket / 9, 8));
    return {
      buckets: k,
      keyChunk,
      textChunk: Math.min(TEXT_CHUNK, keyChunk * 8),
      bucketKeys: Math.min(MAX_BUCKET_KEYS, Math.floor((memory * scale * 0.75) / 28)),
      bucketTexts: Number.MAX_SAFE_INTEGER,
      ...smallBuffers(memory),
    };
  });
}

/** One bucket, so that answers come in the order of arrival: the sieve of Mercator. */
export function mercatorGeometry(given: number): Geometry {
  const memory = usable(given);
  const keyChunk = Math.min(KEY_CHUNK, roundDown(memory / 256, 8));
  return largestThatFits(memory, (scale) => ({
    buckets: 1,
    keyChunk,
    textChunk: keyChunk * 8,
    bucketKeys: Math.floor((memory * scale) / sortBytes(1)),
    bucketTexts: Number.MAX_SAFE_INTEGER,
    ...smallBuffers(memory),
  }));
}

/** Buckets whose values must be in memory while they are merged: a DRUM with values. */
export function valueGeometry(given: number): Geometry {
  const memory = usable(given);
  const buckets = clamp(Math.floor(memory / (KEY_CHUNK + TEXT_CHUNK)), MIN_BUCKETS, MAX_BUCKETS);
  return largestThatFits(memory, (scale) => {
    const arena = memory * scale * 0.75;
    const k = Math.max(MIN_BUCKETS, Math.floor(buckets * scale));
    const keyChunk = Math.min(KEY_CHUNK, roundDown(arena / k / 9, 8));
    return {
      buckets: k,
      keyChunk,
      textChunk: Math.min(TEXT_CHUNK, keyChunk * 8),
      bucketKeys: Math.min(MAX_BUCKET_KEYS, Math.floor(arena / 2 / (sortBytes(1) + TUPLE_BYTES))),
      bucketTexts: roundDown(arena / 4, 8),
      ...smallBuffers(memory),
    };
  });
}

/**
 * Bytes that a DRUM of this geometry uses: the buffers of the kernel, of the answers, of three
 * files.
 */
export function footprint(g: Geometry): number {
  return arenaBytes(g) + fixedBytes(g) + takeBytes(g) + 6 * g.window;
}

/** Whether the merge also holds the texts of a bucket. */
function holdsTexts(g: Geometry): boolean {
  return g.bucketTexts < Number.MAX_SAFE_INTEGER;
}

/** The memory of the kernel that both phases share. */
export function arenaBytes(g: Geometry): number {
  return Math.max(g.buckets * laneBytes(g), mergeBytes(g));
}

/** The buffers of one bucket: keys, then texts. */
export function laneBytes(g: Geometry): number {
  return g.keyChunk + alignTo8(g.textChunk + SLACK);
}

export function mergeBytes(g: Geometry): number {
  // The texts of a bucket, as many bytes of answers, and the places of both for each tuple.
  const texts = holdsTexts(g)
    ? alignTo8(2 * g.bucketTexts + g.bucketKeys * TUPLE_BYTES + SLACK)
    : 0;
  return texts + alignTo8(g.bucketKeys * sortBytes(1)) + 128 + 3 * g.window + answerBytes(g);
}

/** The answers for one chunk: two counters, a bit an arrival, a key an answer. */
function answerBytes(g: Geometry): number {
  return 8 + alignTo8(Math.ceil(chunkEntries(g) / 8)) + g.keyChunk + 8;
}

function chunkEntries(g: Geometry): number {
  return g.keyChunk / 8;
}

/**
 * The part of the kernel's memory beside the arena: the slots, the lanes, the batch being
 * collected.
 */
export function fixedBytes(g: Geometry): number {
  const staging = g.stagedEntries * (8 + 4 + 1) + alignTo8(g.stagedBytes + SLACK);
  return SLOTS * 2 + g.buckets * 16 + alignTo8(staging) + 256;
}

/**
 * Bytes to take answers: one chunk that is read, and a batch of answers that two full chunks fit
 * in.
 */
export function takeBytes(g: Pick<Geometry, 'keyChunk' | 'textChunk'>): number {
  const entries = g.keyChunk / 8;
  const chunk = alignTo8(g.textChunk + SLACK) + alignTo8(Math.ceil(entries / 8));
  return chunk + 2 * entries * (8 + 4) + alignTo8(2 * g.textChunk + SLACK) + 64;
}

function sortBytes(keys: number): number {
  // The key, its pair, its share of the counters of groups (a power of two, so up to twice the
  // need), its bit.
  return keys * (8 + 16 + 8 / KEYS_PER_GROUP + 0.125);
}

function smallBuffers(memory: number) {
  const stagedEntries = clamp(Math.floor(memory / 4096), 128, 16_384);
  return {
    stagedEntries,
    stagedBytes: stagedEntries * 64,
    window: clamp(roundDown(memory / 128, 8), 4096, 1024 * 1024),
  };
}

/** Footprints are not quite linear in the scale, so this tries scales from the largest down. */
function largestThatFits(memory: number, plan: (scale: number) => Geometry): Geometry {
  for (let scale = 1.25; scale > 0.05; scale -= 0.01) {
    const geometry = plan(scale);
    if (footprint(geometry) <= memory) return geometry;
  }
  throw new RangeError(`no geometry fits in ${memory} bytes`);
}

function usable(memory: number): number {
  if (memory >= MIN_MEMORY) return Math.min(memory, MAX_MEMORY);
  throw new DrumlinError(
    'MEMORY_TOO_SMALL',
    `${formatBytes(memory)} of memory is too little.`,
    'Give at least 1Mi; 64Mi or more is fast.',
  );
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}

function roundDown(value: number, unit: number): number {
  return Math.floor(value / unit) * unit;
}
