import type { Geometry } from '../../src/drum/geometry.ts';

/** Buffers of a few keys: a handful of offers spills, merges and overflows. */
export const TINY: Geometry = {
  buckets: 3,
  keyChunk: 16,
  textChunk: 24,
  bucketKeys: 5,
  bucketTexts: Number.MAX_SAFE_INTEGER,
  window: 24,
  stagedEntries: 3,
  stagedBytes: 20,
};

export const TINY_MERCATOR: Geometry = { ...TINY, buckets: 1, bucketKeys: 7 };
