/**
 * Reports the first failure at the host of a seed at once: most crawls that fetch nothing fail
 * there, and retries take minutes.
 *
 * Ensures   One report for each such host from which no page came yet, and at most `MOST_REPORTED`
 *           in all: of a long list of seeds some always fail.
 * Cost      Nothing before the first failure; then a set of the hosts of the seeds.
 */
import type { Millis } from '../../base/units.ts';
import type { Host } from '../../frontier/host.ts';
import { hostOf } from '../../url/parts.ts';
import { remedyFor } from '../record/fault-remedies.ts';
import { endsAgent } from '../record/internal-errors.ts';
import type { EventLog } from '../record/log.ts';
import type { CrawlFailure } from '../store/page.ts';

const MOST_REPORTED = 5;

interface SeedTroubleParts {
  readonly seeds: readonly string[];
  readonly log: EventLog;
  readonly onError: ((failure: CrawlFailure) => void | Promise<void>) | undefined;
}

export class SeedTrouble {
  readonly #parts: SeedTroubleParts;
  readonly #reported = new Set<string>();
  #hosts: ReadonlySet<string> | undefined;

  constructor(parts: SeedTroubleParts) {
    this.#parts = parts;
  }

  /** A request to the host has failed; it is tried again after `wait`, if that is given. */
  async failed(
    { name: host, pages }: Pick<Host, 'name' | 'pages'>,
    fault: string,
    why: string,
    wait: Millis | undefined,
  ): Promise<void> {
    if (pages > 0 || this.#reported.size >= MOST_REPORTED || this.#reported.has(host)) return;
    const { seeds, log, onError } = this.#parts;
    this.#hosts ??= new Set(seeds.map(hostOf));
    if (!this.#hosts.has(host)) return;
    this.#reported.add(host);
    const [, remedy] = remedyFor(fault);
    log.event('seed-trouble', { host, fault, why, remedy, wait });
    const failure = { host, fault, message: why, remedy, urls: 0, early: true } as const;
    await endsAgent(() => onError?.(failure));
  }
}
