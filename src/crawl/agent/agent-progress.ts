/** What an agent reports of itself: its progress, its series over time, its vitals. */
import type { Clock } from '../../base/clock.ts';
import type { Millis } from '../../base/units.ts';
import type { LikenessMemory } from '../../duplicates/likeness-folder.ts';
import type { Frontier } from '../../frontier/frontier.ts';
import type { Supply } from '../../frontier/supply.ts';
import type { Reputation } from '../../reputation/reputation.ts';
import type { Sieve } from '../../sieve/sieve.ts';
import type { Outage } from '../hosts/outage.ts';
import {
  type AgentProgress,
  addUp,
  type Counters,
  type CountersState,
  total,
} from '../record/counters.ts';
import type { HostWaits } from '../record/host-waits.ts';
import { Series } from '../record/series.ts';
import { type Vitals, VitalsKeeper } from '../record/vitals.ts';
import type { AgentState } from '../state/agent-folder.ts';
import type { Store } from '../store/store.ts';
import type { OpenAgent } from './open-agent.ts';

interface ProgressParts {
  readonly clock: Clock;
  readonly startedAt: Millis;
  readonly counters: Counters;
  readonly frontier: Frontier;
  readonly supply: Pick<Supply, 'queued'>;
  readonly sieve: Pick<Sieve, 'size'>;
  readonly store: Pick<Store, 'forgotten'>;
  readonly likenessMemory: LikenessMemory | undefined;
  readonly reputation: Pick<Reputation, 'reputed'> | undefined;
  readonly outage: Pick<Outage, 'current'>;
  readonly waits: HostWaits;
  /** Undefined for an agent that was never checkpointed. */
  readonly restored: OpenAgent['restored'];
}

export class ProgressKeeper {
  readonly #parts: ProgressParts;
  readonly #series: Series;
  readonly #vitals: VitalsKeeper;
  /** Pages that the likeness memory had forgotten before this run. */
  readonly #forgottenBefore: number;

  constructor(parts: ProgressParts) {
    const { clock, startedAt, counters, frontier, reputation, outage, waits, restored } = parts;
    this.#parts = parts;
    this.#forgottenBefore = parts.likenessMemory?.pages.forgotten ?? 0;
    this.#series = new Series(startedAt, restored?.state.series);
    this.#vitals = new VitalsKeeper({
      clock,
      pages: () => counters.pages,
      outage: () => outage.current,
      waiting: () => waits.current,
      look: (top) =>
        top.look(frontier.domainsInMemory(), reputation && ((key) => reputation.reputed(key))),
      top: restored?.state.top,
      savedAt: restored?.state.savedAt,
    });
  }

  progress(): AgentProgress {
    const { counters, frontier, supply, sieve, store, likenessMemory } = this.#parts;
    return {
      ...plain(counters),
      fetching: frontier.turnsOut,
      queued: frontier.queued + supply.queued,
      backlog: frontier.backlog.urls + supply.queued,
      front: frontier.front,
      hosts: frontier.hostsSeen,
      domains: frontier.domainsSeen,
      urlsUnique: sieve.size,
      forgotten: {
        digests: store.forgotten,
        pages: (likenessMemory?.pages.forgotten ?? 0) - this.#forgottenBefore,
      },
    };
  }

  /** Also adds a sample to the series: to be called a few times a second. */
  vitals(): Vitals {
    this.#sample();
    return this.#vitals.now();
  }

  /** The part of a checkpoint that is about progress. */
  state(): Pick<AgentState, 'counters' | 'series' | 'top'> {
    const { counters, restored } = this.#parts;
    this.#sample();
    return {
      counters: addUp<CountersState>(restored ? [restored.state.counters, counters] : [counters]),
      series: this.#series.state,
      top: this.#vitals.topDomains(),
    };
  }

  /** A checkpoint that was begun at `begun` is written. */
  checkpointed(begun: Millis): void {
    this.#vitals.saved(begun);
  }

  #sample(): void {
    const { errors, retries, spam = {}, ...rest } = this.progress();
    const now = this.#parts.clock.now();
    const counts = { errors: total(errors), retries: total(retries), spam: spam.pages ?? 0 };
    this.#series.sample(now, { ...rest, ...counts });
  }
}

function plain(counters: Counters): CountersState {
  return { ...counters };
}
