/**
 * What the domains of an agent have earned so far, kept up to date while it crawls: IRLbot's STAR, with a ranking of one's choice.
 *
 *   page ─► gatherer ─► owner of the target ─► edges: which are new? ─┬─► book: in-degree
 *                                                                     └─► sample ─► all other agents
 *   now and then:  edges + sample ─► TSE ─► book ─► standing ─► all other agents ─► budgets
 *
 * Idea      Everything is done in small steps by the one loop that also feeds the frontier, so that nothing here waits for a lock. Budgets are
 *           computed anew when the graph has grown by a quarter: rarely enough that the work for one edge stays constant; and for no
 *           more than a tenth of the time.
 * Requires  one caller of `step`; `page` and `receive` at any time. Whoever writes a checkpoint calls `carry(true)` and `collect` in the step in which
 *           it notes what was received and fetched; whoever closes the edges and the book calls `end` before.
 * Ensures   agents that have been told the same have the same standing, and so the same budgets.
 */
import type { Clock } from '../base/clock.ts';
import type { Pacer } from '../base/pacer.ts';
import type { Bytes, Millis } from '../base/units.ts';
import { xxh64 } from '../base/xxh64.ts';
import { RecentCache } from '../sieve/recent-cache.ts';
import type { DomainView } from './budget/budget-expression.ts';
import { atFirst, type BudgetPolicy, budgets } from './budget/budget-policy.ts';
import type { DomainBook } from './budget/domain-book.ts';
import type { Override } from './budget/domain-record.ts';
import { type Overrides, overrideChanges } from './budget/overrides.ts';
import { type RankName, SCORES, Standing } from './budget/standing.ts';
import type { DomainEdges, NewEdges } from './edges/domain-edges.ts';
import type { EdgeGatherer } from './edges/edge-gatherer.ts';
import { type EdgeParcel, unpackEdges } from './edges/edge-parcel.ts';
import { estimateSupporters } from './edges/live-tse.ts';
import type { SupporterSample } from './edges/supporter-sample.ts';

/** What agents tell each other. */
export type Message = 'edges' | 'sample' | 'standing';

export interface ReputationParts {
  readonly agent: number;
  readonly agents: number;
  readonly rank: RankName;
  readonly policy: BudgetPolicy;
  /** Whether the domain with this key is this agent's. */
  readonly isOurs: (domain: bigint) => boolean;
  readonly gatherer: EdgeGatherer;
  readonly edges: DomainEdges;
  readonly sample: SupporterSample;
  readonly book: DomainBook;
  readonly clock: Clock;
  readonly pacer: Pacer;
  readonly send: (to: number, message: Message, bytes: Uint8Array) => void;
  /** Domains may have other budgets now. */
  readonly onBudgets: () => void;
}

/** Edges wait this long for company. */
const EDGES_AGE: Millis = 1000;
/** So many are sent at once. */
const MANY_EDGES = 16_384;
/** Budgets are computed anew after so many new edges at first, and when there are so many times as many as the last time. */
const FIRST_EDGES = 500;
const GROWTH = 1.25;
/** Pages are counted in the book when there are so many: one change for all those of a domain, not one for each. */
const MANY_PAGES = 1024;
/** Rankings are under way for at most this share of the time: others use most of it, as a ranking gives way to them. */
const RANKING_SHARE = 1 / 10;
/** Domains that are looked through in one step. */
const SLICE = 65_536;
/** For domains that were named to the book lately. */
const NAMED: Bytes = 2 ** 18;

export class Reputation {
  readonly #parts: ReputationParts;
  readonly #standings: Standing[];
  #standing = Standing.none;
  #edgesDue: Millis = Infinity;
  /** Parcels of other agents, and our own, that were not taken in yet. */
  #arrived: Uint8Array[] = [];
  readonly #named = new RecentCache(NAMED);
  /** Edges may have proved new since those that had were taken. */
  #mayHaveNew = true;
  /** Edges when budgets were computed last. */
  #rankedAt = 0;
  #ranking: AsyncGenerator<void> | undefined;
  #rankingBegun: Millis = 0;
  #nextRanking: Millis = 0;
  /** However little is new. */
  #ranksSoon = false;
  /** Other agents have told of links since domains were ranked last. */
  #sampleHasGrown = false;
  /** Pages fetched lately, by domain. */
  readonly #fetched = new Map<bigint, number>();
  #pagesFetched = 0;
  /** Domains and budgets at the top, for whoever asks while a page is fetched. */
  #budgetsAtTop = new Map<bigint, number>();
  /** What a domain of which nothing is known may have in a round. */
  #leastBudget: number;

