/**
 * Is the crawl over? All agents idle *and* no parcel on its way, as told by reports that are all of different moments.
 *
 * Idea      Mattern's four counters (Algorithms for distributed termination detection, 1987). Agents report whether they are
 *           idle, how many parcels they have sent and how many dealt with. When the last reports look like the end,
 *           all agents are asked once more. If by then no more was sent than had been received before the question,
 *           then at the moment of the question nothing was on its way, and no idle agent had been woken:
 *
 *             received(first reports) ≤ received(question) ≤ sent(question) ≤ sent(answers)
 *
 *           and equal ends make everything between them equal.
 * Requires  an idle agent becomes busy only by a parcel or a stop; it is not idle while a parcel waits or is being taken in, or something
 *           half-full waits to be sent. Counters never decrease; reports of one agent come in the order it made them. An
 *           agent reports whenever it has become idle.
 * Ensures   `endWave` is never true early; and once the crawl is over, the last report to arrive leads to a wave that is.
 * Cost      a report each time an agent becomes idle, a message to each agent a wave; nothing while the crawl is busy.
 */
import type { Traffic } from './transport.ts';

export interface ActivityReport extends Traffic {
  readonly agent: number;
  readonly idle: boolean;
}

export class Quiescence {
  readonly #agents: number;
  readonly #last: (ActivityReport | undefined)[];
  /** What had been received when the wave under way began. */
  #receivedBefore: number | undefined;

  constructor(agents: number) {
    this.#agents = agents;
    this.#last = new Array(agents).fill(undefined);
  }

  /** Takes what an agent told, by itself or because it was asked: whatever came last from it counts. */
  report(report: ActivityReport): void {
    this.#last[report.agent] = report;
  }

  /** The last reports look like the end, and no wave is under way: ask every agent again. */
  get needsConfirmation(): boolean {
    if (this.#receivedBefore !== undefined || !this.#last.every((report) => report?.idle))
      return false;
    return this.#sum('sent') === this.#sum('received');
  }

  /** Call it before the first agent is asked. */
  beginWave(): void {
    if (!this.needsConfirmation)
      throw new Error('A wave begins when it is needed, and not before the last has ended.');
    this.#receivedBefore = this.#sum('received');
  }

  /**
   * The answers of all agents, each made after `beginWave` and reported when it came: an agent may have told more since. True when the
   * crawl is over; else look at `needsConfirmation` again.
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
