/**
 * The versions of a part that match a plan, with their scores, except those that cannot be among
 * the best.
 *
 * Idea      The scanner (scanner.ts) finds versions that have all words, and scores them. Whether
 *           the words of a phrase follow each other is looked at afterwards, in what it found.
 * Requires  `PartQuery.start` to the end of `evaluate` without another query of the same part.
 * Ensures   Scores are added up in the order of the plan, so a version has the same score in
 *           whichever part it is. A version with a score at or above the threshold is not missed.
 */
import { isAnchor } from '../store/formats.ts';
import type { ListBytes, Part } from '../store/part.ts';
import type { PostingList, ReadCounts } from '../store/posting-list.ts';
import { followsEachOther } from './phrase.ts';
import type { Matcher, Plan, Weights } from './plan.ts';
import type { Conditions, Scanner } from './scanner.ts';
import type { Selection } from './times.ts';

/** The lists of a part that a plan needs, by term: those that score first, in their order. */
export type PartLists = ReadonlyMap<string, ListBytes>;

/** Reads the lists of a part; those of anchors come from `listBytes`. */
export async function listsOf(
  part: Part,
  plan: Plan,
  listBytes: (term: string) => ReturnType<Part['listBytes']>,
): Promise<PartLists> {
  const lists = new Map<string, ListBytes>();
  const missing: Promise<void>[] = [];
  const find = (term: string): void => {
    if (lists.has(term)) return;
    const found = isAnchor(term[0]) ? listBytes(term) : part.listBytes(term);
    if (found === undefined) return;
    if (!(found instanceof Promise)) lists.set(term, found);
    else {
      lists.set(term, UNREAD);
      const set = (list: ListBytes | undefined) => {
        if (list) lists.set(term, list);
        else lists.delete(term);
      };
      missing.push(found.then(set));
    }
  };
  for (const term of plan.scoring.keys()) find(term);
  for (const clause of plan.clauses)
    for (const matcher of clause) for (const term of termsOf(matcher)) find(term);
  for (const matcher of plan.excluded) for (const term of termsOf(matcher)) find(term);
  if (missing.length > 0) await Promise.all(missing);
  return lists;
}

/** Holds the place of a list that is being read. */
const UNREAD: ListBytes = {
  entry: { term: '', count: 0, start: 0, bytes: 0, positionStart: 0, positionBytes: 0 },
  bytes: new Uint8Array(0),
};

const termsOf = (matcher: Matcher): readonly string[] =>
  matcher.kind === 'any' ? matcher.terms : matcher.groups.flat();

/** Which lists a version must be in; undefined if none of the part can match. */
function conditionsOf({ clauses, excluded }: Plan, lists: PartLists): Conditions | undefined {
  const bitsOf = new Map<string, number[]>();
  let [bits, driving, fewest] = [0, new Set<string>(), Number.POSITIVE_INFINITY];
  const give = (term: string, bit: number) => {
    const known = bitsOf.get(term);
    if (known) known.push(bit);
    else bitsOf.set(term, [bit]);
  };
  const alternativesOf = (matchers: readonly Matcher[]): number[][] => {
    const { words, groups } = inPart(matchers, lists);
    const alternatives: number[][] = [];
    if (words.size > 0) {
      for (const term of words) give(term, bits);
      alternatives.push([bits++]);
    }
    for (const group of groups) {
      const alternative = [...new Set(group)].map((term) => {
        give(term, bits);
        return bits++;
      });
      alternatives.push(alternative);
    }
    const terms = new Set([...words, ...groups.flat()]);
    let postings = 0;
    for (const term of terms) postings += lists.get(term)?.entry.count ?? 0;
    if (postings < fewest) [driving, fewest] = [terms, postings];
    return alternatives;
  };
  const required = clauses.map(alternativesOf);
  if (required.some((alternatives) => alternatives.length === 0)) return undefined;
  const refused = excluded.flatMap((each) => (each.kind === 'any' ? each.terms : []));
  const refusing = [...new Set(refused)].filter((term) => lists.has(term));
  for (const term of refusing) give(term, bits);
  const excludedBits = refusing.length > 0 ? [bits++] : [];
  return { bits, bitsOf, clauses: required, excluded: excludedBits, driving };
}

/** What can match in a part: words that it has, and phrases all of whose words it has. */
function inPart(matchers: readonly Matcher[], lists: PartLists) {
  const words = new Set<string>();
  const groups: (readonly string[])[] = [];
  for (const matcher of matchers) {
    if (matcher.kind === 'phrase')
      groups.push(...matcher.groups.filter((group) => group.every((term) => lists.has(term))));
    else for (const term of matcher.terms) if (lists.has(term)) words.add(term);
  }
  return { words, groups };
}