  constructor(parts: ReputationParts) {
    this.#parts = parts;
    this.#standings = Array.from({ length: parts.agents }, () => Standing.none);
    const { edges, policy } = parts;
    this.#leastBudget = (edges.size > 0 ? policy : atFirst(policy)).budget(unknown(Standing.none));
  }

  /** Nothing is on its way to other agents, or could have to be sent to them. */
  get idle(): boolean {
    const { gatherer, edges } = this.#parts;
    return gatherer.waiting === 0 && this.#arrived.length === 0 && edges.pending === 0;
  }

  /** Domains are being ranked, or links were found by which they have not been. */
  get hasNews(): boolean {
    const { edges, rank } = this.#parts;
    const sampled = rank === 'tse' && this.#sampleHasGrown;
    return this.#ranking !== undefined || sampled || edges.size + edges.pending > this.#rankedAt;
  }

  /** When `step` has something to do although nothing happens. */
  get wakeAt(): Millis {
    return this.#ranking
      ? 0
      : Math.min(this.#edgesDue, this.#ranksSoon ? this.#nextRanking : Infinity);
  }

  get standing(): Standing {
    return this.#standing;
  }

  /** What the domain with this key may have in a round; for those below the top, what any unknown domain may. */
  budgetOf(domain: bigint): number {
    return this.#budgetsAtTop.get(domain) ?? this.#leastBudget;
  }

  /** What is known of the domain with this key. */
  reputed(domain: bigint): { readonly budget: number; readonly rank?: number } {
    const rank = this.#standing.placeOf(domain);
    return { budget: this.budgetOf(domain), ...(rank !== undefined && { rank }) };
  }

  /** Its rank as of the last ranking, from 1; Infinity below the top. */
  rankOf(domain: bigint): number {
    return this.#standing.placeOf(domain) ?? Infinity;
  }

  /** What it was ranked by; 0 below the top. */
  scoreOf(domain: bigint): number {
    const place = this.#standing.placeOf(domain);
    return place === undefined ? 0 : this.#standing.scores[place - 1];
  }

  get leastBudget(): number {
    return this.#leastBudget;
  }

  /** A page of the domain with this key was fetched. */
  fetched(domain: bigint): void {
    this.#fetched.set(domain, (this.#fetched.get(domain) ?? 0) + 1);
    this.#pagesFetched++;
  }

  /** A page of the domain with this key links there. */
  page(domain: bigint, url: string, links: readonly string[]): void {
    const { gatherer, clock } = this.#parts;
    gatherer.page(domain, url, links);
    if (this.#edgesDue === Infinity && gatherer.waiting > 0)
      this.#edgesDue = clock.now() + EDGES_AGE;
  }

  receive(from: number, message: Message, bytes: Uint8Array): void {
    if (message === 'edges') this.#arrived.push(bytes);
    else if (message === 'sample') {
      this.#parts.sample.receive(bytes);
      this.#sampleHasGrown = true;
    } else this.#learnStanding(from, Standing.unpack(bytes));
  }

  /** Hands edges to the owners of their targets when there are many or they have waited long enough. */
  carry(all = false): void {
    const { gatherer, agents, agent, clock, send } = this.#parts;
    const due = all || clock.now() >= this.#edgesDue || gatherer.waiting >= MANY_EDGES;
    if (!due || gatherer.waiting === 0) return;
    this.#edgesDue = Infinity;
    for (let owner = 0; owner < agents; owner++) {
      const parcel = gatherer.drain(owner);
      if (parcel === undefined) continue;
      if (owner === agent) this.#arrived.push(parcel);
      else send(owner, 'edges', parcel);
    }
  }

  /** Does the next small piece of work; true when there is more. */
  async step(): Promise<boolean> {
    this.carry();
    if (this.#pagesFetched >= MANY_PAGES) this.#countPages();
    if (this.#arrived.length > 0) await this.#takeInAll();
    if (this.#mayHaveNew) await this.#takeNew();
    if (!this.#ranking && this.#isDue()) this.#beginRanking();
    if (!this.#ranking) return false;
    if ((await this.#ranking.next()).done) this.#endRanking();
    return this.#ranking !== undefined;
  }

  /** Takes in what has arrived, and sends nothing. */
  async write(): Promise<void> {
    this.#countPages();
    await this.#takeInAll();
  }

  /** The same in one step: what edges and book have collected is written when they are frozen. */
  collect(): void {
    this.#countPages();
    this.#takeInArrived();
  }

  #countPages(): void {
    for (const [domain, pages] of this.#fetched) this.#parts.book.countPages(domain, pages);
    this.#fetched.clear();
    this.#pagesFetched = 0;
  }

  async #takeInAll(): Promise<void> {
    const { edges, book } = this.#parts;
    this.#takeInArrived();
    await edges.write();
    await book.write();
  }

  #takeInArrived(): void {
    for (const parcel of this.#arrived.splice(0)) this.#takeIn(unpackEdges(parcel));
    this.#mayHaveNew = true;
  }

  /** Tells everybody everything: nothing else is left to do. */
  async settle(): Promise<void> {
    const { edges } = this.#parts;
    this.carry(true);
    await this.write();
    if (edges.pending > 0) await edges.flush();
    await this.#takeNew();
  }

  /** There is nothing else to do: as soon as its share of the time allows it, `step` ranks by what is known, however little of it is new. */
  rankSoon(): void {
    this.#ranksSoon = true;
  }

  /** Computes all budgets by what is known now, at the end of a crawl. */
  async rankNow(): Promise<void> {
    await this.write();
    while (this.#ranking && !(await this.#ranking.next()).done);
    this.#ranking = undefined;
    for await (const _ of this.#rank());
    // Whoever looks at the crawl afterwards knows the standing no longer. That of other agents is what they told last.
    await this.#parts.book.flush();
  }

  /** Stops whatever is under way. */
  async end(): Promise<void> {
    await this.#ranking?.return(undefined);
    this.#ranking = undefined;
  }

  /** What the operator has decided, of all domains; told of each of ours for which that is new. */
  override(
    overrides: Overrides,
    onChange: (domain: string, override: Override | undefined) => void = () => {},
  ): void {
    const { book, clock, isOurs, onBudgets } = this.#parts;
    const changes = overrideChanges(book.overrides, overrides);
    for (const [domain, override] of changes) {
      if (!isOurs(xxh64(domain))) continue;
      book.setOverride(domain, override, clock.now());
      onChange(domain, override);
    }
    if (changes.size > 0) onBudgets();
  }

  #isDue(): boolean {
    const { edges, clock } = this.#parts;
    const known = edges.size + edges.pending;
    const hasGrown = known >= Math.max(this.#rankedAt * GROWTH, this.#rankedAt + FIRST_EDGES);
    if (!hasGrown && !(this.#ranksSoon && this.hasNews)) return false;
    return clock.now() >= this.#nextRanking;
  }

  #beginRanking(): void {
    this.#rankingBegun = this.#parts.clock.now();
    this.#ranksSoon = false;
    this.#ranking = this.#rank();
  }

  #endRanking(): void {
    const now = this.#parts.clock.now();
    this.#ranking = undefined;
    this.#nextRanking = now + (now - this.#rankingBegun) / RANKING_SHARE;
  }

  /** Names the targets to the book, where it has not been told of them lately, with their cash. */
  #takeIn(parcel: EdgeParcel): void {
    const { edges, book, clock } = this.#parts;
    const { length, targets, cash, nameOf } = parcel;
    const isNew = new Uint8Array(length);
    this.#named.admit(targets, length, isNew);
    for (let i = 0; i < length; i++) {
      if (cash || isNew[i]) book.countEdges(targets[i], nameOf(i), 0, cash?.[i] ?? 0, clock.now());
    }
    edges.addLists(parcel);
  }

  /** Counts the edges that proved new, and tells all agents of those in the sample. */
  async #takeNew(): Promise<void> {
    const { agent, agents, edges, sample, book, rank, clock, send } = this.#parts;
    this.#mayHaveNew = false;
    for (let novel = await edges.take(); novel; novel = await edges.take()) {
      for (const [target, sources] of inDegrees(novel))
        book.countEdges(target, '', sources, 0, clock.now());
      const drawn = rank === 'tse' ? sample.offer(novel) : undefined;
      for (let to = 0; drawn && to < agents; to++) if (to !== agent) send(to, 'sample', drawn);
    }
  }

  async *#rank(): AsyncGenerator<void> {
    const { edges, book, rank, agent, agents, send } = this.#parts;
    await edges.flush();
    await this.#takeNew();
    this.#rankedAt = edges.size;
    this.#sampleHasGrown = false;
    if (rank === 'tse') yield* this.#countSupporters();
    const own = yield* this.#ownStanding();
    const packed = own.pack();
    for (let to = 0; to < agents; to++) if (to !== agent) send(to, 'standing', packed);
    await book.write();
    this.#learnStanding(agent, own);
  }

  async *#countSupporters(): AsyncGenerator<void> {
    const { edges, sample, book, pacer } = this.#parts;
    for await (const { length, targets, supporters } of estimateSupporters(edges.lists(), sample, {
      pacer,
    })) {
      for (let i = 0; i < length; i++) book.setSupporters(targets[i], supporters[i]);
      await book.write();
      yield;
    }
  }

  async *#ownStanding(): AsyncGenerator<void, Standing> {
    const { book, rank, pacer } = this.#parts;
    const records = book.records();
    let own = Standing.none;
    for (;;) {
      const slice = await Standing.of(nextOf(records, SLICE, pacer), SCORES[rank]);
      if (slice.domains === 0) return own;
      own = Standing.merge([own, slice]);
      yield;
    }
  }

  #learnStanding(from: number, standing: Standing): void {
    const { book, policy, rank, isOurs, onBudgets } = this.#parts;
    const before = this.#budgetsAtTop;
    this.#standings[from] = standing;
    this.#standing = Standing.merge(this.#standings);
    this.#budgetsAtTop = topBudgets(policy, this.#standing);
    this.#leastBudget = policy.budget(unknown(this.#standing));
    // All of them: a policy may go by more than is known here, like the name of a domain.
    const ranked = new Set([...before.keys(), ...this.#budgetsAtTop.keys()]);
    book.setBudgets(budgets(policy, this.#standing, rank), [...ranked].filter(isOurs));
    onBudgets();
  }
}

/** How many new edges lead to each target. */
function inDegrees({ length, targets }: NewEdges): Map<bigint, number> {
  const degrees = new Map<bigint, number>();
  for (let i = 0; i < length; i++) degrees.set(targets[i], (degrees.get(targets[i]) ?? 0) + 1);
  return degrees;
}

/** The next so many, leaving the rest for another time. */
async function* nextOf<T>(all: AsyncGenerator<T>, most: number, pacer: Pacer): AsyncGenerator<T> {
  for (let i = 0; i < most; i++) {
    const { done, value } = await all.next();
    if (done) return;
    yield value;
    if (i % 1024 === 0) await pacer.pause();
  }
}

/** A domain of which nothing is known. */
const unknown = ({ domains, mean }: Standing): DomainView => ({
  name: '',
  rank: Infinity,
  score: 0,
  inDegree: 0,
  supporters: 0,
  cash: 0,
  domains,
  mean,
});

/** As far as ranks and scores tell: names are not known here. */
function topBudgets(policy: BudgetPolicy, standing: Standing): Map<bigint, number> {
  const someone = unknown(standing);
  return new Map(
    Array.from(standing.keys, (key, i) => {
      const score = standing.scores[i];
      const view = {
        ...someone,
        rank: i + 1,
        score,
        inDegree: score,
        supporters: score,
        cash: score,
      };
      return [key, policy.budget(view)];
    }),
  );
}
