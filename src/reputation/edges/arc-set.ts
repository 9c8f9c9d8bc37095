/**
 * Arcs between domains in memory, each once.
 *
 * Idea      Arcs are stored in the order they came, in pieces that are never moved. So a reader is
 *           not disturbed by what is added meanwhile. A hash table of their numbers tells which are
 *           there. With stamps, each arc has the number of the period in which it came last.
 * Requires  at most `most` arcs; no arc from a domain to itself.
 * Cost      16 bytes an arc, and 6 to 12 bytes of table for each arc that there is room for. The
 *           table has its full size from the beginning, so it is never rebuilt in the middle of a
 *           crawl; pages of it that were never touched use no memory. Stamps: 4 bytes an arc.
 */
export const ARC_WORDS = 4;
export const ARC_BYTES = 4 * ARC_WORDS;

const PIECE_BITS = 14;
const PIECE_ARCS = 2 ** PIECE_BITS;
const PIECE_MASK = PIECE_ARCS - 1;

/**
 * The first `length` arcs of some pieces: source, target, a u64 each, as words. All pieces but the
 * last are full.
 */
export interface Arcs {
  readonly length: number;
  readonly pieces: readonly Uint32Array[];
}

export class ArcSet {
  readonly most: number;
  readonly #pieces: Uint32Array[] = [];
  readonly #table: Uint32Array;
  /** Like the pieces; undefined without stamps. */
  readonly #stamps: Int32Array[] | undefined;
  #renewed: number[] = [];
  #length = 0;

  constructor(most: number, isStamped = false) {
    this.most = most;
    this.#stamps = isStamped ? [] : undefined;
    this.#table = new Uint32Array(2 ** Math.ceil(Math.log2(1.5 * (most + 1))));
  }

  get length(): number {
    return this.#length;
  }

  /**
   * Adds the arc at `words[at ..]`, unless it is there; then it gets the stamp, if that is higher.
   * Returns false if there is no room for it.
   */
  add(words: Uint32Array, at: number, stamp = 0): boolean {
    const table = this.#table;
    const mask = table.length - 1;
    let slot = hash(words, at) & mask;
    for (; table[slot] !== 0; slot = (slot + 1) & mask) {
      const number = table[slot] - 1;
      if (isSame(this.#pieces[number >>> PIECE_BITS], (number & PIECE_MASK) * ARC_WORDS, words, at))
        return this.#renew(number, stamp);
    }
    if (this.#length === this.most) return false;
    const to = (this.#length & PIECE_MASK) * ARC_WORDS;
    if (to === 0) this.#pieces.push(new Uint32Array(PIECE_ARCS * ARC_WORDS));
    const piece = this.#pieces[this.#pieces.length - 1];
    for (let i = 0; i < ARC_WORDS; i++) piece[to + i] = words[at + i];
    if (this.#stamps) {
      if (to === 0) this.#stamps.push(new Int32Array(PIECE_ARCS));
      this.#stamps[this.#stamps.length - 1][this.#length & PIECE_MASK] = stamp;
    }
    table[slot] = ++this.#length;
    return true;
  }

  /** The stamp of the arc with this number; 0 without stamps. */
  stampOf(number: number): number {
    return this.#stamps?.[number >>> PIECE_BITS][number & PIECE_MASK] ?? 0;
  }

  /** Numbers of the arcs that got a higher stamp since the last call. */
  takeRenewed(): number[] {
    const renewed = this.#renewed;
    this.#renewed = [];
    return renewed;
  }

  #renew(number: number, stamp: number): true {
    if (this.#stamps && this.stampOf(number) < stamp) {
      this.#stamps[number >>> PIECE_BITS][number & PIECE_MASK] = stamp;
      this.#renewed.push(number);
    }
    return true;
  }

  /** The arcs that are there now; later additions do not change them. */
  all(): Arcs {
    return { length: this.#length, pieces: [...this.#pieces] };
  }
}

/** Words of the arcs from number `from` on, piece by piece. */
export function* arcWords({ length, pieces }: Arcs, from = 0): Generator<Uint32Array> {
  for (let start = from; start < length; ) {
    const piece = Math.floor(start / PIECE_ARCS);
    const end = Math.min(length, (piece + 1) * PIECE_ARCS);
    const first = piece * PIECE_ARCS;
    yield pieces[piece].subarray((start - first) * ARC_WORDS, (end - first) * ARC_WORDS);
    start = end;
  }
}

/** Copies the arc with this number to `into[at ..]`. */
export function copyArc({ pieces }: Arcs, number: number, into: Uint32Array, at: number): void {
  const from = (number & PIECE_MASK) * ARC_WORDS;
  const piece = pieces[number >>> PIECE_BITS];
  for (let i = 0; i < ARC_WORDS; i++) into[at + i] = piece[from + i];
}

function isSame(a: Uint32Array, i: number, b: Uint32Array, j: number): boolean {
  return a[i] === b[j] && a[i + 1] === b[j + 1] && a[i + 2] === b[j + 2] && a[i + 3] === b[j + 3];
}

/** Keys of domains are hashes already: this only has to tell apart the arcs of the same domains. */
function hash(words: Uint32Array, at: number): number {
  let h = Math.imul(words[at] ^ words[at + 1], 0x9e3779b1) + words[at + 2];
  h = Math.imul(h ^ (h >>> 15), 0x85ebca6b) + words[at + 3];
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
