/**
 * Is the WebAssembly kernel worth it? Its steps against the same steps in JavaScript, on the same
 * memory: nanoseconds a key, the best of several rounds.
 */

import { xxh64Bytes } from '../../../src/base/xxh64.ts';
import { Kernel, SLACK } from '../../../src/drum/kernel.ts';
import { RecentCache } from '../../../src/sieve/recent-cache.ts';
import { URL_BYTES, UrlStream } from './url-stream.ts';

const BATCH = 8192;
const BUCKETS = 256;
const [KEY_CHUNK, TEXT_CHUNK] = [32_768, 262_144];
const SORTED = 262_144;
const ROUNDS = 30;

export interface Step {
  readonly name: string;
  readonly kernel?: number;
  readonly javascript?: number;
}

export function measureKernel(): Step[] {
  return [...measureBatch(), measureSort()];
}

function measureBatch(): Step[] {
  const lane = KEY_CHUNK + TEXT_CHUNK + SLACK;
  const kernel = new Kernel(BATCH * 200 + BUCKETS * (lane + 16) + 400_000);
  const [bytes, ends, keys, keep] = [BATCH * URL_BYTES + SLACK, BATCH * 4, BATCH * 8, BATCH].map(
    (n) => kernel.allocate(n),
  );
  const [slots, lanes, arena] = [131_072, BUCKETS * 16, BUCKETS * lane].map((n) =>
    kernel.allocate(n),
  );
  const stream = new UrlStream();
  stream.prepare(kernel.view(bytes, BATCH * URL_BYTES), kernel.u32(ends, BATCH));
  stream.fill(kernel.view(bytes, BATCH * URL_BYTES), BATCH);
  kernel.bytes.fill(1, keep, keep + BATCH);
  const slotTable = new Uint16Array(kernel.buffer, slots, 65_536).map((_, i) => i >> 8);
  new Uint16Array(kernel.buffer, slots, 65_536).set(slotTable);
  const laneTable = kernel.u32(lanes, BUCKETS * 4);
  const reset = () => {
    for (let b = 0; b < BUCKETS; b++) {
      const at = arena + b * lane;
      laneTable.set([at, at + KEY_CHUNK, at + KEY_CHUNK, at + KEY_CHUNK + TEXT_CHUNK], b * 4);
    }
  };
  reset();
  const cache = new RecentCache(2 ** 24);
  const keyView = kernel.u64(keys, BATCH);
  const endView = kernel.u32(ends, BATCH);
  const scratch = new Uint8Array(BATCH);
  return [
    {
      name: 'hash',
      kernel: best(BATCH, () => kernel.run.hashAll(bytes, ends, BATCH, keys, 0)),
      javascript: best(BATCH, () => {
        for (let i = 0; i < BATCH; i++) {
          const from = i === 0 ? 0 : endView[i - 1];
          keyView[i] = xxh64Bytes(kernel.bytes.subarray(bytes + from, bytes + endView[i]));
        }
      }),
    },
    {
      name: 'to buckets',
      kernel: best(BATCH, () => {
        let i = 0;
        while (i < BATCH) {
          i = kernel.run.distribute(keys, ends, bytes, keep, i, BATCH, slots, lanes);
          if (i < BATCH) reset();
        }
      }),
      javascript: best(BATCH, () => {
        for (let i = 0; i < BATCH; ) {
          i = distribute(kernel, keys, bytes, endView, slotTable, laneTable, i);
          if (i < BATCH) reset();
        }
      }),
    },
    { name: 'recent cache', javascript: best(BATCH, () => cache.admit(keyView, BATCH, scratch)) },
  ];
}

/** Like the kernel, without its `keep`; `copyWithin` is the fastest copy of a few bytes. */
function distribute(
  kernel: Kernel,
  keys: number,
  bytes: number,
  ends: Uint32Array,
  slots: Uint16Array,
  lanes: Uint32Array,
  first: number,
): number {
  const words = new Uint32Array(kernel.buffer);
  for (let i = first; i < ends.length; i++) {
    const from = i === 0 ? 0 : ends[i - 1];
    const length = ends[i] - from;
    const at = (keys >> 2) + 2 * i;
    const lane = slots[words[at + 1] >>> 16] * 4;
    const [key, text] = [lanes[lane], lanes[lane + 2]];
    if (key + 8 > lanes[lane + 1] || text + 1 + length > lanes[lane + 3]) return i;
    words[key >> 2] = words[at];
    words[(key >> 2) + 1] = words[at + 1];
    lanes[lane] = key + 8;
    kernel.bytes[text] = length;
    kernel.bytes.copyWithin(text + 1, bytes + from, bytes + from + length);
    lanes[lane + 2] = text + 1 + length;
  }
  return ends.length;
}

function measureSort(): Step {
  const kernel = new Kernel(SORTED * 28 + 1024);
  const [keys, pairs, groups] = [SORTED * 8, SORTED * 16, SORTED].map((n) => kernel.allocate(n));
  const keyView = kernel.u64(keys, SORTED);
  for (let i = 0; i < SORTED; i++) keyView[i] = xxh64Bytes(Buffer.from(String(i)));
  const bits = Math.log2(SORTED) - 3;
  const copy = new BigUint64Array(SORTED);
  return {
    name: 'sort a bucket',
    kernel: best(SORTED, () => {
      kernel.bytes.fill(0, groups, groups + SORTED);
      kernel.run.countGroups(keys, SORTED, 0n, 64 - bits, groups);
      kernel.run.startGroups(groups, 2 ** bits);
      kernel.run.scatter(keys, 0, SORTED, 0n, 64 - bits, groups, pairs);
      kernel.run.sortGroups(groups, 0, 2 ** bits, pairs);
    }),
    // The built-in sort, which does not even keep the order of arrival.
    javascript: best(SORTED, () => {
      copy.set(keyView);
      copy.sort();
    }),
  };
}

function best(keys: number, work: () => void): number {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    const start = process.hrtime.bigint();
    work();
    least = Math.min(least, Number(process.hrtime.bigint() - start) / keys);
  }
  return least;
}
