/**
 * Stops the requests of an agent whose lease was not renewed in time, whatever the rest of its
 * process does.
 *
 * Idea      The worker's main thread writes when it sent the last renewal that succeeded. The HTTP
 *           client of the agent's thread compares that with its clock in the step in which it
 *           writes a request. A process that was stopped for a minute finds the fence closed before
 *           it sends another byte.
 * Requires  One even clock for all threads. It may stand still while a machine sleeps, so the wall
 *           clock is asked too: what looks too long on either of them closes the fence.
 * Ensures   `open` only within `send` of the last renewal, `cut` from `cut` on.
 * Cost      Two reads of shared memory and two of clocks per request.
 */
import type { Millis } from '../../base/units.ts';
import type { Fence } from '../../fetch/client-options.ts';
import type { LeaseTimes } from './lease-times.ts';

/** Times of the last renewal, on both clocks, as plain data for every thread. */
export type SharedFence = BigInt64Array;

export interface LeaseClock {
  /** Milliseconds that pass evenly, the same in all threads of the process. */
  even(): Millis;
  /** The time of day. */
  wall(): Millis;
}

export const systemLeaseClock: LeaseClock = {
  even: () => Number(process.hrtime.bigint() / 1000n) / 1000,
  wall: () => Date.now(),
};

interface Moment {
  readonly even: Millis;
  readonly wall: Millis;
}

export const momentOf = (clock: LeaseClock): Moment => ({ even: clock.even(), wall: clock.wall() });

const [EVEN, WALL] = [0, 1];

/** Closed: no lease was renewed yet. */
export function shareFence(): SharedFence {
  return new BigInt64Array(new SharedArrayBuffer(16));
}

/** A renewal that was sent at `sent` has succeeded. */
export function openFence(shared: SharedFence, sent: Moment): void {
  Atomics.store(shared, WALL, BigInt(Math.floor(sent.wall)));
  Atomics.store(shared, EVEN, BigInt(Math.floor(sent.even)));
}

/** The lease is lost: nothing is sent any more. */
export function closeFence(shared: SharedFence): void {
  Atomics.store(shared, EVEN, 0n);
  Atomics.store(shared, WALL, 0n);
}

export class LeaseFence implements Fence {
  readonly #shared: SharedFence;
  readonly #clock: LeaseClock;
  readonly #times: LeaseTimes;

  constructor(shared: SharedFence, times: LeaseTimes, clock: LeaseClock = systemLeaseClock) {
    this.#shared = shared;
    this.#clock = clock;
    this.#times = times;
  }

  get open(): boolean {
    return this.#since() < this.#times.send;
  }

  get cut(): boolean {
    return this.#since() >= this.#times.cut;
  }

  #since(): Millis {
    const even = this.#clock.even() - Number(Atomics.load(this.#shared, EVEN));
    const wall = this.#clock.wall() - Number(Atomics.load(this.#shared, WALL));
    return Math.max(even, wall);
  }
}
