/**
 * The reputation of an agent's domains, kept up to date while it crawls: IRLbot's STAR, with a
 * choice of rankings.
 *
 *   page ─► gatherer ─► owner of the target ─► edges: which are new? ─┬─► book: in-degree
 *                                                                     └─► sample ─► other agents
 *   from time to time:  edges + sample ─► TSE ─► book ─► standing ─► all other agents ─► budgets
 *
 * Idea      The loop that feeds the frontier also does all work here, in small steps, so nothing
 *           waits for a lock. Budgets are computed anew when the graph has grown by a quarter:
 *           rarely enough that the work per edge stays constant. Ranking takes at most a tenth of
 *           the time.
 * Requires  one caller of `step`; `page` and `receive` may be called at any time. The code that
 *           writes a checkpoint calls `carry(true)` and `collect` in the same step in which it
 *           notes what was received and fetched. `end` is called before the edges and the book are
 *           closed.
 * Ensures   agents that have received the same messages have the same standing, and so the same
 *           budgets.
 */
import type { Clock } from '../base/clock.ts';
import type { Pacer } from '../base/pacer.ts';
import type { Bytes, Millis } from '../base/units.ts';
import { xxh64 } from '../base/xxh64.ts';
import { RecentCache } from '../sieve/recent-cache.ts';
import { payLevelDomain } from '../url/domain.ts';
import { PackedUrls } from '../url/packed-urls.ts';
import { hostOf } from '../url/parts.ts';
import type { DomainView } from './budget/budget-expression.ts';
import {
  atFirst,
  type BudgetPolicy,
  budgets,
  shutsOut,
  verdictOn,
} from './budget/budget-policy.ts';
import type { DomainBook } from './budget/domain-book.ts';
import type { Override } from './budget/domain-record.ts';
import { type Overrides, overrideChanges } from './budget/overrides.ts';
import { type Ranking, Standing, scoreBy } from './budget/standing.ts';
import { degreesBeside } from './degrees.ts';
import { type DomainEdges, HELD_PERIODS, type NewEdges } from './edges/domain-edges.ts';
import type { EdgeGatherer } from './edges/edge-gatherer.ts';
import { type EdgeParcel, unpackEdges } from './edges/edge-parcel.ts';
import { estimateSupporters } from './edges/live-tse.ts';
import type { SupporterSample } from './edges/supporter-sample.ts';
import { RecentLinks } from './recent-links.ts';

/** The kinds of message that agents send each other. */
export type Message = 'edges' | 'sample' | 'standing';

interface ReputationParts {
  readonly agent: number;
  readonly agents: number;
  readonly rank: Ranking;
  /** Keys of the domains of the seeds, where trust begins. */
  readonly seeds: readonly bigint[];
  policy: BudgetPolicy;
  /** Whether this agent owns the domain with this key. */
  readonly isOurs: (domain: bigint) => boolean;
  readonly gatherer: EdgeGatherer;
  readonly edges: DomainEdges;
  readonly sample: SupporterSample;
  readonly book: DomainBook;
  readonly clock: Clock;
  readonly pacer: Pacer;
  readonly send: (to: number, message: Message, bytes: Uint8Array) => void;
  /** Called when budgets may have changed. */
  readonly onBudgets: () => void;
}

/** How long gathered edges stay here at most, so that many are sent together. */
const EDGES_AGE: Millis = 1000;
/** Gathered edges that are sent at once, whatever their age. */
const MANY_EDGES = 16_384;
/**
 * New edges after which budgets are computed the first time, and the least number for each time
 * after that. It is small, because before the first time all domains are alike.
 */
const FIRST_EDGES = 20;
/** Budgets are computed anew when there are this many times as many edges as the last time. */
const GROWTH = 1.25;
/**
 * Fetched pages are counted in the book in groups of this size: one change per domain, not one per
 * page.
 */
const MANY_PAGES = 1024;
/**
 * Rankings are under way for at most this share of the time. A ranking yields to other work, so
 * that uses most of it.
 */
