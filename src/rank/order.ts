/**
 * The order that scores mean: greatest first, and equal scores by id, which is by name, since ids follow the byte order of
 * names. So a ranking is reproducible to the last place.
 *
 * Idea      the bits of a non-negative double, read as an integer, are ordered as the number is. Sorting them from the lowest 16
 *           bits up, keeping the order of equals, needs no comparison and settles ties on its own: ids come in first.
 * Cost      four passes over the nodes, fewer when scores share their bits (in-degrees share most), and 24 bytes a node while it
 *           runs; for a short list one pass with a heap.
 */
import { DrumlinError } from '../errors.ts';

const DIGIT = 16;
const VALUES = 1 << DIGIT;
/** Up to this part of all nodes a heap is quicker than sorting everything. */
const SHORT_LIST = 1 / 64;

/** The ids of the `top` nodes, best first. */
export function order(scores: Float64Array, top: number = scores.length): Uint32Array {
  for (let id = 0; id < scores.length; id++) {
    if (!Number.isFinite(scores[id])) throw notFinite(id, scores[id]);
  }
  const count = Math.min(top, scores.length);
  return count <= scores.length * SHORT_LIST ? selectTop(scores, count) : sortAll(scores).subarray(0, count);
}

function notFinite(id: number, score: number): DrumlinError {
  return new DrumlinError(
    'SCORES',
    `Node ${id} has the score ${score}.`,
    'Scores must be finite: report the method.',
  );
}

function sortAll(scores: Float64Array): Uint32Array {
  const keys = descendingKeys(scores);
  let from = new Uint32Array(scores.length);
  for (let id = 0; id < from.length; id++) from[id] = id;
  let to = new Uint32Array(scores.length);
  for (let digit = 0; digit < 64 / DIGIT; digit++) {
    if (!scatterByDigit(keys, digit, from, to)) continue;
    [from, to] = [to, from];
  }
  return from;
}

/** Bits that grow as the score falls, as four 16-bit digits, low first. Those of a negative number already do; the others are turned round. */
function descendingKeys(scores: Float64Array): Uint16Array {
  const numbers = scores.slice();
  for (let i = 0; i < numbers.length; i++) numbers[i] += 0; // minus zero becomes zero: it is the same score
  const words = new Uint32Array(numbers.buffer);
  for (let high = 1; high < words.length; high += 2) {
    if (words[high] >>> 31 === 1) continue;
    words[high] ^= 0x7fffffff;
    words[high - 1] ^= 0xffffffff;
  }
  return new Uint16Array(numbers.buffer);
}

/** Moves the ids into the order of one digit, keeping the order of equals; false, and nothing moved, where all are equal. */
function scatterByDigit(keys: Uint16Array, digit: number, from: Uint32Array, to: Uint32Array): boolean {
  const starts = new Uint32Array(VALUES + 1);
  for (let at = digit; at < keys.length; at += 4) starts[keys[at] + 1]++;
  if (from.length === 0 || starts[keys[digit] + 1] === from.length) return false;
  for (let value = 0; value < VALUES; value++) starts[value + 1] += starts[value];
  for (let i = 0; i < from.length; i++) to[starts[keys[4 * from[i] + digit]]++] = from[i];
  return true;
}

/** A heap of the best so far, the worst of them on top. */
function selectTop(scores: Float64Array, count: number): Uint32Array {
  const heap = new Uint32Array(count);
  const worse = (a: number, b: number) => scores[a] < scores[b] || (scores[a] === scores[b] && a > b);
  const sink = (id: number, size: number) => {
    let hole = 0;
    for (let child = 1; child < size; child = 2 * hole + 1) {
      if (child + 1 < size && worse(heap[child + 1], heap[child])) child++;
      if (!worse(heap[child], id)) break;
      heap[hole] = heap[child];
      hole = child;
    }
    heap[hole] = id;
  };
  const rise = (id: number, at: number) => {
    let hole = at;
    for (; hole > 0 && worse(id, heap[(hole - 1) >> 1]); hole = (hole - 1) >> 1)
      heap[hole] = heap[(hole - 1) >> 1];
    heap[hole] = id;
  };
  for (let id = 0; id < scores.length && count > 0; id++) {
    if (id < count) rise(id, id);
    else if (worse(heap[0], id)) sink(id, count);
  }
  for (let size = count - 1; size > 0; size--) {
    const worst = heap[0];
    sink(heap[size], size);
    heap[size] = worst;
  }
  return heap;
}
