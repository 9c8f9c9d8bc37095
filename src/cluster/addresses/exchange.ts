/**
 * The traffic about addresses between workers: questions to grantors, claims for new grantors,
 * requests to give an address back.
 *
 *   hold.<agent>      to the worker that runs the agent: ask (with an answer), released
 *   worker.<id>       to a worker: claims of an agent's addresses (with an answer), wanted
 *
 * Ensures   A message that is lost is asked for again, or made up for by the end of the hold.
 */
import type { Millis } from '../../base/units.ts';
import { xxh64 } from '../../base/xxh64.ts';
import { AddressGrantor, type Claim, type HoldAnswer, type HoldRequest } from './grantor.ts';
import { HeldAddresses } from './held-addresses.ts';
import type { HoldTimes } from './hold-times.ts';

/** A message to the worker that runs the grantor's agent. */
export type ToGrantor =
  | ({ readonly type: 'ask' } & HoldRequest)
  | {
      readonly type: 'released';
      readonly ip: string;
      readonly worker: string;
      readonly readyIn: Millis;
    };

/** A message to a worker. */
export type ToHolder =
  | { readonly type: 'claims'; readonly agent: number }
  | { readonly type: 'wanted'; readonly ip: string };

interface ExchangeParts {
  readonly worker: string;
  readonly agents: number;
  readonly times: HoldTimes;
  /** The clock that agents count delays by. */
  readonly now: () => Millis;
  /** Asks the worker that runs an agent; rejects if none answers. */
  readonly askGrantor: (agent: number, message: ToGrantor) => Promise<HoldAnswer>;
  readonly tellGrantor: (agent: number, message: ToGrantor) => void;
  readonly askHolder: (worker: string, message: ToHolder) => Promise<readonly Claim[]>;
  readonly tellHolder: (worker: string, message: ToHolder) => void;
  readonly tell: (agent: number, ip: string, until: Millis) => void;
  readonly revoke: (agent: number, ip: string) => void;
}

interface Granting {
  readonly grantor: AddressGrantor;
  readonly answered: Set<string>;
}

export class AddressExchange {
  readonly held: HeldAddresses;
  readonly #parts: ExchangeParts;
  /** The agents that run here lend addresses to all workers. */
  readonly #granting = new Map<number, Granting>();

  constructor(parts: ExchangeParts) {
    this.#parts = parts;
    const { worker, times, now, tell, revoke } = parts;
    this.held = new HeldAddresses({
      ...{ times, now, tell, revoke },
      ask: (ip, delay) => {
        const request = { type: 'ask', ip, worker, delay } as const;
        return this.#atGrantor(ip, request) ?? parts.askGrantor(this.#agentOf(ip), request);
      },
      giveBack: (ip, readyIn) => {
        const message = { type: 'released', ip, worker, readyIn } as const;
        if (!this.#atGrantor(ip, message)) parts.tellGrantor(this.#agentOf(ip), message);
      },
    });
  }

  /** An agent runs here from now on; `isFirst`: it never ran before. */
  begin(agent: number, isFirst: boolean): void {
    const { times, now, tellHolder, worker } = this.#parts;
    const askBack = (holder: string, ip: string) => {
      if (holder === worker) this.held.wantedBack(ip);
      else tellHolder(holder, { type: 'wanted', ip });
    };
    const grantor = new AddressGrantor(times, now, isFirst, askBack);
    this.#granting.set(agent, { grantor, answered: new Set() });
  }

  end(agent: number): void {
    this.#granting.delete(agent);
    this.held.left(agent);
  }

  /** Asks workers that did not answer yet what they hold. */
  async openGrantors(workers: readonly string[]): Promise<void> {
    for (const [agent, { grantor, answered }] of this.#granting) {
      if (grantor.isOpen) continue;
      const asked = workers.filter((worker) => !answered.has(worker));
      await Promise.all(
        asked.map(async (worker) => {
          const claims = await this.#claimsOf(worker, agent);
          if (!claims) return;
          grantor.claimed(worker, claims);
          answered.add(worker);
        }),
      );
      if (workers.every((worker) => answered.has(worker))) grantor.open();
    }
  }

  async #claimsOf(worker: string, agent: number): Promise<readonly Claim[] | undefined> {
    if (worker === this.#parts.worker) return this.claims(agent);
    try {
      return await this.#parts.askHolder(worker, { type: 'claims', agent });
    } catch {
      return undefined;
    }
  }

  /** What this worker holds of the addresses of a grantor. */
  claims(agent: number): Claim[] {
    return this.held.claims((ip) => this.#agentOf(ip) === agent);
  }

  /** A message to the grantor of an agent that runs here. */
  received(agent: number, message: ToGrantor): HoldAnswer | undefined {
    const granting = this.#granting.get(agent);
    if (!granting) return undefined;
    if (message.type === 'ask') return granting.grantor.ask(message);
    granting.grantor.released(message.worker, message.ip, message.readyIn);
    return { again: 0 };
  }

  /** The answer, if the grantor is here. */
  #atGrantor(ip: string, message: ToGrantor): Promise<HoldAnswer> | undefined {
    const answer = this.received(this.#agentOf(ip), message);
    return answer && Promise.resolve(answer);
  }

  #agentOf(ip: string): number {
    return Number(xxh64(ip) % BigInt(this.#parts.agents));
  }
}
