/**
 * The leader of a cluster: one worker that decides where agents run and when the crawl is over.
 *
 * Idea      Any worker can lead, and two that lead at once do no harm: they write the same keys by
 *           compare-and-set, and agents change hands only by their own keys. So the leader needs a
 *           lease only so that there is usually one.
 * Ensures   A worker that comes, goes or drains changes the placement once the set of workers has
 *           been the same for a moment. The phases of a crawl follow one another:
 *
 *             running ─ two waves, or a limit, or the operator ─► stopping ─ two waves ─►
 *             concluding ─ every agent has committed its end ─► ended
 */
import type { Millis } from '../../base/units.ts';
import type { EndReason } from '../../crawl/record/counters.ts';
import { type Book, change } from '../lease/book.ts';
import type { LeaseTimes } from '../lease/lease-times.ts';
import { type AgentLook, Ending, HandingOn } from './ending.ts';
import {
  type ClusterState,
  KEYS,
  type LeaderEntry,
  type PageGrants,
  type Phase,
  type Placement,
} from './keys.ts';
import { place } from './placement.ts';
import type { View } from './view.ts';

interface LeaderParts {
  readonly book: Book;
  readonly view: View;
  readonly worker: string;
  readonly agents: number;
  /** Milliseconds that pass evenly. */
  readonly now: () => Millis;
  /** The time of day, for `--max-time`. */
  readonly wall: () => Millis;
  /** Asks all workers for the reports of their agents. */
  readonly look: (workers: readonly string[]) => Promise<AgentLook[]>;
  readonly limits: { readonly maxTime: Millis; readonly maxBytes: number };
  /** Called once when all agents have committed their end, before the crawl counts as ended. */
  readonly finish: () => Promise<void>;
  readonly onLead: (term: number) => void;
  readonly settle: Millis;
  readonly times: LeaseTimes;
}

export class Leader {
  readonly #parts: LeaderParts;
  readonly #ending = new Ending();
  readonly #handingOn = new HandingOn();
  #term: number | undefined;
  #beat = 0;
  #beatAt: Millis = -Infinity;
  #wavedAt: Millis = -Infinity;
  #members = '';
  #membersSince: Millis = 0;
  /** Pages of each agent, and when: how busy it is. */
  readonly #loads: { pages: number; at: Millis; rate: number }[];

  constructor(parts: LeaderParts) {
    this.#parts = parts;
    this.#loads = Array.from({ length: parts.agents }, () => ({ pages: 0, at: 0, rate: 0 }));
  }

  get leads(): boolean {
    return this.#term !== undefined;
  }

  /** Takes or keeps the lead, and does its work. To be called every second or so. */
  async tick(): Promise<void> {
    await this.#campaign();
    if (!this.leads) return;
    await this.#assign();
    const state = this.#parts.view.state;
    if (state?.phase === 'running') await this.#watchRun();
    else if (state?.phase === 'stopping') await this.#watchHandingOn();
    else if (state?.phase === 'concluding') await this.#watchConclusion(state);
  }

  /** Gives up the lead, so that another worker takes it at once. */
  async resign(): Promise<void> {
    const { book, worker } = this.#parts;
    if (!this.leads) return;
    const term = this.#term;
    this.#term = undefined;
    await change<LeaderEntry>(book, KEYS.leader, (entry) =>
      entry?.worker === worker && entry.term === term ? { ...entry, worker: '' } : undefined,
    );
  }