const RANKING_SHARE = 1 / 10;
/** Domains that one step reads. */
const SLICE = 65_536;
/** Memory for domains that were named to the book lately. */
const NAMED: Bytes = 2 ** 18;
/** Memory for links between sites that were found lately. */
const RECENT_LINKS: Bytes = 2 ** 18;
/** Domains that exchange links whose queued URLs are put off; others lose only their budget. */
const MOST_EXCHANGES = 2 ** 16;

export class Reputation {
  readonly #parts: ReputationParts;
  readonly #standings: Standing[];
  #standing = Standing.none;
  #packed: readonly string[] | undefined;
  #edgesDue: Millis = Infinity;
  /** Parcels of edges, from other agents and our own, that are not added to the edges yet. */
  #arrived: Uint8Array[] = [];
  readonly #named = new RecentCache(NAMED);
  readonly #recent = new RecentLinks(RECENT_LINKS);
  /** New edges may have been decided since the last `#takeNew`. */
  #mayHaveNew = true;
  /** Number of edges when budgets were computed last. */
  #rankedAt = 0;
  #ranking: AsyncGenerator<void> | undefined;
  #rankingBegun: Millis = 0;
  #nextRanking: Millis = 0;
  /** Rank as soon as the share of time allows, however little is new. */
  #ranksSoon = false;
  /** Other agents have sent sampled links since the last ranking. */
  #sampleHasGrown = false;
  /** Edges may have been dropped since the last ranking. */
  #hasTurned = false;
  /** Pages fetched and not counted in the book yet, by domain. */
  readonly #fetched = new Map<bigint, number>();
  #pagesFetched = 0;
  /** Budgets of the domains at the top, for requests in the middle of a fetch. */
  #budgetsAtTop = new Map<bigint, number>();
  /** Our domains that exchange links, by the last estimate. */
  #exchanges: ReadonlySet<bigint> = new Set();
  /** The budget of a domain of which nothing is known. */
  #leastBudget: number;

  constructor(parts: ReputationParts) {
    this.#parts = parts;
    this.#standings = Array.from({ length: parts.agents }, () => Standing.none);
    const { edges, policy } = parts;
    this.#leastBudget = (edges.size > 0 ? policy : atFirst(policy)).budget(unknown(Standing.none));
  }

  /** Nothing is left to send to other agents, and nothing received can lead to a message. */
  get idle(): boolean {
    const { gatherer, edges } = this.#parts;
    return gatherer.waiting === 0 && this.#arrived.length === 0 && edges.pending === 0;
  }

  /** Domains are being ranked, or there are links that no ranking has used yet. */
  get hasNews(): boolean {
    const { edges, rank } = this.#parts;
    const sampled = usesSample(rank) && this.#sampleHasGrown;
    const isRanking = this.#ranking !== undefined;
    const hasGrown = edges.size + edges.pending > this.#rankedAt;
    return isRanking || sampled || hasGrown || this.#hasTurned;
  }

  /** When `step` has work to do even if nothing else happens. */
  get wakeAt(): Millis {
    return this.#ranking
      ? 0
      : Math.min(
          this.#edgesDue,
          this.#ranksSoon ? this.#nextRanking : Infinity,
          this.#parts.edges.turnsAt,
        );
  }

  get standing(): Standing {
    return this.#standing;
  }

  /** The budget of the domain with this key; below the top, that of any unknown domain. */
  budgetOf(domain: bigint): number {
    return this.#budgetsAtTop.get(domain) ?? this.#leastBudget;
  }

