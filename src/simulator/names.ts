/** Look-ups of names in virtual time, by the crawler's own `LookUpQueue` and retry table. */
import type { Clock } from '../base/clock.ts';
import { type LookUp, LookUpQueue } from '../crawl/hosts/host-resolver.ts';
import type { Frontier } from '../frontier/frontier.ts';
import type { RetryPolicy } from '../politeness/retries-and-pauses.ts';
import type { NameAnswer, Network } from './network.ts';

interface VirtualNamesParts {
  readonly clock: Clock;
  readonly network: Network;
  readonly frontier: Frontier;
  readonly retries: RetryPolicy;
  readonly onLookUp: (hostName: string) => void;
}

export class VirtualNames {
  readonly #parts: VirtualNamesParts;
  readonly #queue: LookUpQueue;

  constructor(parts: VirtualNamesParts) {
    this.#parts = parts;
    this.#queue = new LookUpQueue(parts.frontier, parts.retries);
  }

  /** Begins as many look-ups as may be under way at once. */
  begin(): void {
    for (let next = this.#queue.next(); next; next = this.#queue.next()) this.#ask(next);
  }

  #ask(lookUp: LookUp): void {
    const { clock, network, onLookUp } = this.#parts;
    const { takes, outcome } = network.lookUp(lookUp.host.name);
    onLookUp(lookUp.host.name);
    clock.after(takes, () => {
      this.#queue.ended();
      this.#answered(lookUp, outcome);
    });
  }

  #answered(lookUp: LookUp, outcome: NameAnswer['outcome']): void {
    const { clock, frontier } = this.#parts;
    if (typeof outcome !== 'string') {
      frontier.resolved(lookUp.host, [outcome]);
      return;
    }
    const retry = this.#queue.retry(lookUp, outcome);
    if (retry) clock.after(retry.wait, retry.due);
    else frontier.giveUp(lookUp.host, outcome);
  }
}