  async #campaign(): Promise<void> {
    const { book, view, worker, now, onLead } = this.#parts;
    const seen = view.leader;
    if (seen?.value.worker === worker && this.#term === seen.value.term) {
      if (now() - this.#beatAt < this.#parts.times.renew) return;
      const entry: LeaderEntry = { ...seen.value, beat: ++this.#beat };
      if ((await book.update(KEYS.leader, entry, seen.revision)) !== undefined)
        this.#beatAt = now();
      return;
    }
    this.#term = undefined;
    const isFree = !seen || seen.value.worker === '' || seen.value.worker === worker;
    if (!isFree && now() - seen.at < this.#parts.times.takeOver) return;
    const entry: LeaderEntry = { worker, term: (seen?.value.term ?? 0) + 1, beat: 0 };
    const written = seen
      ? await book.update(KEYS.leader, entry, seen.revision)
      : await book.create(KEYS.leader, entry);
    if (written === undefined) return;
    this.#term = entry.term;
    this.#beatAt = now();
    onLead(entry.term);
  }

  async #assign(): Promise<void> {
    const { book, view, now, settle } = this.#parts;
    this.#measure();
    const workers = [...view.workers(this.#parts.times.takeOver)]
      .filter(([, { draining }]) => !draining)
      .map(([name, { weight }]) => ({ name, weight }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
    const members = JSON.stringify(workers);
    if (members !== this.#members) [this.#members, this.#membersSince] = [members, now()];
    if (workers.length === 0 || now() - this.#membersSince < settle) return;
    const known = view.placement as (Placement & { readonly members?: string }) | undefined;
    if (known?.members === members) return;
    const next = {
      workers: place(
        workers,
        this.#loads.map(({ rate }) => rate),
      ),
      members,
    };
    await change<Placement>(book, KEYS.placement, () => next);
  }

  /** Pages a second between commits. */
  #measure(): void {
    const { view, now } = this.#parts;
    for (const [agent, load] of this.#loads.entries()) {
      const pages = view.agent(agent)?.value.pages ?? 0;
      if (pages <= load.pages) continue;
      const seconds = (now() - load.at) / 1000;
      this.#loads[agent] = { pages, at: now(), rate: (pages - load.pages) / Math.max(1, seconds) };
    }
  }

  /** The reports of all agents are long: they are asked for seldom while the end is far. */
  async #watchRun(): Promise<void> {
    const { book, view, wall, limits, now, times } = this.#parts;
    if (!this.#ending.isNear && now() - this.#wavedAt < times.renew) return;
    this.#wavedAt = now();
    const looks = await this.#wave();
    const grants = await book.get<PageGrants>(KEYS.pages);
    const pagesLeft = grants?.value.left ?? Infinity;
    const over = this.#ending.wave(looks, { ...this.#around(), pagesLeft });
    if (over) return this.#enter('running', 'stopping', over);
    const bytes = looks.reduce((sum, look) => sum + look.bytes, 0);
    if (bytes >= limits.maxBytes) return this.#enter('running', 'stopping', 'max-bytes');
    if (wall() - (view.state?.startedAt ?? wall()) >= limits.maxTime)
      await this.#enter('running', 'stopping', 'max-time');
  }

  async #watchHandingOn(): Promise<void> {
    const looks = await this.#wave();
    if (this.#handingOn.wave(looks, { ...this.#around(), pagesLeft: Infinity }))
      await this.#enter('stopping', 'concluding');
  }

  async #watchConclusion({ run }: ClusterState): Promise<void> {
    const { view, agents, finish } = this.#parts;
    for (let agent = 0; agent < agents; agent++) if (view.agent(agent)?.value.done !== run) return;
    await finish();
    await this.#enter('concluding', 'ended');
  }

  #wave(): Promise<AgentLook[]> {
    const { view, look } = this.#parts;
    return look([...view.workers(this.#parts.times.takeOver).keys()]);
  }

  #around() {
    const { view, agents } = this.#parts;
    const epochs = Array.from({ length: agents }, (_, n) => view.agent(n)?.value.epoch ?? 0);
    return { agents, epochs };
  }

  async #enter(from: Phase, to: Phase, reason?: EndReason): Promise<void> {
    await change<ClusterState>(this.#parts.book, KEYS.state, (state) =>
      state?.phase === from ? { ...state, phase: to, ...(reason && { reason }) } : undefined,
    );
  }
}
