/**
 * The kernels of counting supporters, the memory they work on, and the threads that run them.
 *
 * Idea      what is counted and who counts share one WebAssembly memory. A caller lays it out once, then hands out calls; each
 *           runs to its end on one hand: this thread when there is one hand only, else a thread of its own.
 * Requires  at most `MOST_BYTES` (memory.ts) in all; two calls at a time only where neither writes what the other reads, which is why marks and
 *           queues are a hand's own.
 * Ensures   no allocation in the kernels. Marks are zero when a call begins and when it ends. New memory is zero.
 * Costs     some 20 µs a call on another thread: calls should be worth a millisecond.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { alignTo16 } from '../../base/align.ts';
import { type KernelMemory, WebAssembly } from '../../base/web-assembly.ts';
import { MOST_BYTES } from '../engine/memory.ts';
import { SUPPORTERS_KERNEL_WASM } from './supporters-kernel-wasm.ts';

const PAGE = 65_536;
/** Address 0 is left out: it reads as "nothing". */
const FIRST_ADDRESS = 16;

const COMPILED = new WebAssembly.Module(SUPPORTERS_KERNEL_WASM);

/** What the kernels do; all arguments are addresses or numbers. `offsets` are those of the first node on. */
interface Functions {
  /** far[x] = near[x] | near[y] | …, u64s, over the list of each node x from `first` on. */
  orLists(
    near: number,
    far: number,
    first: number,
    count: number,
    offsets: number,
    targets: number,
  ): void;
  /** sums[x], a f64, = values[y] + …, u32s, over the others y in the list of each node x from `first` on. */
  sumLists(
    values: number,
    sums: number,
    first: number,
    count: number,
    offsets: number,
    targets: number,
  ): void;
  /**
   * counts[i] = how many nodes have node i at distance `depth` exactly, for i in [from, to), or for node wanted[i] where `wanted` is
   * not 0. Lists of in-neighbours as offsets and targets; `marks` a bit a node; `queue` a u32 a node and one.
   */
  countAtDistance(
    offsets: number,
    targets: number,
    nodes: number,
    depth: number,
    wanted: number,
    from: number,
    to: number,
    marks: number,
    queue: number,
    counts: number,
  ): void;
  /**
   * counts[i] += how many sampled sources are at distance two of node first + i, for i below `count`, whose in-neighbours are given as
   * offsets and targets. `index` is laid out by tse-index.ts; `marks` a bit a source; `places` a u32 an arc and one.
   */
  countSampled(
    index: number,
    marks: number,
    first: number,
    count: number,
    offsets: number,
    targets: number,
    places: number,
    counts: number,
  ): void;
}

export type Call = {
  [Name in keyof Functions]: readonly [name: Name, ...args: Parameters<Functions[Name]>];
}[keyof Functions];

/** Given as text: it needs none of our modules, so it starts in milliseconds, in the same way from sources and built. */
const PROGRAM = `
const { parentPort, workerData: { module, memory } } = require('node:worker_threads');
const functions = new WebAssembly.Instance(module, { env: { memory } }).exports;
parentPort.on('message', ([name, ...args]) => {
  functions[name](...args);
  parentPort.postMessage(0);
});
`;

export class SupportersKernel {
  /** How many calls may run at a time. */
  readonly hands: number;
  readonly #memory: KernelMemory<SharedArrayBuffer>;
  readonly #functions: Functions;
  readonly #threads: Thread[];
  #allocated = FIRST_ADDRESS;

  constructor(hands: number) {
    this.#memory = new WebAssembly.Memory({ initial: 1, maximum: MOST_BYTES / PAGE, shared: true });
    const { exports } = new WebAssembly.Instance(COMPILED, { env: { memory: this.#memory } });
    this.#functions = exports as unknown as Functions;
    this.hands = hands;
    this.#threads = Array.from({ length: hands === 1 ? 0 : hands }, () => new Thread(this.#memory));
  }

  /** An address of `size` bytes, all zero. Views made before it may end sooner than the memory does; they stay valid. */
  allocate(size: number): number {
    const address = this.#allocated;
    this.#allocated += alignTo16(size);
    if (this.#allocated > MOST_BYTES) throw new RangeError('more memory than 32 bits address');
    const missing = this.#allocated - this.#memory.buffer.byteLength;
    if (missing > 0) this.#memory.grow(Math.ceil(missing / PAGE));
    return address;
  }

  /** Gives back everything from an address on, to be allocated anew. */
  release(address: number): void {
    new Uint8Array(this.#memory.buffer, address, this.#allocated - address).fill(0);
    this.#allocated = address;
  }

  /** What has been allocated and not released. */
  get bytes(): number {
    return this.#allocated;
  }

  u32(address: number, length: number): Uint32Array {
    return new Uint32Array(this.#memory.buffer, address, length);
  }

  f64(address: number, length: number): Float64Array {
    return new Float64Array(this.#memory.buffer, address, length);
  }

  /** Runs a call on a hand; those of one hand are run one after the other. A lone hand gives the event loop a turn first. */
  async call(hand: number, [name, ...args]: Call): Promise<void> {
    if (this.hands > 1) return this.#threads[hand].call(name, args);
    await turn();
    (this.#functions[name] as (...args: number[]) => void)(...args);
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }
}

/** A thread that answers calls in their order. */
class Thread {
  readonly #worker: Worker;
  readonly #waiting: { resolve(): void; reject(error: Error): void }[] = [];

  constructor(memory: KernelMemory<SharedArrayBuffer>) {
    const workerData = { module: COMPILED, memory };
    this.#worker = new Worker(PROGRAM, { eval: true, execArgv: [], workerData });
    this.#worker.on('message', () => this.#waiting.shift()?.resolve());
    this.#worker.on('error', (error: Error) => {
      for (const { reject } of this.#waiting.splice(0)) reject(error);
    });
  }

  call(name: string, args: readonly number[]): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#worker.postMessage([name, ...args]);
    });
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}
