/**
 * The order of scores: greatest first, and equal scores by id. Ids follow the byte order of names,
 * so a ranking is reproducible to the last place.
 *
 * Idea      The bits of a non-negative double, read as an integer, have the order of the number. A
 *           stable sort of these from the lowest 11 bits up needs no comparison and orders ties by
 *           itself, since ids come in increasing order.
 * Cost      six passes over the nodes, fewer when scores share their bits (in-degrees share most),
 *           and 24 bytes a node while it runs; for a short list one pass with a heap. If the sort
 *           does not fit the room, heaps find the best nodes piece by piece, a pass for each, with
 *           4 bytes a node of a piece.
 */
import { DrumlinError } from '../../base/errors.ts';
import type { Bytes } from '../../base/units.ts';

const DIGIT = 11;
const VALUES = 1 << DIGIT;
/** Up to this share of all nodes, a heap is faster than sorting everything. */
const SHORT_LIST = 1 / 64;

const SORT_BYTES = 24;
/** With ties, a sort keeps their order and the scores in that order. */
const TIES_BYTES = 12;
const HEAP_BYTES = 4;
/** Nodes in a piece, however little room there is. */
const LEAST_PIECE = 4096;

/**
 * The ids of the `top` nodes, best first; `ties` orders nodes of equal score before their ids do.
 */
export function order(
  scores: Float64Array,
  top: number = scores.length,
  ties?: Float64Array,
): Uint32Array {
  const [ids = new Uint32Array(0)] = orderedPieces(scores, { top, ties });
  return ids;
}

/** Orders nodes by score; nodes of equal score keep the order that they have in `nodes`. */
export function orderWithin(
  nodes: Uint32Array,
  scores: Float64Array,
  top: number = nodes.length,
): Uint32Array {
  const placed = new Float64Array(nodes.length);
  for (let place = 0; place < placed.length; place++) placed[place] = scores[nodes[place]];
  const places = order(placed, top);
  for (let i = 0; i < places.length; i++) places[i] = nodes[places[i]];
  return places;
}

interface PiecesWanted {
  readonly top?: number | undefined;
  /** Bytes beside the scores; without a limit there is one piece. */
  readonly room?: Bytes;
  readonly ties?: Float64Array | undefined;
}

/** The ids of the `top` nodes, best first, in pieces that fit the room. */
export function* orderedPieces(
  scores: Float64Array,
  { top = scores.length, room = Number.POSITIVE_INFINITY, ties }: PiecesWanted = {},
): Generator<Uint32Array> {
  for (let id = 0; id < scores.length; id++) {
    if (!Number.isFinite(scores[id])) throw notFinite(id, scores[id]);
  }
  const count = Math.min(top, scores.length);
  const sortBytes = (SORT_BYTES + (ties ? TIES_BYTES : 0)) * scores.length;
  if (count > scores.length * SHORT_LIST && sortBytes <= room) {
    yield ties ? orderWithin(sortAll(ties), scores, count) : sortAll(scores).subarray(0, count);
    return;
  }
  const piece = Math.max(LEAST_PIECE, Math.floor(room / HEAP_BYTES));
  let last: number | undefined;
  for (let done = 0; done < count; ) {
    const ids = selectTop(scores, ties, Math.min(piece, count - done), last);
    yield ids;
    done += ids.length;
    last = ids[ids.length - 1];
  }
}

/**
 * Places among all nodes, from 1, of some of them: `nodes` best first, and the place of each.
 *
 * Idea      A node is counted at the first of these that it comes before; sums of the counts are
 *           the places. So no order of all nodes is needed.
 * Cost      O(nodes · log of how many are asked for).
 */
export function placesAmongAll(
  scores: Float64Array,
  wanted: Iterable<number>,
  ties?: Float64Array,
): { nodes: Uint32Array; places: Uint32Array } {
  const compare = (a: number, b: number) =>
    scores[b] - scores[a] || (ties ? ties[b] - ties[a] : 0) || a - b;
  const nodes = Uint32Array.from(wanted).sort(compare);
  const places = new Uint32Array(nodes.length + 1);
  for (let id = 0; id < scores.length; id++) {
    let low = 0;
    let high = nodes.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compare(nodes[middle], id) < 0) low = middle + 1;
      else high = middle;
    }
    places[low]++;
  }
  for (let i = 1; i < nodes.length; i++) places[i] += places[i - 1];
  return { nodes, places: places.subarray(0, nodes.length) };
}

