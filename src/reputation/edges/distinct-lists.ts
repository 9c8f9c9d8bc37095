/**
 * Lists of domain edges in which each source is named once. Merged runs of several periods name it
 * once for every period in which the edge was seen.
 *
 * Idea      Sources have no order in a run, so a list is sorted as a whole; the engine sorts such
 *           numbers without calling back.
 * Requires  what `mergeRows` ensures, except that a list may name a source several times.
 * Ensures   the same targets, in their order; the sources of each by increasing key, each once.
 * Cost      about 100 ns an edge, and memory for the longest list.
 */
import { Block, type EdgeLists } from './edge-lists.ts';

/** Blocks of at most `room` sources; each is valid until the next is asked for. */
export async function* distinctLists(
  lists: AsyncIterable<EdgeLists>,
  room: number,
): AsyncGenerator<EdgeLists> {
  const block = new Block(room);
  const list = new WholeList();
  for await (const { length, targets, degrees, ends, sources } of lists) {
    for (let i = 0; i < length; i++) {
      list.add(sources.subarray(i === 0 ? 0 : ends[i - 1], ends[i]));
      if (list.length < degrees[i]) continue;
      const all = list.takeDistinct();
      const [low, high] = [Number(targets[i] & LOW), Number(targets[i] >> 32n)];
      for (let at = 0; at < all.length; ) {
        if (block.room === 0) {
          yield block;
          block.clear(at);
        }
        block.begin(low, high, all.length);
        const some = all.subarray(at, at + block.room);
        block.put(some);
        at += some.length;
      }
    }
  }
  if (block.length > 0) yield block;
}

const LOW = 0xffff_ffffn;

/** Collects the sources of one target. */
class WholeList {
  #sources = new BigUint64Array(1024);
  length = 0;

  add(some: BigUint64Array): void {
    const length = this.length + some.length;
    if (length > this.#sources.length) {
      const grown = new BigUint64Array(2 * length);
      grown.set(this.#sources.subarray(0, this.length));
      this.#sources = grown;
    }
    this.#sources.set(some, this.length);
    this.length = length;
  }

  /** Each source once, and an empty list again. A view, valid until the next `add`. */
  takeDistinct(): BigUint64Array {
    const sources = this.#sources.subarray(0, this.length);
    this.length = 0;
    if (sources.length > 1) sources.sort();
    let kept = 0;
    for (let i = 0; i < sources.length; i++)
      if (i === 0 || sources[i] !== sources[kept - 1]) sources[kept++] = sources[i];
    return sources.subarray(0, kept);
  }
}
