/**
 * The distributor keeps the front large enough that no fetcher has to wait.
 *
 *   sieve ─► supply ─► frontier (memory or backlog)          backlog ─► frontier
 *
 * Idea      BUbiNG's rule. When the front is too small, new hosts come from the backlog if many
 *           hosts are in *limbo*, with URLs on disk and few in memory; otherwise from the supply,
 *           which may have new hosts. The sieve is flushed early when fetchers have no work, and,
 *           if the supply chooses, every few seconds; both for a limited share of the time. While
 *           the front is large enough, nothing is read: URLs stay in the sieve or the supply.
 * Requires  one caller.
 * Ensures   a sweep that brought nothing in is not repeated until something changes, or some
 *           seconds have passed.
 */
import type { Clock } from '../base/clock.ts';
import type { Millis } from '../base/units.ts';
import type { Sweep } from './backlog/sweep.ts';
import type { Frontier } from './frontier.ts';
import type { Host } from './host.ts';
import type { HostFinder } from './host-store.ts';
import { PathQueue } from './queue/path-queue.ts';
import type { Supply } from './supply.ts';

/** Early flushes of the sieve take at most a twentieth of the time, unless no turn is out. */
const EARLY_FLUSH_SHARE = 1 / 20;
/**
 * With a supply that chooses, the sieve also decides this often although fetchers have work: what
 * it holds back may be better than all that is queued.
 */
const DECIDE_AFTER: Millis = 4000;
/** These decisions take at most a fiftieth of the time. */
const DECIDE_SHARE = 1 / 50;
/** Sweeps take at most a fifth of the time, unless no turn is out. */
const SWEEP_SHARE = 1 / 5;
/** Time of one step of a long sweep: a checkpoint or a stop waits no longer. */
const SLICE: Millis = 500;
/** As in BUbiNG, the limbo is large when it holds more than one host in a hundred. */
const LARGE_LIMBO = 0.01;
/**
 * After a sweep that brought nothing in, the next one begins after this time: hosts may be ready by
 * then.
 */
const SWEEP_AGAIN_AFTER: Millis = 10_000;

export class Distributor {
  readonly #supply: Supply;
  readonly #frontier: Frontier;
  readonly #clock: Clock;
  #finder: HostFinder | undefined;
  #sweeping = false;
  #broughtIn = 0;
  /**
   * Set after a sweep that brought nothing in: the frontier's `changes` when it began, and when to
   * sweep again in any case.
   */
  #barren: { readonly changes: number; readonly until: Millis } | undefined;
  #changesAtStart = 0;
  #nextEarlyFlush: Millis = 0;
  #nextDecision: Millis = 0;
  #nextSweep: Millis = 0;
  /** Time spent on the sweep under way. */
  #sweepTime: Millis = 0;

  constructor(supply: Supply, frontier: Frontier, clock: Clock) {
    this.#supply = supply;
    this.#frontier = frontier;
    this.#clock = clock;
  }

  /** No URL is on its way to the frontier. */
  get idle(): boolean {
    return this.#supply.idle;
  }

