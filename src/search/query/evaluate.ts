/**
 * The versions of a part that match a plan, with their scores, except those that cannot be among
 * the best.
 *
 * Idea      Candidates come from the clause with the fewest postings. Between the ends of the
 *           current blocks of all lists, the greatest possible score is a constant: the sum of what
 *           the blocks can give (block-max WAND, Ding and Suel 2011). If it is below the threshold,
 *           the whole window is skipped without decoding it. Within a clause of many lists, those
 *           that together cannot reach the threshold yield no candidates (MaxScore, Turtle and
 *           Flood 1995).
 * Ensures   Scores are added up in the order of the plan, so a version has the same score in
 *           whichever part it is. A version with a score at or above the threshold is not missed.
 */
import type { Part } from '../store/part.ts';
import { END, type PostingList, type ReadCounts } from '../store/posting-list.ts';
import { followsEachOther } from './phrase.ts';
import type { Matcher, Plan, Weights } from './plan.ts';

/** What a list needs to score. */
export interface TermScore {
  /** The weight times the inverse document frequency. */
  readonly factor: number;
  /** The mean length of the field. */
  readonly mean: number;
}

/** The lists of a part that a plan needs, by term. */
export type PartLists = ReadonlyMap<string, PostingList>;

export async function listsOf(part: Part, plan: Plan, counts: ReadCounts): Promise<PartLists> {
  const terms = new Set(plan.scoring.keys());
  for (const matcher of [...plan.clauses.flat(), ...plan.excluded])
    for (const term of termsOf(matcher)) terms.add(term);
  const lists = new Map<string, PostingList>();
  for (const term of terms) {
    const list = await part.list(term, counts);
    if (list) lists.set(term, list);
  }
  return lists;
}

const termsOf = (matcher: Matcher): readonly string[] =>
  matcher.kind === 'any' ? matcher.terms : matcher.groups.flat();

/** BM25 of one list: increases with the frequency, decreases with the length. */
function termScore(
  { factor, mean }: TermScore,
  frequency: number,
  length: number,
  { k1, b }: Pick<Weights, 'k1' | 'b'>,
): number {
  const relative = mean > 0 ? length / mean : 0;
  return (factor * frequency * (k1 + 1)) / (frequency + k1 * (1 - b + b * relative));
}

/** A list that scores. */
class Scorer {
  readonly list: PostingList;
  /** The most that any posting can give. */
  readonly greatest: number;
  readonly #score: TermScore;
  readonly #lengths: Uint32Array | undefined;
  readonly #weights: Weights;
  readonly #bounds: Float64Array;

  constructor(part: Part, list: PostingList, score: TermScore, weights: Weights) {
    this.list = list;
    this.#score = score;
    this.#lengths = part.lengths(list.term);
    this.#weights = weights;
    this.#bounds = new Float64Array(list.blocks);
    let greatest = 0;
    for (let i = 0; i < list.blocks; i++) {
      const bound = termScore(score, list.greatestOf(i), list.leastOf(i), weights);
      this.#bounds[i] = bound;
      greatest = Math.max(greatest, bound);
    }
    this.greatest = greatest;
  }

  /** The most that a posting of the current block can give; 0 after the last. */
  get bound(): number {
    const { current, blocks } = this.list;
    return current < blocks ? this.#bounds[current] : 0;
  }

  scoreAt(version: number): number {
    const length = this.#lengths?.[version] ?? 0;
    return termScore(this.#score, this.list.frequency, length, this.#weights);
  }
}

interface Evaluation {
  readonly part: Part;
  readonly lists: PartLists;
  readonly plan: Plan;
  readonly scores: ReadonlyMap<string, TermScore>;
  readonly weights: Weights;
  /** 1 for each version of the part that may be found. */
  readonly valid: Uint8Array;
}

export interface Receiver {
  /** Versions with a lower score need not be found. */
  readonly threshold: number;
  offer(version: number, score: number): void;
}

/** Bounds and scores are added up in different orders: this much may be rounding. */
const SLACK = 1 - 1e-9;

export async function evaluate(evaluation: Evaluation, receiver: Receiver): Promise<void> {
  const run = new Run(evaluation);
  if (!run.canMatch) return;
  for (let version = 0; version < END; ) {
    const least = receiver.threshold * SLACK;
    const reachable = run.windowAt(version, least);
    if (reachable !== version) {
      version = reachable;
      continue;
    }
    const candidate = run.candidate(version, least);
    if (candidate === END) return;
    if (candidate > run.windowEnd) {
      version = candidate; // the window says nothing about versions behind its end
      continue;
    }
    const next = run.matchesFrom(candidate);
    if (next !== candidate) {
      version = next;
      continue;
    }
    version = candidate + 1;
    if (evaluation.valid[candidate] === 0) continue;
    if (run.isPlain ? run.holds(candidate) : await run.holdsWithPhrases(candidate))
      receiver.offer(candidate, run.score(candidate));
  }
}

/** A clause in a part: the lists of its matchers. */
interface Clause {
  readonly matchers: readonly Matcher[];
  readonly lists: readonly PostingList[];
  readonly cost: number;
}

class Run {
  /** The end of the window, itself included. */
  windowEnd = -1;
  readonly isPlain: boolean;
  readonly #part: Part;
  readonly #lists: PartLists;
  readonly #plan: Plan;
  readonly #scorers: readonly Scorer[];
  readonly #driver: Clause;
  readonly #others: readonly Clause[];
  /** The lists of the driver, those that can give least first, and what those up to each can. */
  readonly #ordered: readonly PostingList[];
  readonly #sums: readonly number[];
  #windowBound = 0;

