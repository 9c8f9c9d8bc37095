/** The best pages so far, each by its best version. */

export interface ScoredVersion {
  readonly page: number;
  readonly version: number;
  readonly score: number;
}

export class TopPages {
  readonly #most: number;
  /** The better of two versions of a page with the same score. */
  readonly #prefer: (a: number, b: number) => boolean;
  /** Best first. */
  readonly #best: ScoredVersion[] = [];
  readonly #byPage = new Map<number, ScoredVersion>();

  constructor(most: number, prefer: (a: number, b: number) => boolean) {
    this.#most = most;
    this.#prefer = prefer;
  }

  /** A score below this cannot enter any more. */
  get threshold(): number {
    const { length } = this.#best;
    return length < this.#most ? Number.NEGATIVE_INFINITY : this.#best[length - 1].score;
  }

  get results(): readonly ScoredVersion[] {
    return this.#best;
  }

  offer(page: number, version: number, score: number): void {
    const known = this.#byPage.get(page);
    if (known !== undefined) {
      if (score < known.score) return;
      if (score === known.score && !this.#prefer(version, known.version)) return;
      this.#best.splice(this.#placeOf(known), 1);
    }
    const entry = { page, version, score };
    const place = this.#placeOf(entry);
    if (place >= this.#most) return;
    this.#best.splice(place, 0, entry);
    this.#byPage.set(page, entry);
    if (this.#best.length <= this.#most) return;
    const out = this.#best.pop();
    if (out) this.#byPage.delete(out.page);
  }

  /** Where an entry is, or would be: by score, then by page. */
  #placeOf({ score, page }: ScoredVersion): number {
    let [low, high] = [0, this.#best.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = this.#best[middle];
      const isBefore = other.score > score || (other.score === score && other.page < page);
      if (isBefore) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
