/**
 * The memory of a sweep that makes the balls of all nodes one arc larger: what `reachLists` and
 * `growLists` of the kernel work on.
 *
 * Idea      A ball holds the nodes from which a node can be reached within t arcs. Either all its
 *           members are known, as bits of 128 sources at a time, or only about how many there are,
 *           by a HyperLogLog counter of one byte a register. In both, the ball of a node within
 *           t + 1 arcs is the union of its own within t and those of its in-neighbours.
 */
import type { SupportersKernel } from './supporters-kernel.ts';

/**
 * Positions of the fields, in u32, except for the weight and the bits, which balls.as.ts gives in
 * bytes.
 */
const AT = {
  near: 0,
  far: 1,
  seen: 2,
  scores: 3,
  grew: 4,
  registers: 5,
  changed: 6,
  changes: 7,
  sizes: 8,
  weight: 10,
  full: 12,
} as const;
const SWEEP_BYTES = 64;

type Address = Exclude<keyof typeof AT, 'grew' | 'weight' | 'full'>;

export class Sweep {
  readonly address: number;
  readonly #words: Uint32Array;
  readonly #weight: Float64Array;

  constructor(kernel: SupportersKernel, fields: Partial<Record<Address, number>>) {
    this.address = kernel.allocate(SWEEP_BYTES);
    this.#words = kernel.u32(this.address, SWEEP_BYTES / 4);
    this.#weight = kernel.f64(this.address + 4 * AT.weight, 1);
    for (const [name, value] of Object.entries(fields)) this.#words[AT[name as Address]] = value;
  }

  /** Whether a ball has grown since the sweep began. */
  get grew(): boolean {
    return this.#words[AT.grew] !== 0;
  }

  /** The four words of bits of the sources that this batch has. */
  get full(): Uint32Array {
    return this.#words.subarray(AT.full, AT.full + 4);
  }

  /** Prepares the sweep in which the balls reach `distance` arcs. */
  begin(distance: number): void {
    this.#words[AT.grew] = 0;
    this.#weight[0] = 1 / distance;
  }

  exchange(one: Address, other: Address): void {
    const words = this.#words;
    [words[AT[one]], words[AT[other]]] = [words[AT[other]], words[AT[one]]];
  }
}
