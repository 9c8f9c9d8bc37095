/**
 * Repeated segments: `/shop/cart/shop/cart/shop/cart/` comes from a relative link that accumulates,
 * and never ends.
 *
 * Idea      A sequence of segments that occurs k times in a row is a tandem array. The path is
 *           split into Lempel-Ziv factors, each the longest that occurred before. A repetition
 *           within one factor occurred before too. So the first of its kind crosses the border of
 *           two factors, and reaches back less than twice the factor before and the one after (Main
 *           1989). At each border, two tables of longest common prefixes (Z) find every period in
 *           time proportional to the factors.
 * Requires  A canonical URL.
 * Ensures   The exact answer: `repeatsIn` is the largest k for which any sequence occurs k times in
 *           a row.
 * Cost      O(n) in the number of segments, for any segments; for most URLs only a look at their
 *           characters.
 */
import { pathOf } from './parts.ts';

const SLASH = 0x2f;
const QUESTION = 0x3f;
/** Paths with more segments are always examined in full. */
const MANY = 64;

/** Whether some sequence of segments of the URL's path occurs more than `limit` times in a row. */
export function repeatsMoreThan(url: string, limit: number): boolean {
  return mayRepeat(url, limit) && mostInARow(segmentsOf(url)) > limit;
}

/** Hashes of the segments seen so far; scratch memory for one call. */
const hashes = new Int32Array(MANY);

/** False for nearly all URLs, without allocation: no segment occurs often enough, or seems to. */
function mayRepeat(url: string, limit: number): boolean {
  let segments = 0;
  let hash = 0;
  for (let i = url.indexOf('/', url.indexOf('//') + 2) + 1; i <= url.length; i++) {
    const c = i < url.length ? url.charCodeAt(i) : QUESTION;
    if (c !== SLASH && c !== QUESTION) {
      hash = Math.imul(hash ^ c, 0x01000193);
      continue;
    }
    if (segments === MANY) return true;
    let times = 1;
    for (let j = 0; j < segments; j++) if (hashes[j] === hash) times++;
    if (times > limit) return true;
    if (c === QUESTION) return false;
    hashes[segments++] = hash;
    hash = 0;
  }
  return false;
}

/**
 * The most times that any sequence of segments of the URL's path occurs in a row; 0 for the empty
 * path.
 */
export function repeatsIn(url: string): number {
  return mostInARow(segmentsOf(url));
}

/** The segments of a path as numbers; equal segments have equal numbers. */
function segmentsOf(url: string): Int32Array {
  const path = pathOf(url);
  const question = path.indexOf('?');
  const names = (question < 0 ? path : path.slice(0, question)).split('/').slice(1);
  if (names[names.length - 1] === '') names.pop();
  const numbers = new Map<string, number>();
  return Int32Array.from(names, (name) => {
    const known = numbers.get(name);
    if (known !== undefined) return known;
    numbers.set(name, numbers.size);
    return numbers.size - 1;
  });
}

export function mostInARow(sequence: Int32Array): number {
  if (sequence.length < 2) return sequence.length;
  const factors = factorsOf(sequence);
  let most = 1;
  let start = factors[0];
  for (let i = 1; i < factors.length; i++) {
    const reach = Math.max(0, start - 2 * factors[i - 1] - factors[i]);
    most = Math.max(most, acrossBorder(sequence, reach, start, start + factors[i]));
    start += factors[i];
  }
  return most;
}

/** The most repetitions in a row of any sequence across `border`, between `from` and `to`. */
function acrossBorder(sequence: Int32Array, from: number, border: number, to: number): number {
  const left = sequence.subarray(from, border).toReversed();
  const right = sequence.subarray(border, to);
  const forward = prefixLengths(right);
  const backward = prefixLengths(left);
  const mirrored = commonPrefixes(left, right.toReversed());
  const onward = commonPrefixes(right, sequence.subarray(from, to));
  let most = 1;
  // The period is compared with what follows it …
  for (let period = 1; period <= right.length; period++) {
    const after = period < right.length ? forward[period] : 0;
    const before = mirrored[right.length - period];
    most = Math.max(most, 1 + Math.floor((after + before) / period));
  }
  // … or with what precedes it.
  for (let period = 1; period <= left.length; period++) {
    const before = period < left.length ? backward[period] : 0;
    const after = onward[left.length - period];
    most = Math.max(most, 1 + Math.floor((after + before) / period));
  }
  return most;
}

/** For each position of a text, how far it agrees with the text's beginning. */
function prefixLengths(text: Int32Array): Int32Array {
  const lengths = new Int32Array(text.length);
  let [start, end] = [0, 0];
  for (let i = 1; i < text.length; i++) {
    let length = i < end ? Math.min(lengths[i - start], end - i) : 0;
    while (i + length < text.length && text[length] === text[i + length]) length++;
    lengths[i] = length;
    if (i + length > end) [start, end] = [i, i + length];
  }
  return lengths;
}

/** For each position of a text, how far it agrees with the beginning of `pattern`. */
function commonPrefixes(pattern: Int32Array, text: Int32Array): Int32Array {
  const both = new Int32Array(pattern.length + 1 + text.length);
  both.set(pattern);
  both[pattern.length] = -1;
  both.set(text, pattern.length + 1);
  return prefixLengths(both).subarray(pattern.length + 1);
}

/**
 * Lengths of the Lempel-Ziv factors: each is the longest that also begins at an earlier position,
 * or one new segment. They come from a suffix automaton, whose states know where their text first
 * ended.
 */
function factorsOf(sequence: Int32Array): number[] {
  const { step, firstEnd } = suffixAutomaton(sequence);
  const factors: number[] = [];
  for (let start = 0; start < sequence.length; ) {
    let state = 0;
    let end = start;
    while (end < sequence.length) {
      state = step(state, sequence[end]) as number;
      if (firstEnd[state] >= end) break;
      end++;
    }
    factors.push(Math.max(1, end - start));
    start += Math.max(1, end - start);
  }
  return factors;
}

interface Automaton {
  step(state: number, symbol: number): number | undefined;
  /** By state: where the first occurrence of its text ends. */
  readonly firstEnd: readonly number[];
}

/** Built as by Blumer and others, one symbol after the other: fewer than 2n states. */
function suffixAutomaton(sequence: Int32Array): Automaton {
  const next: Map<number, number>[] = [new Map()];
  const link: number[] = [-1];
  const longest: number[] = [0];
  const firstEnd: number[] = [-1];
  const addState = (steps: Map<number, number>, length: number, end: number): number => {
    next.push(steps);
    link.push(0);
    longest.push(length);
    firstEnd.push(end);
    return next.length - 1;
  };
  let last = 0;
  for (let i = 0; i < sequence.length; i++) {
    const symbol = sequence[i];
    const state = addState(new Map(), longest[last] + 1, i);
    let p = last;
    for (; p >= 0 && !next[p].has(symbol); p = link[p]) next[p].set(symbol, state);
    last = state;
    if (p < 0) continue;
    const q = next[p].get(symbol) as number;
    if (longest[q] === longest[p] + 1) {
      link[state] = q;
      continue;
    }
    const clone = addState(new Map(next[q]), longest[p] + 1, firstEnd[q]);
    link[clone] = link[q];
    for (; p >= 0 && next[p].get(symbol) === q; p = link[p]) next[p].set(symbol, clone);
    link[q] = clone;
    link[state] = clone;
  }
  return { step: (state, symbol) => next[state].get(symbol), firstEnd };
}