  /** What the order of turns goes by: what the operator decided, or the budget by rank. */
  turnBudgetOf({ name, hash }: { readonly name: string; readonly hash: bigint }): number {
    const decided = this.#parts.book.overrides.get(name);
    if (typeof decided === 'number') return decided;
    const budget = this.budgetOf(hash);
    if (decided !== 'trusted' || this.#standing.keys.length === 0) return budget;
    return Math.max(budget, this.budgetOf(this.#standing.keys[0]));
  }

  /** Budget of the domain with this key, and its rank if it is at the top. */
  reputed(domain: bigint): { readonly budget: number; readonly rank?: number } {
    const rank = this.#standing.placeOf(domain);
    return { budget: this.budgetOf(domain), ...(rank !== undefined && { rank }) };
  }

  /** Rank of the domain in the last ranking, from 1; Infinity below the top. */
  rankOf(domain: bigint): number {
    return this.#standing.placeOf(domain) ?? Infinity;
  }

  /** Score of the domain in the last ranking; 0 below the top. */
  scoreOf(domain: bigint): number {
    const place = this.#standing.placeOf(domain);
    return place === undefined ? 0 : this.#standing.scores[place - 1];
  }

  get leastBudget(): number {
    return this.#leastBudget;
  }

  /**
   * Sets the verdict on spam of the domain with this key: its budget follows. If it is `cleared`,
   * URLs of it that were put off may get a round.
   */
  setSpam(domain: bigint, spam: number, cleared = false): void {
    const { book, onBudgets } = this.#parts;
    // What the first verdicts mean depends on the pages of the domain.
    const pages = this.#fetched.get(domain);
    if (pages !== undefined) {
      book.countPages(domain, pages);
      this.#fetched.delete(domain);
      this.#pagesFetched -= pages;
    }
    book.setSpam(domain, spam);
    if (cleared) onBudgets();
  }

  /** Another policy gives the budgets from now on. */
  setPolicy(policy: BudgetPolicy): void {
    this.#parts.policy = policy;
    this.#learnStandings();
  }

  /**
   * The last standing of each agent, packed, for a checkpoint: those received are not sent again.
   * Together they have the places of one.
   */
  get standings(): readonly string[] {
    this.#packed ??= this.#standings.map((one) =>
      Buffer.from(one.within(this.#standing).pack()).toString('base64'),
    );
    return this.#packed;
  }

  /**
   * Starts from the standings of a checkpoint. Without them an agent would take the best of its own
   * domains for the best of all, until the others have ranked theirs again.
   */
  restore(standings: readonly string[]): void {
    if (standings.length !== this.#parts.agents) return;
    for (const [agent, packed] of standings.entries())
      this.#standings[agent] = Standing.unpack(Buffer.from(packed, 'base64'));
    this.#learnStandings();
  }

  /**
   * Whether a verdict by pages, or that it exchanges links, leaves the domain no budget, and the
   * operator has not decided.
   */
  shutsOut(
    { name, hash }: { readonly name: string; readonly hash: bigint },
    spam: number,
  ): boolean {
    const { book, policy } = this.#parts;
    const verdict = verdictOn({ exchangesLinks: this.#exchanges.has(hash), spam });
    return !book.overrides.has(name) && shutsOut(policy, name, verdict);
  }

  /** Counts a fetched page of the domain with this key. */
  fetched(domain: bigint): void {
    this.#fetched.set(domain, (this.#fetched.get(domain) ?? 0) + 1);
    this.#pagesFetched++;
  }

  /**
   * Notes the links of a page of the domain with this key, or only the origins that they lead to.
   */
  page(domain: bigint, url: string, links: readonly string[] | PackedUrls): void {
    const { gatherer, clock, rank } = this.#parts;
    // Cash flows along every link of every page.
    const every = rank === 'opic' || !(links instanceof PackedUrls);
    const found = every ? links : this.#recent.newOf(domain, links);
    if (found.length === 0) return;
    gatherer.page(domain, url, found);
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

  /** Sends edges to the owners of their targets when there are many or the oldest is old enough. */
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

  /** Does the next small piece of work. Returns true if there is more. */
  async step(): Promise<boolean> {
    this.carry();
    if (this.#pagesFetched >= MANY_PAGES) this.#countPages();
    if (this.#arrived.length > 0) await this.#takeInAll();
    if (this.#mayHaveNew) await this.#takeNew();
    if (!this.#ranking && this.#parts.clock.now() >= this.#parts.edges.turnsAt) await this.#turn();
    if (!this.#ranking && this.#isDue()) this.#beginRanking();
    if (!this.#ranking) return false;
    if ((await this.#ranking.next()).done) this.#endRanking();
    return this.#ranking !== undefined;
  }

  /** Adds everything received to edges and book, and sends nothing. */
  async write(): Promise<void> {
    this.#countPages();
    await this.#takeInAll();
  }

  /** Like `write`, without a wait: `freeze` of edges and book writes what they have collected. */
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

  /**
   * Exchanges everything with other agents: sends all gathered edges, decides all received ones,
   * and sends the new sampled links. Then `idle` holds.
   */
  async deliver(): Promise<void> {
    const { edges } = this.#parts;
    this.carry(true);
    await this.write();
    if (edges.pending > 0) await edges.flush();
    await this.#takeNew();
  }

  /**
   * Lets `step` rank as soon as its share of the time allows, however little is new. For when there
   * is nothing else to do.
   */
  rankSoon(): void {
    this.#ranksSoon = true;
  }

  /** Computes all budgets from what is known now, at the end of a crawl. */
  async rankNow(): Promise<void> {
    await this.write();
    while (this.#ranking && !(await this.#ranking.next()).done);
    this.#ranking = undefined;
    for await (const _ of this.#rank());
    // A later reader of the folder has no standing, so budgets must be in the book. Other agents'
    // standings are the last they sent.
    await this.#parts.book.flush();
  }

  /** Stops the ranking that is under way. */
  async end(): Promise<void> {
    await this.#ranking?.return(undefined);
    this.#ranking = undefined;
  }

  /**
   * Applies the operator's overrides of all domains. Calls `onChange` for each of our domains whose
   * override changes.
   */
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

  /**
   * Adds a parcel of edges. Names its targets, with their cash, to the book unless that was done
   * lately.
   */
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

  /** A period of the life of edges is over: what was not seen for long is dropped. */
  async #turn(): Promise<void> {
    const { edges, sample, gatherer } = this.#parts;
    await edges.flush();
    await this.#takeNew();
    sample.turn(await edges.turn(), HELD_PERIODS);
    gatherer.forgetRecent();
    this.#recent.forget();
    this.#hasTurned = true;
    this.#ranksSoon = true;
  }

  /** Counts the edges that are new, and sends those in the sample to all other agents. */
  async #takeNew(): Promise<void> {
    const { agent, agents, edges, sample, book, rank, clock, send } = this.#parts;
    this.#mayHaveNew = false;
    for (let novel = await edges.take(); novel; novel = await edges.take()) {
      // Where edges age, one may be known from an earlier period: `#countEdges` counts them.
      for (const [target, sources] of edges.isAged ? [] : inDegrees(novel))
        book.countEdges(target, '', sources, 0, clock.now());
      const drawn = usesSample(rank) ? sample.offer(novel) : undefined;
      for (let to = 0; drawn && to < agents; to++) if (to !== agent) send(to, 'sample', drawn);
    }
  }

  async *#rank(): AsyncGenerator<void> {
    const { edges, book, rank, agent, agents, send } = this.#parts;
    await edges.flush();
    await this.#takeNew();
    this.#rankedAt = edges.size;
    this.#sampleHasGrown = false;
    this.#hasTurned = false;
    if (edges.isAged) yield* this.#countEdges();
    if (usesSample(rank)) yield* this.#countSupporters();
    const own = yield* this.#ownStanding();
    const packed = own.pack();
    for (let to = 0; to < agents; to++) if (to !== agent) send(to, 'standing', packed);
    await book.write();
    this.#learnStanding(agent, own);
  }

  /** Counts in-degrees anew, where edges age. */
  async *#countEdges(): AsyncGenerator<void> {
    const { edges, book, pacer } = this.#parts;
    let seen = 0;
    for await (const { key, record, degree } of degreesBeside(book.records(), edges.lists())) {
      if (record?.inDegree !== degree) book.setInDegree(key, degree);
      // A domain with in-links gets an estimate with the others.
      const isEstimated = (record?.supporters ?? 0) > 0 || record?.exchangesLinks;
      if (degree === 0 && isEstimated) book.setSupporters(key, 0);
      if (++seen % 1024 === 0) await pacer.pause();
      if (seen % SLICE !== 0) continue;
      await book.write();
      yield;
    }
    await book.write();
  }

  async *#countSupporters(): AsyncGenerator<void> {
    const { edges, sample, book, pacer, rank } = this.#parts;
    const seeds = rank === 'trusted' ? this.#parts.seeds : undefined;
    const estimates = estimateSupporters(edges.lists(), sample, { pacer, seeds });
    // The operator has named the seeds.
    const named = new Set(this.#parts.seeds);
    const found = new Set<bigint>();
    for await (const { length, targets, supporters, exchanges } of estimates) {
      for (let i = 0; i < length; i++) {
        const isExchange = exchanges[i] === 1 && !named.has(targets[i]);
        book.setSupporters(targets[i], supporters[i], isExchange);
        if (isExchange && found.size < MOST_EXCHANGES) found.add(targets[i]);
      }
      await book.write();
      yield;
    }
    this.#exchanges = found;
  }

  async *#ownStanding(): AsyncGenerator<void, Standing> {
    const { book, rank, pacer } = this.#parts;
    const records = book.records();
    let own = Standing.none;
    for (;;) {
      const slice = await Standing.of(nextOf(records, SLICE, pacer), scoreBy(rank));
      if (slice.domains === 0) return own;
      own = Standing.merge([own, slice]);
      yield;
    }
  }

  #learnStanding(from: number, standing: Standing): void {
    this.#standings[from] = standing;
    this.#learnStandings();
  }

  #learnStandings(): void {
    const { book, policy, rank, isOurs, onBudgets } = this.#parts;
    const before = this.#budgetsAtTop;
    this.#packed = undefined;
    this.#standing = Standing.merge(this.#standings);
    this.#budgetsAtTop = topBudgets(policy, this.#standing);
    this.#leastBudget = policy.budget(unknown(this.#standing));
    // All of them: a policy may depend on more than is known here, like the name of a domain.
    const ranked = new Set([...before.keys(), ...this.#budgetsAtTop.keys()]);
    book.setBudgets(budgets(policy, this.#standing, rank), [...ranked].filter(isOurs));
    onBudgets();
  }
}

/** The keys of the domains of some URLs, each once. */
export function domainsOfSeeds(urls: readonly string[]): bigint[] {
  return [...new Set(urls.map((url) => payLevelDomain(hostOf(url))))].map((name) => xxh64(name));
}

/** Whether a ranking counts supporters among the links of sampled domains. */
const usesSample = (rank: Ranking): boolean => rank === 'tse' || rank === 'trusted';

/** How many new edges lead to each target. */
function inDegrees({ length, targets }: NewEdges): Map<bigint, number> {
  const degrees = new Map<bigint, number>();
  for (let i = 0; i < length; i++) degrees.set(targets[i], (degrees.get(targets[i]) ?? 0) + 1);
  return degrees;
}

/** The next `most` items; the rest stay in the generator. */
async function* nextOf<T>(all: AsyncGenerator<T>, most: number, pacer: Pacer): AsyncGenerator<T> {
  for (let i = 0; i < most; i++) {
    const { done, value } = await all.next();
    if (done) return;
    yield value;
    if (i % 1024 === 0) await pacer.pause();
  }
}

/** The view of a domain of which nothing is known. */
const unknown = ({ domains, mean }: Standing): DomainView => ({
  name: '',
  rank: Infinity,
  score: 0,
  inDegree: 0,
  supporters: 0,
  cash: 0,
  spam: 0,
  domains,
  mean,
});

/** Budgets as far as ranks and scores determine them: names are not known here. */
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
