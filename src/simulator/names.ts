/**
 * Looks names up in virtual time: what `Naming` is to a real crawl, by the same retry table and with as many questions at once.
 */
import type { Clock } from '../base/clock.ts';
import type { Frontier } from '../frontier/frontier.ts';
import type { Host } from '../frontier/host.ts';
import { Fifo } from '../frontier/queue/fifo.ts';
import { retryRule } from '../politeness/retry-table.ts';
import type { LookUp, Network } from './network.ts';

/** Look-ups under way at once. */
const LOOK_UPS = 64;

interface Question {
  readonly host: Host;
  readonly failures: number;
}

export interface VirtualNamesParts {
  readonly clock: Clock;
  readonly network: Network;
  readonly frontier: Frontier;
  readonly onLookUp: (hostName: string) => void;
}

export class VirtualNames {
  readonly #parts: VirtualNamesParts;
  readonly #again = new Fifo<Question>();
  #underWay = 0;

  constructor(parts: VirtualNamesParts) {
    this.#parts = parts;
  }

  /** Begins to look up what wants a name, as far as there is room. */
  begin(): void {
    while (this.#underWay < LOOK_UPS) {
      const host = this.#again.length > 0 ? undefined : this.#parts.frontier.unresolved();
      const question = host ? { host, failures: 0 } : this.#again.shift();
      if (!question) return;
      this.#ask(question);
    }
  }

  #ask(question: Question): void {
    const { clock, network, onLookUp } = this.#parts;
    const { takes, outcome } = network.lookUp(question.host.name);
    onLookUp(question.host.name);
    this.#underWay++;
    clock.after(takes, () => {
      this.#underWay--;
      this.#answered(question, outcome);
    });
  }

  #answered({ host, failures }: Question, outcome: LookUp['outcome']): void {
    const { clock, frontier } = this.#parts;
    if (typeof outcome !== 'string') {
      frontier.resolved(host, [outcome]);
      return;
    }
    const { retries, wait } = retryRule(outcome);
    if (failures < retries)
      clock.after(wait, () => this.#again.push({ host, failures: failures + 1 }));
    else frontier.giveUp(host, outcome);
  }
}
