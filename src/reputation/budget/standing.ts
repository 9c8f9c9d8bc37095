/**
 * The standing: the best T domains of the whole crawl, and how many domains there are in all.
 *
 * Idea      Budgets distinguish only domains at the top (the paper's R list), so agents need not
 *           sort all theirs. Each picks its own best T in one pass, all send each other those, and
 *           merge them to the same list. A domain's rank is then looked up by its present score,
 *           which may have changed since.
 * Requires  every domain belongs to one agent; scores are finite.
 * Ensures   `merge` is the list that one agent with all domains would make, in whatever order its
 *           arguments come: ties go to the lower key. A score of 0 has no rank.
 * Cost      16 bytes per place in a message; picking takes 32 bytes per place and one comparison
 *           for most domains.
 */
import { DrumlinError } from '../../base/errors.ts';
import type { DomainRecord } from './domain-record.ts';

export const RANKS = ['in', 'opic', 'tse', 'trusted', 'list', 'none'] as const;
export type RankName = (typeof RANKS)[number];
export type Score = (record: Readonly<DomainRecord>) => number;

/** The score of a record, by each ranking. */
export const SCORES: { readonly [rank in RankName]: Score } = {
  in: ({ inDegree }) => inDegree,
  opic: ({ cash }) => cash,
  tse: ({ supporters }) => supporters ?? 0,
  trusted: ({ supporters }) => supporters ?? 0,
  list: () => 0, // needs the list: see `scoreBy`
  none: () => 0,
};

/** A ranking by name, or by a score of its own: that of a list. */
export type Ranking = RankName | Score;

export const scoreBy = (ranking: Ranking): Score =>
  typeof ranking === 'function' ? ranking : SCORES[ranking];

const DEFAULT_PLACES = 10_000;
const HEADER_BYTES = 24;

export class Standing {
  /** T, the most places in the list. */
  readonly places: number;
  /** Number of domains in all. */
  readonly domains: number;
  /** Sum of the scores of all domains. */
  readonly sum: number;
  /** Scores of the places, the best first. */
  readonly scores: Float64Array;
  readonly keys: BigUint64Array;
  readonly #at: ReadonlyMap<bigint, number>;

  private constructor(
    places: number,
    domains: number,
    sum: number,
    scores: Float64Array,
    keys: BigUint64Array,
  ) {
    this.places = places;
    this.domains = domains;
    this.sum = sum;
    this.scores = scores;
    this.keys = keys;
    this.#at = new Map(Array.from(keys, (key, i) => [key, i]));
  }

  /** The standing before anything is known. */
  static readonly none = new Standing(
    DEFAULT_PLACES,
    0,
    0,
    new Float64Array(0),
    new BigUint64Array(0),
  );

  /** The standing among these records alone. */
  static async of(
    records: AsyncIterable<{ readonly key: bigint; readonly record: DomainRecord }>,
    score: Score,
    places = DEFAULT_PLACES,
  ): Promise<Standing> {
    const best = new Best(places);
    let domains = 0;
    let sum = 0;
    for await (const { key, record } of records) {
      const own = score(record);
      best.add(own, key);
      domains++;
      sum += own;
    }
    return new Standing(places, domains, sum, ...best.take());
  }

  /** The standing in the whole crawl, from those of all its agents. */
  static merge(all: readonly Standing[]): Standing {
    const places = Math.max(...all.map((one) => one.places));
    const best = new Best(places);
    for (const { scores, keys } of all)
      for (let i = 0; i < keys.length; i++) best.add(scores[i], keys[i]);
    const total = (of: (one: Standing) => number) => all.reduce((sum, one) => sum + of(one), 0);
    return new Standing(
      places,
      total((one) => one.domains),
      total((one) => one.sum),
      ...best.take(),
    );
  }

  get mean(): number {
    return this.domains === 0 ? 0 : this.sum / this.domains;
  }

  /**
   * Rank from 1; undefined below the top. A domain that was not in the list when it was made is
   * ranked if it has overtaken one that was, provided that the list is full. In a list that is not
   * full every domain had a place, and a new one gets its place in the next list.
   */
  rankOf(score: number, key: bigint): number | undefined {
    if (!(score > 0)) return undefined;
    const better = this.#better(score, key);
    const held = this.#at.get(key);
    // A domain whose score has fallen since must not be counted before itself.
    if (held !== undefined) return held < better ? better : better + 1;
    return this.keys.length === this.places && better < this.places ? better + 1 : undefined;
  }

  /** Rank from 1 when the list was made; undefined below the top. */
  placeOf(key: bigint): number | undefined {
    const at = this.#at.get(key);
    return at === undefined ? undefined : at + 1;
  }

