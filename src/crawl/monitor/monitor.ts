/**
 * Observes a crawl every few seconds: writes the status file, logs trouble and its end, and serves
 * the metrics.
 *
 * Ensures   The crawl never waits for the monitor, and a failure of the monitor does not fail the
 *           crawl.
 * Cost      A millisecond every three seconds in the coordinator's thread, which has little else
 *           to do.
 */
import type { Clock } from '../../base/clock.ts';
import type { Bytes } from '../../base/units.ts';
import type { Disk } from '../../disk/disk.ts';
import { bytesFree } from '../../disk/usage.ts';
import type { Summary } from '../record/counters.ts';
import type { EventLog } from '../record/log.ts';
import type { Progress } from '../record/progress.ts';
import { type Trouble, troubleOf } from './health.ts';
import { type MetricsServer, serveMetrics } from './metrics-server.ts';
import { Rates } from './rates.ts';
import { STATUS_EVERY, type StatusFacts, writeStatus } from './status-file.ts';

const RATE_WINDOW = 10_000;

interface MonitorOptions {
  /** The clock of the monitor, real time even if the agents use another clock. */
  readonly clock: Clock;
  readonly disk: Disk;
  /** The folder of the status file; '' for a crawl that keeps nothing. */
  readonly dir: string;
  /** The loopback port for metrics; 0 for none. */
  readonly metricsPort: number;
}

type Facts = Pick<StatusFacts, 'state' | 'end' | 'error' | 'summary'>;

interface Watched {
  readonly log: EventLog;
  readonly progress: () => Progress;
}

export class Monitor {
  readonly #options: MonitorOptions;
  #watched: Watched | undefined;
  #metrics: MetricsServer | undefined;
  readonly #rates = new Rates(RATE_WINDOW);
  #trouble: Trouble | undefined;
  #writing: Promise<void> = Promise.resolve();
  #refused = false;
  #diskFree: Bytes | undefined;
  #cancel = () => {};

  private constructor(options: MonitorOptions) {
    this.#options = options;
  }

  /** Opens the port for metrics; throws if it is in use. */
  static async open(options: MonitorOptions): Promise<Monitor> {
    const monitor = new Monitor(options);
    if (options.metricsPort > 0) {
      monitor.#metrics = await serveMetrics(options.metricsPort, () =>
        monitor.#watched?.progress(),
      );
    }
    return monitor;
  }

  /** Starts to observe a running crawl. */
  begin(watched: Watched): void {
    this.#watched = watched;
    const look = () => {
      this.#lookSafely({ state: 'running' });
      this.#cancel = this.#options.clock.after(STATUS_EVERY, look);
    };
    look();
  }

  get diskFree(): Bytes | undefined {
    return this.#diskFree;
  }

  /** Writes the last status, how the crawl ended, and closes the monitor. */
  async end(facts: { readonly summary: Summary } | { readonly error: string }): Promise<void> {
    this.#cancel();
    this.#lookSafely(
      'summary' in facts
        ? { state: 'ended', end: facts.summary.end, summary: facts.summary }
        : { state: 'failed', error: facts.error },
    );
    await this.#writing;
    await this.close();
  }

  /** Closes the metrics server; call it if the crawl never began. */
  async close(): Promise<void> {
    await this.#metrics?.close();
  }

  /** An exception here, in a timer, would end the process. */
  #lookSafely(facts: Facts): void {
    try {
      this.#look(facts);
    } catch (error) {
      this.#refuse(error);
    }
  }

  #look(facts: Facts): void {
    const { disk, dir } = this.#options;
    if (!this.#watched) return;
    const { log, progress } = this.#watched;
    const now = progress();
    const trouble = facts.state === 'running' ? troubleOf(now) : undefined;
    if (trouble?.code !== this.#trouble?.code) {
      if (trouble) log.event('trouble', { ...trouble });
      else if (facts.state === 'running' && this.#trouble)
        log.event('trouble-over', { code: this.#trouble.code });
    }
    this.#trouble = trouble;
    if (dir === '') return;
    // Some file systems do not report their free space: ignore that.
    bytesFree(dir).then(
      (free) => {
        this.#diskFree = free;
      },
      () => {},
    );
    const rate = this.#rates.update(now);
    // One write after the other: they share a temporary file.
    this.#writing = this.#writing.then(() =>
      writeStatus(disk, dir, now, { ...facts, rate, trouble, metrics: this.#metrics?.url }).catch(
        (error) => this.#refuse(error),
      ),
    );
  }

  #refuse(error: unknown): void {
    if (!this.#refused)
      this.#watched?.log.event('status-refused', { why: String((error as Error)?.message) });
    this.#refused = true;
  }
}
