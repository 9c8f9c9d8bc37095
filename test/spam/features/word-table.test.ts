import { expect, test } from 'vitest';
import { fillWordTable } from '../../../src/spam/features/content/word-table.ts';

const GROUPS = 1024;
const SLOTS = 4096;

const tableOf = (hashes: readonly bigint[]): Uint32Array => {
  const slots = new Uint32Array(2 * SLOTS);
  const memory = { shifts: new Uint8Array(GROUPS), ends: new Uint32Array(1), counters: 0 };
  fillWordTable(
    { ...memory, slots },
    hashes.map((hash) => ({ hash, pair: 0 })),
  );
  return slots;
};

/** Hashes that repeat for the same seed. */
function hashesOf(seed: bigint, count: number): bigint[] {
  let state = seed;
  return Array.from({ length: count }, () => {
    state = BigInt.asUintN(64, state * 6364136223846793005n + 1442695040888963407n);
    return BigInt.asUintN(64, (state ^ (state >> 29n)) * 0x9e3779b185ebca87n);
  });
}

test('words whose hashes are near each other find slots of their own', () => {
  for (let difference = 1n; difference < 64n; difference++) {
    const first = (7n << 40n) | 0xacd1_1000n;
    const slots = tableOf([first, (1n << 63n) | (first + difference)]);
    const filled = slots.filter((_, i) => i % 2 === 0 && slots[i] !== 0);
    expect([...filled].sort()).toEqual([...Uint32Array.of(7 << 8, (1 << 31) | (7 << 8))].sort());
  }
});

test('forty lists of two thousand words have a table', () => {
  for (let seed = 1n; seed <= 40n; seed++) {
    const hashes = hashesOf(seed, 2000);
    const slots = tableOf(hashes);
    const uppers = new Set(slots.filter((_, i) => i % 2 === 0));
    for (const hash of hashes) expect(uppers.has(Number(hash >> 32n))).toBe(true);
  }
});
