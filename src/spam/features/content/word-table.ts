/**
 * The table in which the page kernel looks up frequent words: a slot for each, found by one look
 * (perfect hashing by displacement).
 *
 *   hash ─► group ─► shift of the group ─► slot ─► is it this word? ─► its counter
 *
 * Idea      Words with many neighbours are placed first. The words of a group have the same shift,
 *           and the first shift is taken with which all of them find an empty slot. Half of the
 *           slots stay empty, so a few attempts are enough.
 * Requires  At most 2,000 words with different hashes.
 * Ensures   No two words have the same slot. Counters are in the order of classes.
 * Cost      some milliseconds, once for each meter.
 */

/** A frequent word: its hash, and its class in the collection and in queries as one number. */
interface FrequentWord {
  readonly hash: bigint;
  readonly pair: number;
}

/** Parts of the kernel's memory; `counters` is an address. */
interface WordTable {
  readonly shifts: Uint8Array;
  /** Two for each slot: the upper half of a hash, the address of a counter. */
  readonly slots: Uint32Array;
  /** For each pair of classes: where its counters end. */
  readonly ends: Uint32Array;
  readonly counters: number;
}

const COUNTER_BYTES = 2;
const SHIFTS = 256;
/**
 * The factor of a shift is the shift times this number, made odd. `page-kernel.as.ts` uses the same
 * number. It is large, so that words with near hashes get different slots.
 */
const FACTOR = 0x9e3779b1;

export function fillWordTable(table: WordTable, words: readonly FrequentWord[]): void {
  const { shifts, slots, ends, counters } = table;
  const ordered = [...words].sort((a, b) => a.pair - b.pair);
  const groups = new Map<number, [word: FrequentWord, counter: number][]>();
  for (const [i, word] of ordered.entries()) {
    const group = Number((word.hash >> 40n) & BigInt(shifts.length - 1));
    const own = groups.get(group) ?? [];
    own.push([word, counters + COUNTER_BYTES * i]);
    groups.set(group, own);
  }
  for (let pair = 0; pair < ends.length; pair++)
    ends[pair] = counters + COUNTER_BYTES * ordered.filter((word) => word.pair <= pair).length;
  // A word that is not frequent may meet an empty slot with its own upper half, 0: it has no class.
  slots.fill(0);
  for (let at = 1; at < slots.length; at += 2) slots[at] = counters + COUNTER_BYTES * words.length;
  const taken = new Uint8Array(slots.length / 2);
  const shiftBits = 32 - Math.log2(taken.length);
  for (const [group, own] of [...groups].sort((a, b) => b[1].length - a[1].length)) {
    const lows = own.map(([{ hash }]) => Number(hash & 0xffff_ffffn));
    const slotsBy = (shift: number): number[] =>
      lows.map((low) => Math.imul(low, Math.imul(shift, FACTOR) | 1) >>> shiftBits);
    const fits = (shift: number): boolean => {
      const places = slotsBy(shift);
      return new Set(places).size === places.length && places.every((place) => !taken[place]);
    };
    let shift = 0;
    while (shift < SHIFTS && !fits(shift)) shift++;
    if (shift === SHIFTS) throw new RangeError('no table for the frequent words');
    shifts[group] = shift;
    for (const [i, place] of slotsBy(shift).entries()) {
      const [{ hash }, counter] = own[i];
      taken[place] = 1;
      slots[2 * place] = Number(hash >> 32n);
      slots[2 * place + 1] = counter;
    }
  }
}