function notFinite(id: number, score: number): DrumlinError {
  return new DrumlinError(
    'SCORES',
    `Node ${id} has the score ${score}.`,
    'Scores must be finite: please report this as a bug in the method.',
  );
}

/** Ids with the bits of their scores, inverted so that they grow as the score falls. */
interface Keyed {
  readonly high: Uint32Array;
  readonly low: Uint32Array;
  readonly ids: Uint32Array;
}

/** The bits move along with the ids: a look-up by id would miss the cache in every pass. */
function sortAll(scores: Float64Array): Uint32Array {
  let from = descendingKeys(scores);
  let to = emptyKeys(scores.length);
  for (const word of ['low', 'high'] as const) {
    for (let shift = 0; shift < 32; shift += DIGIT) {
      if (!scatterByDigit(from[word], shift, from, to)) continue;
      [from, to] = [to, from];
    }
  }
  return from.ids;
}

/** The bits of a negative number already grow as it falls; the others are inverted. */
function descendingKeys(scores: Float64Array): Keyed {
  const keys = emptyKeys(scores.length);
  const number = new Float64Array(1);
  const words = new Uint32Array(number.buffer);
  for (let id = 0; id < scores.length; id++) {
    number[0] = scores[id] + 0; // minus zero becomes zero: it is the same score
    const isNegative = words[1] >>> 31 === 1;
    keys.high[id] = isNegative ? words[1] : words[1] ^ 0x7fffffff;
    keys.low[id] = isNegative ? words[0] : ~words[0];
    keys.ids[id] = id;
  }
  return keys;
}

function emptyKeys(n: number): Keyed {
  return { high: new Uint32Array(n), low: new Uint32Array(n), ids: new Uint32Array(n) };
}

/**
 * Orders everything by one digit, keeping the order of equals. Returns false, and moves nothing, if
 * all digits are equal.
 */
function scatterByDigit(keys: Uint32Array, shift: number, from: Keyed, to: Keyed): boolean {
  const next = new Uint32Array(VALUES + 1);
  for (let i = 0; i < keys.length; i++) next[((keys[i] >>> shift) & (VALUES - 1)) + 1]++;
  if (keys.length === 0 || next[((keys[0] >>> shift) & (VALUES - 1)) + 1] === keys.length)
    return false;
  for (let value = 0; value < VALUES; value++) next[value + 1] += next[value];
  for (let i = 0; i < keys.length; i++) {
    const place = next[(keys[i] >>> shift) & (VALUES - 1)]++;
    to.high[place] = from.high[i];
    to.low[place] = from.low[i];
    to.ids[place] = from.ids[i];
  }
  return true;
}

/**
 * The best nodes, or the best of those after the node `last`: a heap of the best so far, the worst
 * of them on top. There must be `count` of them.
 */
function selectTop(
  scores: Float64Array,
  ties: Float64Array | undefined,
  count: number,
  last?: number,
): Uint32Array {
  const heap = new Uint32Array(count);
  const isWorseTie = (a: number, b: number) =>
    ties === undefined || ties[a] === ties[b] ? a > b : ties[a] < ties[b];
  const worse = (a: number, b: number) =>
    scores[a] < scores[b] || (scores[a] === scores[b] && isWorseTie(a, b));
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
  let filled = 0;
  for (let id = 0; id < scores.length; id++) {
    if (last !== undefined && !worse(id, last)) continue;
    if (filled < count) rise(id, filled++);
    else if (worse(heap[0], id)) sink(id, count);
  }
  for (let size = count - 1; size > 0; size--) {
    const worst = heap[0];
    sink(heap[size], size);
    heap[size] = worst;
  }
  return heap;
}