  /** Only those of its places that `whole` has too; `whole` merges the same from such parts. */
  within(whole: Standing): Standing {
    const kept = Array.from(this.keys.keys()).filter((i) => whole.#at.has(this.keys[i]));
    const scores = Float64Array.from(kept, (i) => this.scores[i]);
    const keys = BigUint64Array.from(kept, (i) => this.keys[i]);
    return new Standing(this.places, this.domains, this.sum, scores, keys);
  }

  /** Packs it: three f64 (places, domains, sum), the scores as f64, the keys as u64. */
  pack(): Uint8Array {
    const bytes = new Uint8Array(HEADER_BYTES + 16 * this.keys.length);
    const numbers = new Float64Array(bytes.buffer);
    numbers.set([this.places, this.domains, this.sum]);
    numbers.set(this.scores, 3);
    new BigUint64Array(bytes.buffer, HEADER_BYTES + 8 * this.keys.length).set(this.keys);
    return bytes;
  }

  static unpack(bytes: Uint8Array): Standing {
    const count = (bytes.length - HEADER_BYTES) / 16;
    if (count < 0 || !Number.isInteger(count)) throw notAStanding(`${bytes.length} bytes`);
    const { buffer } = Uint8Array.from(bytes);
    const [places, domains, sum] = new Float64Array(buffer, 0, 3);
    const scores = new Float64Array(buffer, HEADER_BYTES, count);
    const keys = new BigUint64Array(buffer, HEADER_BYTES + 8 * count, count);
    const isSorted = keys.every(
      (key, i) => i === 0 || isBetter(scores[i - 1], keys[i - 1], scores[i], key),
    );
    if (!isSorted || !(places >= count)) throw notAStanding('places out of order');
    return new Standing(places, domains, sum, scores, keys);
  }

  /** How many places are better than this score. */
  #better(score: number, key: bigint): number {
    let low = 0;
    let high = this.keys.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isBetter(this.scores[middle], this.keys[middle], score, key)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/**
 * Picks the best `places` of any number: it collects twice as many, drops the lower half, and
 * repeats.
 */
class Best {
  readonly #places: number;
  readonly #scores: Float64Array;
  readonly #keys: BigUint64Array;
  #count = 0;
  /** At least `places` domains are this good. */
  #bar = { score: 0, key: 0n };

  constructor(places: number) {
    this.#places = places;
    this.#scores = new Float64Array(2 * places);
    this.#keys = new BigUint64Array(2 * places);
  }

  add(score: number, key: bigint): void {
    if (!isBetter(score, key, this.#bar.score, this.#bar.key)) return;
    if (this.#count === this.#scores.length) this.#drop();
    this.#scores[this.#count] = score;
    this.#keys[this.#count++] = key;
  }

  take(): [Float64Array, BigUint64Array] {
    this.#drop();
    return [this.#scores.slice(0, this.#count), this.#keys.slice(0, this.#count)];
  }

  #drop(): void {
    const [scores, keys] = [this.#scores.slice(), this.#keys.slice()];
    const order = Array.from({ length: this.#count }, (_, i) => i);
    order.sort((a, b) => (isBetter(scores[a], keys[a], scores[b], keys[b]) ? -1 : 1));
    this.#count = Math.min(this.#count, this.#places);
    for (let i = 0; i < this.#count; i++) {
      this.#scores[i] = scores[order[i]];
      this.#keys[i] = keys[order[i]];
    }
    const last = this.#count - 1;
    if (this.#count === this.#places)
      this.#bar = { score: this.#scores[last], key: this.#keys[last] };
  }
}

/**
 * The ranks of all domains, not only of the best: the same rank that a `Standing` with room for all
 * of them gives.
 *
 * Cost      16 bytes per domain, and a sort.
 */
export class AllRanks {
  #scores = new Float64Array(1024);
  #keys = new BigUint64Array(1024);
  #count = 0;
  #places: Uint32Array | undefined;

  add(score: number, key: bigint): void {
    if (!(score > 0)) return;
    if (this.#count === this.#keys.length) {
      const [scores, keys] = [this.#scores, this.#keys];
      this.#scores = new Float64Array(2 * this.#count);
      this.#scores.set(scores);
      this.#keys = new BigUint64Array(2 * this.#count);
      this.#keys.set(keys);
    }
    this.#scores[this.#count] = score;
    this.#keys[this.#count++] = key;
  }

  /** Rank from 1 of a domain that was added; undefined for a score of 0. */
  rankOf(score: number, key: bigint): number | undefined {
    if (!(score > 0)) return undefined;
    const [scores, keys] = [this.#scores, this.#keys];
    this.#places ??= Uint32Array.from({ length: this.#count }, (_, i) => i).sort((a, b) =>
      isBetter(scores[a], keys[a], scores[b], keys[b]) ? -1 : 1,
    );
    let low = 0;
    let high = this.#places.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const at = this.#places[middle];
      if (isBetter(scores[at], keys[at], score, key)) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  }
}

/**
 * A list never has a score of 0: it is not better than the initial bar (score 0, key 0), since no
 * key is below 0.
 */
function isBetter(score: number, key: bigint, than: number, thanKey: bigint): boolean {
  return score > than || (score === than && key < thanKey);
}

function notAStanding(what: string): DrumlinError {
  return new DrumlinError(
    'STANDING_FORMAT',
    `This is not a standing of domains: ${what}.`,
    'It was truncated or changed on its way; resume the crawl from its last checkpoint.',
  );
}