  constructor({ part, lists, plan, scores, weights }: Evaluation) {
    this.#part = part;
    this.#lists = lists;
    this.#plan = plan;
    for (const list of lists.values()) list.rewind();
    this.#scorers = [...scores].flatMap(([term, score]) => {
      const list = lists.get(term);
      return list ? [new Scorer(part, list, score, weights)] : [];
    });
    const clauses = plan.clauses.map((matchers) => clauseOf(matchers, lists));
    const [driver, ...others] = [...clauses].sort((a, b) => a.cost - b.cost);
    this.#driver = driver;
    this.#others = others;
    this.isPlain = ![...plan.clauses.flat(), ...plan.excluded].some((m) => m.kind === 'phrase');
    const greatest = new Map(this.#scorers.map((scorer) => [scorer.list, scorer.greatest]));
    const given = (list: PostingList) => greatest.get(list) ?? 0;
    this.#ordered = [...driver.lists].sort((a, b) => given(a) - given(b));
    const inDriver = new Set(driver.lists);
    let sum = 0;
    for (const { list, greatest: most } of this.#scorers) if (!inDriver.has(list)) sum += most;
    this.#sums = this.#ordered.map((list) => {
      sum += given(list);
      return sum;
    });
  }

  get canMatch(): boolean {
    return [this.#driver, ...this.#others].every(({ lists }) => lists.length > 0);
  }

  /** The version itself if the window around it can reach a score; else where the next begins. */
  windowAt(version: number, least: number): number {
    if (version > this.windowEnd) {
      let [bound, end] = [0, END];
      for (const scorer of this.#scorers) {
        scorer.list.look(version);
        bound += scorer.bound;
        end = Math.min(end, scorer.list.last);
      }
      this.#windowBound = bound;
      this.windowEnd = end;
    }
    if (this.#windowBound >= least) return version;
    return this.windowEnd === END ? END : this.windowEnd + 1;
  }

  /** The first version from `version` on in a list that matters. */
  candidate(version: number, least: number): number {
    let first = END;
    for (let i = this.#ordered.length - 1; i >= 0; i--) {
      if (this.#sums[i] < least) break;
      const id = this.#ordered[i].seek(version);
      if (id < first) first = id;
    }
    return first;
  }

  /** The version itself if the lists of all clauses have it; else a version not after the next. */
  matchesFrom(version: number): number {
    for (const { lists } of this.#others) {
      let first = END;
      for (const list of lists) {
        const id = list.seek(version);
        if (id < first) first = id;
        if (id === version) break;
      }
      if (first !== version) return first;
    }
    return version;
  }

  /** Whether nothing excluded is in a version. */
  holds(version: number): boolean {
    return !this.#plan.excluded.some((matcher) => this.#has(matcher, version));
  }

  async holdsWithPhrases(version: number): Promise<boolean> {
    for (const matchers of this.#plan.clauses)
      if (!(await this.#some(matchers, version))) return false;
    return !(await this.#some(this.#plan.excluded, version));
  }

  score(version: number): number {
    let sum = 0;
    for (const scorer of this.#scorers)
      if (scorer.list.seek(version) === version) sum += scorer.scoreAt(version);
    return sum;
  }

  async #some(matchers: readonly Matcher[], version: number): Promise<boolean> {
    for (const matcher of matchers) {
      if (
        matcher.kind === 'any' ? this.#has(matcher, version) : await this.#follows(matcher, version)
      )
        return true;
    }
    return false;
  }

  #has(matcher: Matcher, version: number): boolean {
    return termsOf(matcher).some((term) => this.#lists.get(term)?.seek(version) === version);
  }

  async #follows(
    { groups, adjacent }: Extract<Matcher, { kind: 'phrase' }>,
    version: number,
  ): Promise<boolean> {
    for (const terms of groups) {
      const lists = terms.map((term) => this.#lists.get(term));
      if (!lists.every((list) => list?.seek(version) === version)) continue;
      if (!adjacent) return true;
      const positions: Uint32Array[] = [];
      for (const list of lists) if (list) positions.push(await this.#part.positions(list));
      if (followsEachOther(positions)) return true;
    }
    return false;
  }
}

function clauseOf(matchers: readonly Matcher[], lists: PartLists): Clause {
  const found = new Set<PostingList>();
  for (const matcher of matchers) {
    for (const term of termsOf(matcher)) {
      const list = lists.get(term);
      if (list) found.add(list);
    }
  }
  const all = [...found];
  return { matchers, lists: all, cost: all.reduce((sum, { count }) => sum + count, 0) };
}
