/**
 * The best nodes of a stream of scores, in the order of `order`: greatest first, equal ones by id.
 *
 * Idea      Collects twice as many as are wanted, drops the worse half, and repeats. Most nodes are
 *           worse than the worst that was kept, and cost one comparison.
 * Ensures   the same result for every order of additions.
 * Cost      24 bytes for each node that is wanted.
 */
export class BestNodes {
  readonly #wanted: number;
  readonly #nodes: Uint32Array;
  readonly #scores: Float64Array;
  #count = 0;
  /** As many as are wanted are at least as good as this. */
  #bar = { score: Number.NEGATIVE_INFINITY, node: 0 };

  constructor(wanted: number) {
    this.#wanted = wanted;
    this.#nodes = new Uint32Array(2 * wanted);
    this.#scores = new Float64Array(2 * wanted);
  }

  add(node: number, score: number): void {
    const { score: least, node: last } = this.#bar;
    if (score < least || (score === least && node > last)) return;
    if (this.#count === this.#nodes.length) this.#drop();
    this.#nodes[this.#count] = node;
    this.#scores[this.#count++] = score;
  }

  /** Those that were wanted, best first. */
  take(): { readonly nodes: Uint32Array; readonly scores: Float64Array } {
    this.#drop();
    return {
      nodes: this.#nodes.slice(0, this.#count),
      scores: this.#scores.slice(0, this.#count),
    };
  }

  #drop(): void {
    const [nodes, scores] = [this.#nodes.slice(), this.#scores.slice()];
    const order = Uint32Array.from({ length: this.#count }, (_, i) => i);
    order.sort((a, b) => scores[b] - scores[a] || nodes[a] - nodes[b]);
    this.#count = Math.min(this.#count, this.#wanted);
    for (let i = 0; i < this.#count; i++) {
      this.#nodes[i] = nodes[order[i]];
      this.#scores[i] = scores[order[i]];
    }
    if (this.#count === this.#wanted)
      this.#bar = { score: this.#scores[this.#count - 1], node: this.#nodes[this.#count - 1] };
  }
}
