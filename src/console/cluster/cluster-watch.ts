/**
 * A cluster as its console sees it: the book, watched, and the reports of workers, asked for every
 * two seconds.
 *
 *   book ── every change ──► view ──► workers, agents, what is committed, events
 *   workers ── reports ──► pages up to now, queues, rates, history
 *
 * Idea      The console is no member of the cluster. It needs the brokers and nothing else: no
 *           worker, no leader, no folder. So it outlives all of them, and shows a cluster that was
 *           stopped, or whose workers are gone.
 * Ensures   A worker that does not answer counts with what it has committed. Counts never fall in
 *           the history: pages that a takeover has to fetch again are counted once.
 */
import type { Clock } from '../../base/clock.ts';
import type { Millis } from '../../base/units.ts';
import type { Book } from '../../cluster/lease/book.ts';
import { leaseTimes } from '../../cluster/lease/lease-times.ts';
import { type ClusterCrawl, KEYS } from '../../cluster/members/keys.ts';
import { View } from '../../cluster/members/view.ts';
import type { WorkerReport } from '../../cluster/members/worker-report.ts';
import { type ClusterStatus, clusterStatus } from '../../cluster/status.ts';
import { Rates } from '../../crawl/monitor/rates.ts';
import { type Sample, Series, type Stretch, stretches } from '../../crawl/record/series.ts';
import { ClusterEvents } from './cluster-events.ts';
import { type ClusterOverview, overviewOf, type Totals, totalsOf } from './overview.ts';

interface WatchParts {
  readonly name: string;
  readonly book: Book;
  /** The brokers, as the operator named them: for commands. */
  readonly brokers: string;
  readonly clock: Clock;
  /** Milliseconds that pass evenly. */
  readonly even: () => Millis;
  /** Time between two looks. */
  readonly every?: Millis | undefined;
  /** Asks a worker for its report; rejects if it does not answer in time. */
  readonly ask: (worker: string, timeout: Millis) => Promise<WorkerReport>;
}

type Counts = Record<'pages' | 'bytes' | 'errors' | 'retries' | 'spam', number>;

const EVERY: Millis = 2000;
const RATE_WINDOW: Millis = 10_000;

export class ClusterWatch {
  readonly events: ClusterEvents;
  readonly #parts: WatchParts;
  readonly #view: View;
  readonly #stop: () => void;
  readonly #rates = new Rates(RATE_WINDOW);
  readonly #series: Series;
  readonly #beganAt: Millis;
  #cancel = () => {};
  #isClosed = false;
  #totals: Totals | undefined;
  #overview: ClusterOverview | undefined;
  #silence: string | undefined;
  #first: Counts | undefined;
  readonly #counted: Counts = { pages: 0, bytes: 0, errors: 0, retries: 0, spam: 0 };

  private constructor(parts: WatchParts, view: View, stop: () => void, events: ClusterEvents) {
    this.#parts = parts;
    this.#view = view;
    this.#stop = stop;
    this.events = events;
    this.#beganAt = parts.clock.now();
    this.#series = new Series(this.#beganAt);
  }

  static async open(parts: WatchParts): Promise<ClusterWatch> {
    const events = new ClusterEvents(parts.clock);
    const { view, stop } = await View.open(parts.book, parts.even, (key, entry) =>
      events.changed(key, entry?.value),
    );
    events.begin();
    const watch = new ClusterWatch(parts, view, stop, events);
    try {
      watch.#take(await watch.#reports());
    } catch (error) {
      stop();
      throw error;
    }
    watch.#lookLater();
    return watch;
  }

  get name(): string {
    return this.#parts.name;
  }

  get book(): Book {
    return this.#parts.book;
  }

  get crawl(): ClusterCrawl | undefined {
    return this.value<ClusterCrawl>(KEYS.crawl);
  }

  /** The value of a key of the book. */
  value<Value>(key: string): Value | undefined {
    return this.#view.get<Value>(key)?.value;
  }

  status(): ClusterStatus {
    const { name, even, brokers } = this.#parts;
    return clusterStatus(this.#view, name, even(), brokers);
  }

  /** As of the last look. */
  get overview(): ClusterOverview {
    if (!this.#overview) throw new Error('The cluster was not looked at yet.');
    return this.#overview;
  }

  history(): readonly Stretch[] {
    return stretches(this.#series.state);
  }

  close(): void {
    this.#isClosed = true;
    this.#cancel();
    this.#stop();
  }

  /** Asks all workers, and again after a while. */
  async look(): Promise<void> {
    this.#cancel();
    const reports = await this.#reports();
    if (this.#isClosed) return;
    try {
      this.#take(reports);
    } catch (error) {
      this.#silence = `An answer cannot be read: ${(error as Error).message}`;
    }
    this.#lookLater();
  }

  #lookLater(): void {
    const { clock, every = EVERY } = this.#parts;
    this.#cancel = clock.after(every, () => void this.look());
  }

  async #reports(): Promise<Map<string, WorkerReport>> {
    const { book, ask } = this.#parts;
    const found = new Map<string, WorkerReport>();
    try {
      await book.get(KEYS.state);
      this.#silence = undefined;
    } catch (error) {
      this.#silence = (error as Error).message;
      return found;
    }
    const { takeOver, renew } = leaseTimes(this.crawl?.pace ?? 1);
    await Promise.all(
      [...this.#view.workers(takeOver).keys()].map(async (worker) => {
        const report = await ask(worker, renew).catch(() => undefined);
        if (report) found.set(worker, report);
      }),
    );
    return found;
  }

  #take(reports: ReadonlyMap<string, WorkerReport>): void {
    const now = this.#parts.clock.now();
    const status = this.status();
    this.#totals = totalsOf(status, reports, this.#totals);
    const { pages, bytes } = this.#totals;
    const isFirst = this.#overview === undefined;
    const rate = this.#rates.update({ elapsed: now - this.#beganAt, pages, bytes });
    this.#series.sample(now, this.#sample(this.#totals));
    this.#overview = overviewOf({
      ...{ status, totals: this.#totals, reports, now, crawl: this.crawl },
      rate: isFirst ? undefined : rate,
      silence: this.#silence,
    });
  }

  /** Counts since the console began, which never fall; and levels. */
  #sample({ pages, bytes, progress }: Totals): Sample {
    const sum = (tally: Readonly<Record<string, number>>) =>
      Object.values(tally).reduce((all, one) => all + one, 0);
    const { errors, retries } = progress;
    const counts = { pages, bytes, errors: sum(errors), retries: sum(retries), spam: 0 };
    this.#first ??= counts;
    for (const name of Object.keys(counts) as (keyof typeof counts)[])
      this.#counted[name] = Math.max(this.#counted[name], counts[name] - this.#first[name]);
    const { fetching, front, queued, backlog } = progress;
    return { ...this.#counted, fetching, front, queued, backlog };
  }
}