  /** The front is too small, and there is something to try. */
  get hasWork(): boolean {
    if (this.#frontier.clearAt <= this.#clock.now()) return true;
    if (!this.#frontier.wantsMore) return false;
    const novel = !this.idle && this.#supply.nextAt <= this.#clock.now();
    return novel || this.#sweeping || this.#mayBeginSweep();
  }

  /** When there may be work again even if nothing happens. */
  get wakeAt(): Millis {
    const later = (at: Millis) => (at > this.#clock.now() ? at : Infinity);
    const taken = this.idle ? Infinity : later(this.#supply.nextAt);
    // While a turn is out, nothing else may happen before the sieve may decide early again.
    const decided = this.#supply.undecided === 0 ? Infinity : later(this.#nextEarlyFlush);
    const cleared = later(this.#frontier.clearAt);
    const novel = Math.min(taken, decided, cleared, this.#nextChoice());
    if (this.#frontier.backlog.urls === 0) return novel;
    return Math.min(novel, this.#barren ? this.#barren.until : later(this.#nextSweep));
  }

  /** Does the most useful next piece of work; false when there is none. */
  async step(): Promise<boolean> {
    const frontier = this.#frontier;
    frontier.makeRoom();
    await frontier.backlog.makeRoom();
    await frontier.store?.write();
    if (this.#nextChoice() <= this.#clock.now()) await this.#decide();
    if (!frontier.wantsMore) return false;
    if (frontier.limbo > LARGE_LIMBO && (await this.#sweep())) return true;
    if (await this.#takeNovel()) return true;
    if (await this.#flushEarly()) return true;
    return this.#sweep();
  }

  async #takeNovel(): Promise<boolean> {
    const novel = await this.#supply.take();
    for (const discovery of novel ?? []) this.#frontier.add(discovery);
    return novel !== undefined;
  }

  async #flushEarly(): Promise<boolean> {
    const startedAt = this.#clock.now();
    if (this.#supply.undecided === 0 || this.#frontier.nextReadyAt() <= startedAt) return false;
    if (this.#frontier.turnsOut > 0 && startedAt < this.#nextEarlyFlush) return false;
    await this.#decide();
    return true;
  }

  async #decide(): Promise<void> {
    const startedAt = this.#clock.now();
    await this.#supply.decide();
    const endedAt = this.#clock.now();
    const took = endedAt - startedAt;
    this.#nextEarlyFlush = endedAt + took / EARLY_FLUSH_SHARE;
    this.#nextDecision = Math.max(startedAt + DECIDE_AFTER, endedAt + took / DECIDE_SHARE);
  }

  /** When the sieve decides although fetchers have work; Infinity when it need not. */
  #nextChoice(): Millis {
    const { chooses, undecided } = this.#supply;
    return chooses && undecided + this.#frontier.turnsOut > 0 ? this.#nextDecision : Infinity;
  }

  /**
   * Continues the sweep until the front is large enough or the round is over; false when it brought
   * nothing in.
   */
  async #sweep(): Promise<boolean> {
    if (!this.#sweeping && !this.#mayBeginSweep()) return false;
    const { backlog } = this.#frontier;
    const startedAt = this.#clock.now();
    if (!this.#sweeping) await this.#beginSweep();
    const before = this.#broughtIn;
    const sweep = await backlog.sweep();
    let more = true;
    while (this.#frontier.wantsMore && this.#clock.now() < startedAt + SLICE) {
      more = await sweep.next();
      if (!more) break;
      this.#frontier.registry.sweepAt(sweep.id.key);
      await this.#visit(sweep);
      if (backlog.full) await backlog.makeRoom();
    }
    await sweep.pass();
    this.#sweepTime += this.#clock.now() - startedAt;
    if (!more) await this.#endSweep();
    return this.#broughtIn > before || (this.#sweeping && this.#frontier.wantsMore);
  }

  async #beginSweep(): Promise<void> {
    this.#changesAtStart = this.#frontier.changes;
    this.#broughtIn = 0;
    this.#sweepTime = 0;
    // Before the merge: a host that leaves memory meanwhile must not return with a record that is
    // not merged.
    this.#frontier.registry.sweepAt(0n);
    this.#finder = await this.#frontier.store?.merge();
    this.#sweeping = true;
  }

  async #endSweep(): Promise<void> {
    await this.#frontier.backlog.endSweep();
    this.#frontier.registry.sweepAt(undefined);
    this.#sweeping = false;
    const now = this.#clock.now();
    this.#nextSweep = now + this.#sweepTime / SWEEP_SHARE;
    const barren = this.#broughtIn === 0;
    this.#barren = barren
      ? { changes: this.#changesAtStart, until: now + SWEEP_AGAIN_AFTER }
      : undefined;
  }

  #mayBeginSweep(): boolean {
    if (this.#frontier.backlog.urls === 0 || this.#isBarren()) return false;
    return this.#frontier.turnsOut === 0 || this.#clock.now() >= this.#nextSweep;
  }

  #isBarren(): boolean {
    if (!this.#barren) return false;
    return (
      this.#barren.changes === this.#frontier.changes && this.#clock.now() < this.#barren.until
    );
  }

  /** Takes URLs of the sweep's present host, as many as there is room for. */
  async #visit(sweep: Sweep): Promise<void> {
    const frontier = this.#frontier;
    const { registry } = frontier;
    if (registry.leftAhead(sweep.host)) return;
    const present = frontier.host(sweep.host);
    const { host, newDomain } = present
      ? { host: present, newDomain: false }
      : registry.candidate(sweep.host);
    if (!present && registry.isWide(host.domain)) return;
    const known = present ? undefined : await this.#find(host, newDomain);
    const objection = registry.objection(host);
    const atLimit = objection === 'refused' && frontier.keepsRequisites(host);
    if (objection === 'refused' && !atLimit) {
      await frontier.refuse(host, sweep);
      if (present) frontier.feed(host, new PathQueue(host.name), false);
      return;
    }
    if (objection === 'later') return;
    const room = frontier.roomAt(host);
    if (room === 0) return;
    // Into a separate queue first: while the disk is read, a host in memory may run dry, be given
    // up or leave.
    const taken = new PathQueue(host.name);
    const urls = await sweep.take(room, taken);
    const queue = atLimit ? frontier.requisitesOf(host, taken) : taken;
    this.#broughtIn += urls;
    if (known && atLimit && queue.length === 0) return;
    if (known) frontier.admit(host, known);
    frontier.feed(host, queue, urls === room || sweep.mayHaveMore);
  }

  async #find(host: Host, newDomain: boolean): Promise<{ host: boolean; domain: boolean }> {
    if (!this.#finder) return { host: false, domain: !newDomain };
    const known = await this.#finder.find(host, newDomain);
    this.#frontier.mistrust(host);
    return known;
  }
}
