/**
 * The addresses that a worker holds, for all its agents.
 *
 * Ensures   An agent is told of a hold as long as the grantor allows, counted from before the
 *           question. An address that is wanted elsewhere is given back when every agent that was
 *           told of it has said that it does not use it any more. A process that was stopped may
 *           read that an address is wanted before it has read that it was granted: then it does
 *           not use the grant. What it asks for now counts as claimed.
 */
import type { Millis } from '../../base/units.ts';
import type { Claim, HoldAnswer } from './grantor.ts';
import type { HoldTimes } from './hold-times.ts';

interface Held {
  until: Millis;
  delay: Millis;
  /** The agents that may use it. */
  readonly agents: Set<number>;
  /** It is to be given back; until then, when it is ready. */
  readyAt: Millis | undefined;
}

/** Another worker wants the address since the question was asked. */
interface Question {
  readonly delay: Millis;
  isWanted: boolean;
}

interface HeldParts {
  readonly times: HoldTimes;
  /** The clock that agents count delays by. */
  readonly now: () => Millis;
  /** Asks the grantor of an address. */
  readonly ask: (ip: string, delay: Millis) => Promise<HoldAnswer>;
  readonly giveBack: (ip: string, readyIn: Millis) => void;
  readonly tell: (agent: number, ip: string, until: Millis) => void;
  readonly revoke: (agent: number, ip: string) => void;
}

export class HeldAddresses {
  readonly #parts: HeldParts;
  readonly #held = new Map<string, Held>();
  /** Questions under way. */
  readonly #asking = new Map<string, Question>();

  constructor(parts: HeldParts) {
    this.#parts = parts;
  }

  /** An agent wants to use an address. */
  async want(agent: number, ip: string, delay: Millis): Promise<void> {
    const { times, now, ask, tell } = this.#parts;
    const held = this.#held.get(ip);
    if (held?.readyAt !== undefined) return; // it is on its way back
    if (held && held.until - now() >= times.renew) {
      held.agents.add(agent);
      tell(agent, ip, held.until);
      return;
    }
    if (this.#asking.has(ip)) return;
    const question: Question = { delay, isWanted: false };
    this.#asking.set(ip, question);
    try {
      const askedAt = now();
      const answer = await ask(ip, delay);
      if (!('granted' in answer) || question.isWanted) return;
      const fresh = this.#held.get(ip) ?? {
        until: 0,
        delay,
        agents: new Set(),
        readyAt: undefined,
      };
      fresh.until = askedAt + answer.granted;
      fresh.delay = Math.max(fresh.delay, delay);
      fresh.agents.add(agent);
      this.#held.set(ip, fresh);
      for (const each of fresh.agents) tell(each, ip, fresh.until);
    } catch {
      // The grantor is not there: the agent asks again.
    } finally {
      this.#asking.delete(ip);
      if (question.isWanted && !this.#held.has(ip)) this.#parts.giveBack(ip, 0);
    }
  }

  /** Another worker wants the address. */
  wantedBack(ip: string): void {
    const held = this.#held.get(ip);
    const question = this.#asking.get(ip);
    if (question) question.isWanted = true;
    else if (!held) this.#parts.giveBack(ip, 0);
    if (!held || held.readyAt !== undefined) return;
    held.readyAt = this.#parts.now();
    for (const agent of held.agents) this.#parts.revoke(agent, ip);
    this.#returnIfFree(ip, held);
  }

  /** An agent does not use the address any more. */
  unused(agent: number, ip: string, readyAt: Millis): void {
    const held = this.#held.get(ip);
    if (held?.readyAt === undefined) return;
    held.readyAt = Math.max(held.readyAt, readyAt);
    held.agents.delete(agent);
    this.#returnIfFree(ip, held);
  }

  /** An agent has left this worker, with a last request at any time up to now. */
  left(agent: number): void {
    for (const [ip, held] of this.#held) {
      if (!held.agents.delete(agent)) continue;
      held.readyAt &&= Math.max(held.readyAt, this.#parts.now() + held.delay);
      if (held.readyAt !== undefined) this.#returnIfFree(ip, held);
    }
  }

  /** What this worker holds, of the addresses that `isOf` selects. */
  claims(isOf: (ip: string) => boolean): Claim[] {
    const { now: clock, times } = this.#parts;
    const now = clock();
    const claims: Claim[] = [];
    for (const [ip, { until, delay }] of this.#held) {
      if (until <= now) this.#held.delete(ip);
      else if (isOf(ip) && !this.#asking.has(ip)) claims.push({ ip, left: until - now, delay });
    }
    // The answer may be on its way.
    for (const [ip, { delay }] of this.#asking)
      if (isOf(ip)) claims.push({ ip, left: times.hold, delay });
    return claims;
  }

  #returnIfFree(ip: string, { agents, readyAt = 0 }: Held): void {
    if (agents.size > 0) return;
    this.#held.delete(ip);
    this.#parts.giveBack(ip, Math.max(0, readyAt - this.#parts.now()));
  }
}
