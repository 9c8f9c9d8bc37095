/**
 * The machine on which a simulated crawl runs: one queue of events in virtual time.
 *
 * Idea      A program without threads does nothing between two events of its machine: timers, and
 *           the completions of I/O. So a machine that makes all of them, in an order drawn from a
 *           seed, makes every run repeatable. To kill the process is to drop its events: nothing
 *           of it ever runs again.
 * Requires  that the program gets all events from here: clocks, timers and random numbers through
 *           `replaced.ts`, files and sockets through the parameters of a crawl.
 * Ensures   the same seed gives the same events, in the same order, at the same times: `digest`.
 *           Events that are due at one time run in an order drawn from the seed.
 */
import { createHash } from 'node:crypto';
import { type Clock, steady } from '../../src/base/clock.ts';
import type { Millis } from '../../src/base/units.ts';
import type { Random } from '../../test/fuzz/mutation.ts';

/** Midnight of 1 January 2030: virtual time begins later than any real clock of ours. */
const BEGINNING: Millis = 1_893_456_000_000;

interface Event {
  readonly at: Millis;
  /** Decides between events of one time. */
  readonly tie: number;
  readonly order: number;
  run: (() => void) | undefined;
}

/** How a run of a program ended: its result, its error, or that it was killed. */
export type Outcome<T> =
  | { readonly result: T }
  | { readonly error: unknown }
  | { readonly killed: true };

/** The program waits for something that never happens, or runs without end. */
export class Stuck extends Error {
  override readonly name = 'Stuck';
}

/** The system's own: `replaced.ts` replaces the global one. */
const immediate = setImmediate;

export class Machine {
  readonly random: Random;
  #events: Event[] = [];
  /** Time that has passed; it never jumps. */
  #elapsed: Millis = 0;
  /** How far the wall clock is ahead. */
  #ahead: Millis = 0;
  #count = 0;
  #order = 0;
  readonly #hash = createHash('sha256');
  readonly #trace: ((line: string) => void) | undefined;
  #kill = false;
  #alarm: { readonly at: number; readonly run: () => void } | undefined;

  constructor(random: Random, trace?: (line: string) => void) {
    this.random = random;
    this.#trace = trace;
  }

  /** The time that has passed since the beginning, over all lives. */
  get elapsed(): Millis {
    return this.#elapsed;
  }

  /** Events run so far. */
  get count(): number {
    return this.#count;
  }

  wall(): Millis {
    return Math.floor(BEGINNING + this.#elapsed + this.#ahead);
  }

  /** Sets the wall clock; delays must not notice. */
  setClock(ahead: Millis): void {
    this.note('clock', ahead);
    this.#ahead = ahead;
  }

  /** The clock of one life of the program, made as `systemClock` is. */
  clock(): Clock {
    const origin = this.wall() - this.#elapsed;
    const after = (delay: Millis, callback: () => void) => this.after(Math.max(1, delay), callback);
    const now = steady(
      () => this.wall(),
      () => this.#elapsed,
    );
    return { now, after, pace: { now: () => Math.floor(origin + this.#elapsed), after } };
  }

  after(delay: Millis, run: () => void): () => void {
    const event: Event = {
      at: this.#elapsed + delay,
      tie: this.random(2 ** 30),
      order: this.#order++,
      run,
    };
    push(this.#events, event);
    return () => {
      event.run = undefined;
    };
  }

  /** Resolves after a time drawn from the seed: mostly short, now and then long. */
  takes(usual: Millis): Promise<void> {
    return new Promise((resolve) => void this.after(this.delay(usual), resolve));
  }

  delay(usual: Millis): Millis {
    const longer = this.random(50) === 0 ? 100 : 1;
    return (usual * longer * (1 + this.random(1000))) / 500;
  }

  /** Adds a fact to the digest of the run. */
  note(...facts: (string | number)[]): void {
    const line = `${this.#elapsed.toFixed(3)} ${facts.join(' ')}\n`;
    this.#hash.update(line);
    this.#trace?.(line);
  }

  digest(): string {
    return this.#hash.copy().digest('hex').slice(0, 16);
  }

  /** Calls back once, between two events, when this many more have run. */
  afterEvents(count: number, run: () => void): void {
    this.#alarm = { at: this.#count + count, run };
  }

  /** Nothing of the program runs after the current event. */
  kill(): void {
    this.#kill = true;
  }

  /**
   * Runs a program until it ends or is killed. `most` bounds the events; throws `Stuck` when they
   * are over, or when no event is left and the program has not ended.
   */
  async run<T>(program: () => Promise<T>, most: number): Promise<Outcome<T>> {
    let outcome: Outcome<T> | undefined;
    const last = this.#count + most;
    this.#kill = false;
    program().then(
      (result) => {
        outcome = { result };
      },
      (error) => {
        outcome = { error };
      },
    );
    for (;;) {
      await drained();
      if (this.#alarm && this.#count >= this.#alarm.at) this.#ring(this.#alarm.run);
      if (this.#kill) return this.#end({ killed: true });
      if (outcome) return this.#end(outcome);
      if (this.#count >= last) throw new Stuck(`not ended after ${most} events`);
      if (!this.#step()) throw new Stuck('waits for an event that never comes');
    }
  }

  #ring(run: () => void): void {
    this.#alarm = undefined;
    run();
  }

  #end<T>(outcome: Outcome<T>): Outcome<T> {
    this.#events = [];
    this.#alarm = undefined;
    return outcome;
  }

  /** Time passes while no program runs. */
  rest(time: Millis): void {
    this.#elapsed += time;
  }

  /** Runs the next event; false if there is none. */
  #step(): boolean {
    for (;;) {
      const event = pop(this.#events);
      if (!event) return false;
      if (!event.run) continue;
      this.#elapsed = Math.max(this.#elapsed, event.at);
      this.#count++;
      event.run();
      return true;
    }
  }
}

/** Resolves when no microtask is left. */
const drained = (): Promise<void> => new Promise((resolve) => void immediate(resolve));

function before(a: Event, b: Event): boolean {
  return a.at !== b.at ? a.at < b.at : a.tie !== b.tie ? a.tie < b.tie : a.order < b.order;
}

function push(heap: Event[], event: Event): void {
  let at = heap.push(event) - 1;
  while (at > 0) {
    const up = (at - 1) >> 1;
    if (!before(event, heap[up])) break;
    heap[at] = heap[up];
    at = up;
  }
  heap[at] = event;
}

function pop(heap: Event[]): Event | undefined {
  const first = heap[0];
  const last = heap.pop();
  if (!last || heap.length === 0) return first;
  let at = 0;
  for (;;) {
    let down = 2 * at + 1;
    if (down >= heap.length) break;
    if (down + 1 < heap.length && before(heap[down + 1], heap[down])) down++;
    if (!before(heap[down], last)) break;
    heap[at] = heap[down];
    at = down;
  }
  heap[at] = last;
  return first;
}