const NOTHING: Conditions = {
  ...{ bits: 0, bitsOf: new Map(), clauses: [], excluded: [], driving: new Set() },
};

/** A query of one part: its lists are in the scanner. */
export class PartQuery {
  readonly part: Part;
  readonly scanner: Scanner;
  readonly lists: PartLists;
  readonly plan: Plan;
  /** Whether any version can match. */
  readonly canMatch: boolean;
  readonly #numbers: ReadonlyMap<string, number>;

  private constructor(
    part: Part,
    scanner: Scanner,
    lists: PartLists,
    plan: Plan,
    canMatch: boolean,
  ) {
    this.part = part;
    this.scanner = scanner;
    this.lists = lists;
    this.plan = plan;
    this.canMatch = canMatch;
    const numbers = new Map<string, number>();
    for (const term of lists.keys()) numbers.set(term, numbers.size);
    this.#numbers = numbers;
  }

  static start(
    part: Part,
    scanner: Scanner,
    lists: PartLists,
    plan: Plan,
    valid: Uint8Array,
  ): PartQuery {
    const conditions = conditionsOf(plan, lists);
    scanner.start([...lists.values()], conditions ?? NOTHING, valid);
    return new PartQuery(part, scanner, lists, plan, conditions !== undefined);
  }

  /** How many versions of the selection have a term. */
  count(term: string, { isAll }: Selection): number {
    const list = this.#numbers.get(term);
    if (list === undefined) return 0;
    return isAll ? (this.lists.get(term)?.entry.count ?? 0) : this.scanner.countValid(list);
  }

  /** Sets what each list scores: its weight times its inverse document frequency. */
  setScores(factors: ReadonlyMap<string, number>, weights: Weights, selection: Selection): void {
    this.scanner.setMeans(weights, selection);
    for (const [term, factor] of factors) {
      const list = this.#numbers.get(term);
      if (list !== undefined) this.scanner.setScore(list, factor);
    }
  }
}

export interface Receiver {
  /** Versions with a lower score need not be found. */
  readonly threshold: number;
  offer(version: number, score: number): void;
}

/** Bounds and scores are added up in different orders: this much may be rounding. */
const SLACK = 1 - 1e-9;

export async function evaluate(
  query: PartQuery,
  receiver: Receiver,
  reads: ReadCounts,
): Promise<void> {
  const { scanner, part, plan } = query;
  const isPlain = ![...plan.clauses.flat(), ...plan.excluded].some((m) => m.kind === 'phrase');
  const phrases = isPlain ? undefined : new PhraseCheck(query);
  while (query.canMatch) {
    let least = receiver.threshold;
    const count = scanner.scan(least * SLACK);
    if (count < 0) break;
    if (phrases) await phrases.offer(foundIn(scanner, count), receiver);
    else
      for (let i = 0; i < count; i++) {
        if (scanner.score(i) < least) continue;
        receiver.offer(scanner.version(i), scanner.score(i));
        least = receiver.threshold;
      }
  }
  const { block } = part.settings;
  for (const { entry } of query.lists.values()) reads.blocks += Math.ceil(entry.count / block);
  reads.decoded += scanner.decoded;
}

interface Scored {
  readonly version: number;
  readonly score: number;
}

/** What the scanner found, in the order of versions. */
const foundIn = (scanner: Scanner, count: number): Scored[] =>
  Array.from({ length: count }, (_, i) => ({
    ...{ version: scanner.version(i), score: scanner.score(i) },
  })).sort((a, b) => a.version - b.version);

/** Looks at the positions of words in versions. Lists are read in one direction. */
class PhraseCheck {
  readonly #part: Part;
  readonly #plan: Plan;
  readonly #lists = new Map<string, PostingList>();

  constructor({ part, lists, plan }: PartQuery) {
    this.#part = part;
    this.#plan = plan;
    for (const [term, bytes] of lists) this.#lists.set(term, part.listOf(bytes));
  }

  /** Offers those of some versions that match, in increasing order. */
  async offer(found: readonly Scored[], receiver: Receiver): Promise<void> {
    for (const { version, score } of found)
      if (score >= receiver.threshold * SLACK && (await this.#holds(version)))
        receiver.offer(version, score);
  }

  async #holds(version: number): Promise<boolean> {
    for (const matchers of this.#plan.clauses)
      if (!(await this.#some(matchers, version))) return false;
    return !(await this.#some(this.#plan.excluded, version));
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
