/**
 * The kernels of counting supporters, the memory they work on, and the threads that run them.
 *
 * Idea      The data and the threads that count share one WebAssembly memory. A caller lays it out
 *           once, then issues calls. Each runs to its end on one hand: on this thread if there is
 *           only one hand, else on a thread of its own.
 * Requires  at most `MOST_BYTES` (memory.ts) in all. Two calls may run at a time only if neither
 *           writes what the other reads; so each hand has its own marks and queue.
 * Ensures   no allocation in the kernels. Marks are zero when a call begins and when it ends. New
 *           memory is zero.
 * Costs     some 20 µs a call on another thread: calls should be worth a millisecond.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { alignTo16 } from '../../base/align.ts';
import { type KernelMemory, WebAssembly } from '../../base/web-assembly.ts';
import { MOST_BYTES } from '../engine/memory.ts';
import { SUPPORTERS_KERNEL_WASM } from './supporters-kernel-wasm.ts';

const PAGE = 65_536;
/** Address 0 is not used: it means "none". */
const FIRST_ADDRESS = 16;

const COMPILED = new WebAssembly.Module(SUPPORTERS_KERNEL_WASM);

/**
 * The functions of the kernel. All arguments are addresses or numbers; `offsets` begin at the first
 * node.
 */
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
  /**
   * sums[x], a f64, = values[y] + …, u32s, over the others y in the list of each node x from
   * `first` on.
   */
  sumLists(
    values: number,
    sums: number,
    first: number,
    count: number,
    offsets: number,
    targets: number,
  ): void;
  /**
   * counts[i] = how many nodes have node i at distance `depth` exactly, for i in [from, to), or for
   * node wanted[i] if `wanted` is not 0. Lists of in-neighbours are offsets and targets; `marks`
   * has a bit per node; `queue` a u32 per node and one more.
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
   * One sweep of exact balls (balls.ts gives the fields): far[x] = the sources of near[y] over the
   * list of each node x that seen[x] lacks; seen[x] gets them, scores[x] their number times the
   * weight. All sets have 128 bits.
   */
  reachLists(sweep: number, first: number, count: number, offsets: number, targets: number): void;
  /**
   * One sweep of counters of `registers` bytes: far[x] = the greatest of near[x] and of near[y] for
   * each y in the list of x that has changed in the sweep before; scores[x] gets the growth of
   * sizes[x] times the weight.
   */
  growLists(sweep: number, first: number, count: number, offsets: number, targets: number): void;
  /** sizes[x], f64s, = about how many nodes the counter of each node x from `first` on has seen. */
  sizesOf(counters: number, registers: number, sizes: number, first: number, count: number): void;
  /**
   * counts[i] += how many sampled sources are at distance two of node first + i, for i below
   * `count`. The in-neighbours are given as offsets and targets. tse-index.ts lays out `index`;
   * `marks` has a bit per source; `places` a u32 per arc and one more.
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

/**
 * Given as text: it needs none of our modules, so it starts in milliseconds, in the same way from
 * sources and built.
 */
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

  /**
   * The address of `size` new bytes, all zero. Views made before stay valid, although the memory
   * may now reach further than they do.
   */
  allocate(size: number): number {
    const address = this.#allocated;
    this.#allocated += alignTo16(size);
    if (this.#allocated > MOST_BYTES) throw new RangeError('more memory than 32 bits address');
    const missing = this.#allocated - this.#memory.buffer.byteLength;
    if (missing > 0) this.#memory.grow(Math.ceil(missing / PAGE));
    return address;
  }

  /** Releases everything from an address on, to be allocated again. */
  release(address: number): void {
    new Uint8Array(this.#memory.buffer, address, this.#allocated - address).fill(0);
    this.#allocated = address;
  }

  /** Bytes allocated and not released. */
  get bytes(): number {
    return this.#allocated;
  }

  u32(address: number, length: number): Uint32Array {
    return new Uint32Array(this.#memory.buffer, address, length);
  }

  u8(address: number, length: number): Uint8Array {
    return new Uint8Array(this.#memory.buffer, address, length);
  }

  f64(address: number, length: number): Float64Array {
    return new Float64Array(this.#memory.buffer, address, length);
  }

  /**
   * Runs a call on a hand. Calls of one hand run one after the other. A single hand first gives the
   * event loop a turn.
   */
  async call(hand: number, [name, ...args]: Call): Promise<void> {
    if (this.hands > 1) return this.#threads[hand].call(name, args);
    await turn();
    (this.#functions[name] as (...args: number[]) => void)(...args);
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }
}

/** A thread that answers calls in their order. After its end every call rejects. */
class Thread {
  readonly #worker: Worker;
  #gone: Error | undefined;
  readonly #waiting: { resolve(): void; reject(error: Error): void }[] = [];

  constructor(memory: KernelMemory<SharedArrayBuffer>) {
    const workerData = { module: COMPILED, memory };
    this.#worker = new Worker(PROGRAM, { eval: true, execArgv: [], workerData });
    this.#worker.on('message', () => this.#waiting.shift()?.resolve());
    this.#worker.on('error', (error: Error) => this.#end(error));
    this.#worker.on('exit', (code) => this.#end(new Error(`A thread has ended (${code}).`)));
  }

  #end(error: Error): void {
    this.#gone ??= error;
    for (const { reject } of this.#waiting.splice(0)) reject(this.#gone);
  }

  call(name: string, args: readonly number[]): Promise<void> {
    if (this.#gone) return Promise.reject(this.#gone);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#worker.postMessage([name, ...args]);
    });
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}
