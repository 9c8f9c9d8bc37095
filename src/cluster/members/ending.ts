/**
 * Is the crawl of a cluster over? The reports of its agents are from different moments, and any
 * agent may fall back to its committed checkpoint at any time.
 *
 * Idea      Two waves. In each, the leader asks all agents. The crawl is over when, in both waves,
 *           every agent was idle, nothing that an agent sent was missing in the *committed* state
 *           of its receiver, and every agent's own state was committed; and when no agent had
 *           received anything or changed its owner between the waves. An idle agent becomes busy
 *           only by a parcel, and there was none on its way: parcels are kept until they are
 *           committed. And because all of it is committed, it stays over whatever crashes
 *           afterwards. The limit of pages ends a crawl in the same way: an agent that has no page
 *           left counts as idle, if no page is left anywhere.
 * Ensures   never too early; an agent without owner does not answer, and so blocks the end.
 */
import type { EndReason } from '../../crawl/record/counters.ts';

/** What an agent reports to the leader. */
export interface AgentLook {
  readonly agent: number;
  readonly epoch: number;
  readonly idle: boolean;
  /** It has URLs, and no page of the limit left to fetch them. */
  readonly starved: boolean;
  /** Its last committed checkpoint holds its pages and what it received. */
  readonly safe: boolean;
  /** The last parcel for each agent that is not in its committed checkpoint; 0 if all are. */
  readonly heads: readonly number[];
  /** The last parcel that it processed, of each agent. */
  readonly received: readonly number[];
  readonly pages: number;
  readonly bytes: number;
  readonly queued: number;
}

interface Surroundings {
  readonly agents: number;
  /** The epoch of each agent, as its key has it. */
  readonly epochs: readonly number[];
  /** Pages of the limit that no agent has; Infinity without a limit. */
  readonly pagesLeft: number;
}

export class Ending {
  #last: string | undefined;

  /** The last wave found the crawl over: the next one may confirm it. */
  get isNear(): boolean {
    return this.#last !== undefined;
  }

  /** A wave is complete; returns why the crawl is over, if it is. */
  wave(looks: readonly AgentLook[], around: Surroundings): EndReason | undefined {
    const reason = seemsOver(looks, around);
    const seen = reason && `${reason} ${fingerprintOf(looks)}`;
    const confirmed = seen !== undefined && seen === this.#last;
    this.#last = seen;
    return confirmed ? reason : undefined;
  }
}

function seemsOver(
  looks: readonly AgentLook[],
  { agents, epochs, pagesLeft }: Surroundings,
): EndReason | undefined {
  if (!isComplete(looks, agents, epochs)) return undefined;
  if (looks.some(({ safe, heads }) => !safe || heads.some((head) => head > 0))) return undefined;
  if (looks.every(({ idle }) => idle)) return 'finished';
  const spent = pagesLeft === 0 && looks.every(({ idle, starved }) => idle || starved);
  return spent ? 'max-pages' : undefined;
}

/** After a stop: every agent has handed on what it had, and all of it has arrived. */
export class HandingOn {
  #last: string | undefined;

  wave(looks: readonly AgentLook[], { agents, epochs }: Surroundings): boolean {
    const quiet =
      isComplete(looks, agents, epochs) && looks.every(({ idle }) => idle) && allArrived(looks);
    const seen = quiet ? fingerprintOf(looks) : undefined;
    const confirmed = seen !== undefined && seen === this.#last;
    this.#last = seen;
    return confirmed;
  }
}

function allArrived(looks: readonly AgentLook[]): boolean {
  const byAgent = new Map(looks.map((look) => [look.agent, look]));
  return looks.every(({ agent, heads }) =>
    heads.every((head, to) => head <= (byAgent.get(to)?.received[agent] ?? 0)),
  );
}

/** Every agent has answered, as its present owner. */
function isComplete(
  looks: readonly AgentLook[],
  agents: number,
  epochs: readonly number[],
): boolean {
  const found = new Map(looks.map((look) => [look.agent, look.epoch]));
  return (
    found.size === agents && epochs.every((epoch, agent) => epoch > 0 && found.get(agent) === epoch)
  );
}

function fingerprintOf(looks: readonly AgentLook[]): string {
  const parts = looks.map(({ agent, epoch, received, pages }) => [agent, epoch, pages, received]);
  return JSON.stringify(parts.sort((a, b) => Number(a[0]) - Number(b[0])));
}
