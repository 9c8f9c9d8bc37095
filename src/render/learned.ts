/**
 * What rendering was good for, host by host: a host whose first pages gained nothing is rendered no
 * more.
 *
 * Idea      The first `TRIED` pages of a host that look as if they needed it are rendered. If none
 *           gained links or text, the host is left alone, but for one page in `AGAIN` of them: the
 *           site may have changed, or its first pages were not like the others.
 * Ensures   At most `most` hosts are remembered, the latest ones. Nothing is kept on disk: a
 *           resumed crawl learns anew, at the price of `TRIED` pages of a host that gain nothing.
 */
const TRIED = 3;
const AGAIN = 64;

interface Experience {
  rendered: number;
  gained: number;
  /** Pages since the last one that was rendered. */
  passed: number;
  /** A page has found no place since. */
  waits: boolean;
}

export class RenderLearner {
  readonly #hosts = new Map<string, Experience>();
  readonly #most: number;

  constructor(most = 50_000) {
    this.#most = most;
  }

  /** Whether to render another page of the host that looks as if it needed it. */
  worthwhile(host: string): boolean {
    const known = this.#hosts.get(host);
    if (!known || known.gained > 0 || known.rendered < TRIED) return true;
    if (++known.passed < AGAIN) return false;
    known.passed = 0;
    return true;
  }

  /** Pages of the host are expected to be rendered: some gained by it, or one waits for it. */
  expects(host: string): boolean {
    const known = this.#hosts.get(host);
    return known !== undefined && (known.gained > 0 || known.waits);
  }

  /** A page of the host found no place: until one is rendered, others are expected to need one. */
  suspect(host: string): void {
    const known = this.#hosts.get(host) ?? { rendered: 0, gained: 0, passed: 0, waits: true };
    known.waits = true;
    this.#keep(host, known);
  }

  /** A page of the host was rendered. */
  learn(host: string, gained: boolean): void {
    const known = this.#hosts.get(host) ?? { rendered: 0, gained: 0, passed: 0, waits: false };
    known.rendered++;
    known.waits = false;
    if (gained) known.gained++;
    this.#keep(host, known);
  }

  #keep(host: string, known: Experience): void {
    this.#hosts.delete(host);
    this.#hosts.set(host, known);
    if (this.#hosts.size <= this.#most) return;
    for (const oldest of this.#hosts.keys()) {
      this.#hosts.delete(oldest);
      return;
    }
  }
}
