/**
 * Repeated runs of tokens: the most frequent run of 2, 3 and 4, and all repeated runs of 5 to 10.
 *
 * Idea      a run of n tokens repeats only if both runs of n - 1 in it repeat. So the runs of n are
 *           pairs of classes of runs of n - 1, and only runs of classes with two members or more are
 *           looked at again. In prose few are left after n = 4.
 * Ensures   exact, as if all runs were compared as lists of tokens.
 * Cost      one hash table of the tokens for n = 2, and less for each larger n.
 */
import type { Tokens } from './tokens.ts';

/** Of runs of up to so many tokens the most frequent is wanted, of longer ones all repeated. */
const LONGEST_TOP = 4;
const LONGEST = 10;

/** No class: this run does not repeat. */
const NONE = -1;

let classOf = new Int32Array(1024);
let nextClass = new Int32Array(1024);
let counts = new Int32Array(1024);
let used = new Uint8Array(1024);
let candidates = new Int32Array(1024);
let table = new Int32Array(2048);

function reserve(count: number): void {
  if (count <= classOf.length) return;
  const length = 2 ** Math.ceil(Math.log2(count));
  classOf = new Int32Array(length);
  nextClass = new Int32Array(length);
  counts = new Int32Array(length);
  used = new Uint8Array(length);
  candidates = new Int32Array(length);
  table = new Int32Array(2 * length);
}

/**
 * Characters in repeated runs of 2 to 10 tokens. For 2 to 4: those of all places of the most frequent
 * run (the first of equally frequent ones), with one character between tokens. For 5 to 10: those of
 * runs that stand before already, found from left to right without overlap.
 */
export function gramCharacters(tokens: Tokens): number[] {
  const { count, ids, before } = tokens;
  reserve(count);
  classOf.set(ids.subarray(0, count));
  const result: number[] = [];
  let left = count;
  for (let i = 0; i < count; i++) candidates[i] = i;
  for (let n = 2; n <= LONGEST; n++) {
    left = refine(left, n, count);
    result.push(
      n <= LONGEST_TOP
        ? topCharacters(left, n, count, before)
        : repeatedCharacters(left, n, before),
    );
    [classOf, nextClass] = [nextClass, classOf];
    left = repeatedOnes(left);
  }
  return result;
}

/**
 * Classes of the runs of n that begin at the candidates, from the classes of their two runs of
 * n - 1. The class of a run is the place of the first like it. Returns how many candidates are left.
 *
 * A run is first compared with the first run of its old class, without the table: most repeats
 * continue as that one does.
 */
function refine(left: number, n: number, count: number): number {
  const [known, next, members, places, list] = [classOf, nextClass, counts, table, candidates];
  const slots = slotsFor(left);
  places.fill(0, 0, slots);
  next.fill(NONE, 0, count);
  let kept = 0;
  for (let i = 0; i < left; i++) {
    const at = list[i];
    if (at + n > count) continue;
    const second = known[at + 1];
    if (second === NONE) continue;
    list[kept++] = at;
    const first = known[at];
    if (next[first] === first && known[first + 1] === second) {
      next[at] = first;
      if (first === at) members[at] = 1;
      else members[first]++;
      continue;
    }
    if (first === at) {
      next[at] = at;
      members[at] = 1;
      continue;
    }
    let hash = Math.imul(first + 0x9e3779b1, 0x85ebca6b) ^ Math.imul(second, 0xc2b2ae35);
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
    let slot = (hash ^ (hash >>> 13)) & (slots - 1);
    let other = places[slot] - 1;
    while (other >= 0 && (known[other] !== first || known[other + 1] !== second)) {
      slot = (slot + 1) & (slots - 1);
      other = places[slot] - 1;
    }
    if (other < 0) {
      places[slot] = at + 1;
      next[at] = at;
      members[at] = 1;
    } else {
      next[at] = other;
      members[other]++;
    }
  }
  return kept;
}

/** Twice as many slots as entries, or more: a power of two. */
function slotsFor(entries: number): number {
  let slots = 64;
  while (slots < 2 * entries) slots *= 2;
  return Math.min(slots, table.length);
}

/** Keeps the candidates whose class has two members, and forgets the class of the others. */
function repeatedOnes(left: number): number {
  let kept = 0;
  for (let i = 0; i < left; i++) {
    const at = candidates[i];
    if (counts[classOf[at]] >= 2) candidates[kept++] = at;
    else classOf[at] = NONE;
  }
  return kept;
}

function topCharacters(left: number, n: number, count: number, before: Int32Array): number {
  if (count < n) return 0;
  // If none repeats, each stands once, and the first is the most frequent.
  let best = 0;
  let most = 1;
  for (let i = 0; i < left; i++) {
    const at = candidates[i];
    if (nextClass[at] === at && counts[at] > most) {
      best = at;
      most = counts[at];
    }
  }
  return most * (before[best + n] - before[best] + n - 1);
}

function repeatedCharacters(left: number, n: number, before: Int32Array): number {
  let characters = 0;
  let from = 0;
  for (let i = 0; i < left; i++) used[candidates[i]] = 0;
  for (let i = 0; i < left; i++) {
    const at = candidates[i];
    if (at < from) continue;
    const first = nextClass[at];
    if (used[first] === 1) {
      characters += before[at + n] - before[at];
      from = at + n;
    } else used[first] = 1;
  }
  return characters;
}
