/**
 * Is the crawl over? It is if all agents are idle *and* no parcel is on its way, although their
 * reports are from different moments.
 *
 * Idea      Mattern's four counters (Algorithms for distributed termination detection, 1987).
 *           Agents report whether they are idle, how many parcels they have sent and how many they
 *           have processed. When the last reports look like the end, the coordinator asks all
 *           agents once more. If the answers show no more parcels sent than were received before
 *           the question, then at the moment of the question no parcel was on its way, and no idle
 *           agent had been woken:
 *
 *             received(first reports) ≤ received(question) ≤ sent(question) ≤ sent(answers)
 *
 *           and equal ends make everything between them equal.
 * Requires  An idle agent becomes busy only through a parcel or a stop. It is not idle while it has
 *           a parcel to process or a partly filled one to send. Counters never decrease. Reports
 *           of one agent arrive in order. An agent reports whenever it becomes idle.
 * Ensures   `endWave` is never true too early; and once the crawl is over, the last report leads to
 *           a wave that ends with true.
 * Cost      A report each time an agent becomes idle, a message to each agent per wave; nothing
 *           while the crawl is busy.
 */
import type { Traffic } from './transport.ts';

export interface ActivityReport extends Traffic {
  readonly agent: number;
  readonly idle: boolean;
}

export class Quiescence {
  readonly #agents: number;
  readonly #last: (ActivityReport | undefined)[];
  /** The parcels received before the current wave; undefined if there is none. */
  #receivedBefore: number | undefined;

  constructor(agents: number) {
    this.#agents = agents;
    this.#last = new Array(agents).fill(undefined);
  }

  /** Records the report of an agent, sent by itself or as an answer; the last one counts. */
  report(report: ActivityReport): void {
    this.#last[report.agent] = report;
  }

  /**
   * Whether the last reports look like the end, and no wave is under way: ask every agent again.
   */
  get needsConfirmation(): boolean {
    if (this.#receivedBefore !== undefined || !this.#last.every((report) => report?.idle))
      return false;
    return this.#sum('sent') === this.#sum('received');
  }

  /** Call it before the first agent of a wave is asked. */
  beginWave(): void {
    if (!this.needsConfirmation)
      throw new Error('A wave begins only if it is needed and the last one has ended.');
    this.#receivedBefore = this.#sum('received');
  }

  /**
   * Ends a wave with the answers of all agents, each made after `beginWave` and also passed to
   * `report`; an agent may have reported again since. Returns true if the crawl is over; otherwise
   * check `needsConfirmation` again.
   */
  endWave(answers: readonly ActivityReport[]): boolean {
    const receivedBefore = this.#receivedBefore;
    if (receivedBefore === undefined) throw new Error('No wave is under way.');
    if (new Set(answers.map(({ agent }) => agent)).size !== this.#agents)
      throw new Error('Not every agent answered.');
    this.#receivedBefore = undefined;
    return answers.every(({ idle }) => idle) && sumOf(answers, 'sent') === receivedBefore;
  }

  #sum(counter: keyof Traffic): number {
    return sumOf(this.#last, counter);
  }
}

function sumOf(reports: readonly (Traffic | undefined)[], counter: keyof Traffic): number {
  return reports.reduce((sum, report) => sum + (report?.[counter] ?? 0), 0);
}
