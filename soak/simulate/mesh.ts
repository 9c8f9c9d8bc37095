/**
 * The ports between the agents of a simulated crawl: messages take time, and arrive in the order
 * in which they were sent.
 */
import type { Millis } from '../../src/base/units.ts';
import type { AgentPorts } from '../../src/crawl/transport/port-transport.ts';
import type { Machine } from './machine.ts';

const LATENCY: Millis = 0.2;

/** Messages stay whole: what is sent is a copy. */
class SimPort {
  readonly #machine: Machine;
  peer: SimPort | undefined;
  #take: ((message: unknown) => void) | undefined;
  readonly #waiting: unknown[] = [];
  #lastAt: Millis = 0;
  #closed = false;

  constructor(machine: Machine) {
    this.#machine = machine;
  }

  on(_: 'message', take: (message: unknown) => void): void {
    this.#take = take;
    this.#machine.after(LATENCY, () => {
      for (const message of this.#waiting.splice(0)) this.deliver(message);
    });
  }

  postMessage(message: unknown): void {
    const copy = structuredClone(message);
    const { elapsed } = this.#machine;
    this.#lastAt = Math.max(this.#lastAt + 0.001, elapsed + this.#machine.delay(LATENCY));
    this.#machine.after(this.#lastAt - elapsed, () => this.peer?.deliver(copy));
  }

  close(): void {
    this.#closed = true;
  }

  deliver(message: unknown): void {
    if (this.#closed) return;
    if (this.#take && this.#waiting.length === 0) this.#take(message);
    else this.#waiting.push(message);
  }
}

export function simMesh(machine: Machine, agents: number): AgentPorts[] {
  const mesh = Array.from({ length: agents }, () => new Array<SimPort | undefined>(agents));
  for (let a = 0; a < agents; a++) {
    for (let b = 0; b < a; b++) {
      const [one, other] = [new SimPort(machine), new SimPort(machine)];
      one.peer = other;
      other.peer = one;
      mesh[a][b] = one;
      mesh[b][a] = other;
    }
  }
  return mesh as unknown as AgentPorts[];
}
