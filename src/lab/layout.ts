/**
 * Which domain is of which kind, without a list of domains.
 *
 * Idea      The first domains (the best ranked) are the giants. After them the kinds repeat in
 *           blocks of a thousand whose order is shuffled once. A domain's place in its block gives
 *           its kind, and the j-th domain of a kind is found by division. So farms and exchanges
 *           know their members, and any number of domains costs 1,000 entries.
 * Ensures   `kindAt(memberAt(kind, j)) === kind` and `numberOf(memberAt(kind, j)) === j`.
 */
import type { KindName } from './kind.ts';
import { Random } from './words/random.ts';

/** The kinds repeat after this many domains. */
export const BLOCK = 1000;

export class Layout {
  readonly giants: number;
  readonly #kinds: readonly KindName[];
  /** Places of each kind within a block, rising. */
  readonly #places = new Map<KindName, number[]>();
  /** How many domains of its own kind come before this place in the block. */
  readonly #before: Uint16Array;

  /** `shares` sum to at most 1; the rest of the domains are of the kind `rest`. */
  constructor(
    seed: number,
    domains: number,
    shares: ReadonlyMap<KindName, number>,
    rest: KindName,
  ) {
    const giantShare = shares.get('giant') ?? 0;
    this.giants = giantShare > 0 ? Math.max(1, Math.round(giantShare * domains)) : 0;
    this.#kinds = shuffledBlock(seed, shares, rest);
    this.#before = new Uint16Array(BLOCK);
    for (let place = 0; place < BLOCK; place++) {
      const kind = this.#kinds[place];
      const places = this.#places.get(kind) ?? [];
      this.#places.set(kind, places);
      this.#before[place] = places.length;
      places.push(place);
    }
  }

  kindAt(index: number): KindName {
    return index < this.giants ? 'giant' : this.#kinds[(index - this.giants) % BLOCK];
  }

  /** The number of this domain among those of its kind, from 0. */
  numberOf(index: number): number {
    if (index < this.giants) return index;
    const at = index - this.giants;
    const places = this.#places.get(this.#kinds[at % BLOCK]) as number[];
    return Math.floor(at / BLOCK) * places.length + this.#before[at % BLOCK];
  }

  /** The index of the domain with this number in its kind; -1 if the kind has no share. */
  memberAt(kind: KindName, number: number): number {
    if (kind === 'giant') return number < this.giants ? number : -1;
    const places = this.#places.get(kind);
    if (!places) return -1;
    return (
      this.giants +
      Math.floor(number / places.length) * BLOCK +
      (places[number % places.length] as number)
    );
  }

  /** How many domains of a kind are among the first `domains`. */
  countOf(kind: KindName, domains: number): number {
    if (kind === 'giant') return Math.min(this.giants, domains);
    const places = this.#places.get(kind);
    const at = domains - this.giants;
    if (!places || at <= 0) return 0;
    return Math.floor(at / BLOCK) * places.length + countBelow(places, at % BLOCK);
  }
}

/** How many of some rising numbers are below a limit. */
function countBelow(rising: readonly number[], limit: number): number {
  let [low, high] = [0, rising.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (rising[middle] < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

function shuffledBlock(
  seed: number,
  shares: ReadonlyMap<KindName, number>,
  rest: KindName,
): KindName[] {
  const block: KindName[] = [];
  for (const [kind, share] of shares) {
    if (kind === 'giant' || kind === rest || share <= 0) continue;
    for (let n = Math.max(1, Math.round(share * BLOCK)); n > 0 && block.length < BLOCK; n--)
      block.push(kind);
  }
  while (block.length < BLOCK) block.push(rest);
  const random = new Random(seed ^ 0x1a7, BLOCK, 3, 5);
  for (let i = BLOCK - 1; i > 0; i--) {
    const j = random.below(i + 1);
    [block[i], block[j]] = [block[j], block[i]];
  }
  return block;
}
