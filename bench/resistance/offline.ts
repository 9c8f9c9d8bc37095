/** What each attack gets from each ranking, on the graph of all domains and links. */
import { NO_PORTS, webOf } from '../../src/lab/server/lab.ts';
import { hash, unit } from '../../src/lab/words/random.ts';
import { rank } from '../../src/rank/index.ts';
import { CAP } from '../../src/rank/supporters/trusted-score.ts';
import { type AttackedGraph, attackedGraph, independentSupporters } from './graph.ts';

type Method = readonly [title: string, parametersOf: (of: AttackedGraph) => object];

export const METHODS: readonly Method[] = [
  ['in-degree', () => ({ by: 'in' })],
  ['supporters', () => ({ by: 'supp' })],
  ['one a group (address)', ({ domains }) => ({ by: 'grouped', groups: addresses(domains) })],
  ['links capped', ({ seeds }) => ({ by: 'trusted', seeds, worth: 0 })],
  ['trust', ({ seeds }) => ({ by: 'trusted', seeds, cap: 0 })],
  ['trusted', ({ seeds }) => ({ by: 'trusted', seeds })],
];

function addresses(domains: AttackedGraph['domains']): Map<string, number> {
  const numbers = new Map<string, number>();
  return new Map(
    domains.map(({ name, address }) => {
      const number = numbers.get(address) ?? numbers.size;
      numbers.set(address, number);
      return [name, number];
    }),
  );
}

/** `proportional(power=2)`. */
export function budgetsOf(scores: Float64Array): Float64Array {
  const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length;
  return scores.map((score) =>
    Math.round(Math.min(10_000, Math.max(1, mean > 0 ? 10 * (score / mean) ** 2 : 0))),
  );
}

const OFF = { 'sparse-ring': 0, bought: 0, 'giant-comments': 0, expired: 0.006 };

interface Attack {
  /** For `--attacks`. */
  readonly key: string;
  readonly title: string;
  readonly scenario: string;
  readonly mix?: Readonly<Record<string, number>>;
  readonly clique?: number;
  /** Share of the links to domains taken over that do not count, because they were removed. */
  readonly forgotten?: number;
  /** Whose budgets count. */
  readonly of: (domain: AttackedGraph['domains'][number]) => boolean;
}

export const ATTACKS: readonly Attack[] = [
  { key: 'plain', title: 'spam, plain web (`spam`)', scenario: 'spam', of: ({ spam }) => spam },
  {
    key: 'clique',
    title: 'clique of 1,000 domains',
    ...{ scenario: 'attack', mix: OFF, clique: 1000 },
    of: ({ kind }) => kind === 'clique',
  },
  {
    key: 'ring',
    title: 'sparse ring of a fifth of the domains',
    ...{ scenario: 'attack', mix: { ...OFF, 'sparse-ring': 0.2 } },
    of: ({ kind }) => kind === 'sparse-ring',
  },
  {
    key: 'bought',
    title: 'links bought on eight giants, one domain in a hundred',
    ...{ scenario: 'attack', mix: { ...OFF, bought: 0.01 } },
    of: ({ kind }) => kind === 'bought',
  },
  {
    key: 'before',
    title: 'all spam, before comments on giants',
    ...{ scenario: 'attack', mix: OFF },
    of: ({ spam }) => spam,
  },
  {
    key: 'comments',
    title: 'all spam, comments on all pages of giants',
    ...{ scenario: 'attack', mix: { ...OFF, 'giant-comments': 1 } },
    of: ({ spam }) => spam,
  },
  {
    key: 'takeovers',
    title: 'takeovers of one domain in a hundred',
    ...{ scenario: 'attack', mix: { ...OFF, expired: 0.01 } },
    of: ({ kind }) => kind === 'expired',
  },
  {
    key: 'aged',
    title: 'the same, nine of ten links to them no longer counted',
    ...{ scenario: 'attack', mix: { ...OFF, expired: 0.01 }, forgotten: 0.9 },
    of: ({ kind }) => kind === 'expired',
  },
  {
    key: 'all',
    title: 'all spam, all attacks (`attack`)',
    scenario: 'attack',
    of: ({ spam }) => spam,
  },
];

interface OfflineOptions {
  readonly domains: number;
  readonly seeds: readonly number[];
  readonly pages: number;
  /** Keys of attacks; all by default. */
  readonly attacks?: readonly string[] | undefined;
}

/** Share of all budgets that an attack gets, by each method, with the range over the seeds. */
export async function offlineTable(
  { domains, seeds, pages, attacks }: OfflineOptions,
  print: (line: string) => void,
): Promise<void> {
  print(`| share of all budgets | ${METHODS.map(([title]) => title).join(' | ')} |`);
  print(`|---|${METHODS.map(() => '---|').join('')}`);
  for (const { key, title, scenario, mix, clique = 0, forgotten = 0, of } of ATTACKS) {
    if (attacks && !attacks.includes(key)) continue;
    const shares: number[][] = METHODS.map(() => []);
    for (const seed of seeds) {
      const web = webOf({ scenario, domains, seed, ...(mix && { mix }) }, NO_PORTS);
      const without = (source: number, target: number) =>
        web.kindAt(target).name === 'expired' && unit(hash(seed, 0, source, target)) < forgotten;
      const attacked = attackedGraph(web, { pages, clique, without });
      for (const [i, [, parametersOf]] of METHODS.entries())
        shares[i].push(shareOf(await budgetsBy(attacked, parametersOf), attacked, of));
    }
    print(`| ${title} | ${shares.map(ranged).join(' | ')} |`);
  }
}

async function budgetsBy(attacked: AttackedGraph, parametersOf: Method[1]): Promise<Float64Array> {
  const request = parametersOf(attacked) as Parameters<typeof rank>[1];
  return budgetsOf((await rank(attacked.graph, request)).scores);
}

function shareOf(budgets: Float64Array, { domains }: AttackedGraph, of: Attack['of']): number {
  let all = 0;
  let theirs = 0;
  for (const [id, budget] of budgets.entries()) {
    all += budget;
    if (of(domains[id])) theirs += budget;
  }
  return theirs / all;
}

/** `3.1 % (2.4 to 4.0)`. */
export function ranged(shares: readonly number[]): string {
  const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
  const [least, most] = [Math.min(...shares), Math.max(...shares)];
  const text = (share: number) => (100 * share).toFixed(1);
  const range = shares.length > 1 ? ` (${text(least)} to ${text(most)})` : '';
  return `${text(mean)} %${range}`;
}

const KINDS = ['sparse-ring', 'bought', 'expired', 'exchange', 'farm', 'copy', 'wildcard'];
/** Honest domains with so many times fewer or more independent supporters are compared. */
const ALIKE = 1.25;

/**
 * The budget of attackers over that of honest domains with as many independent supporters: for each
 * kind the median, and the tenth from above.
 */
export async function fairnessTable(
  { domains, seeds, pages }: OfflineOptions,
  print: (line: string) => void,
): Promise<void> {
  print(`| budget over that of honest domains alike | ${METHODS.map(([t]) => t).join(' | ')} |`);
  print(`|---|${METHODS.map(() => '---|').join('')}`);
  const ratios = METHODS.map(() => new Map<string, number[]>(KINDS.map((kind) => [kind, []])));
  for (const seed of seeds) {
    const attacked = attackedGraph(webOf({ scenario: 'attack', domains, seed }, NO_PORTS), {
      pages,
    });
    const independent = independentSupporters(attacked, CAP);
    for (const [i, [, parametersOf]] of METHODS.entries()) {
      const budgets = await budgetsBy(attacked, parametersOf);
      const honestAt = honestBudgets(attacked, independent, budgets);
      for (const [id, { kind }] of attacked.domains.entries())
        ratios[i].get(kind)?.push(budgets[id] / honestAt(independent[id]));
    }
  }
  for (const kind of KINDS) {
    const cells = ratios.map((by) => {
      const sorted = (by.get(kind) ?? []).sort((a, b) => a - b);
      const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))].toFixed(1);
      return `${at(0.5)}, ${at(0.9)}`;
    });
    print(`| ${kind}: median, nine of ten below | ${cells.join(' | ')} |`);
  }
}

/** The mean budget of honest domains with about so many independent supporters; at least 1. */
function honestBudgets(
  { domains }: AttackedGraph,
  independent: Float64Array,
  budgets: Float64Array,
): (supporters: number) => number {
  const honest = [...domains.keys()]
    .filter((id) => HONEST.has(domains[id].kind))
    .sort((a, b) => independent[a] - independent[b]);
  const sums = new Float64Array(honest.length + 1);
  for (const [i, id] of honest.entries()) sums[i + 1] = sums[i] + budgets[id];
  const below = (limit: number) => {
    let [low, high] = [0, honest.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (independent[honest[middle]] < limit) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return (supporters) => {
    const [from, to] = [below(supporters / ALIKE), below(supporters * ALIKE + 1)];
    return to > from ? Math.max(1, (sums[to] - sums[from]) / (to - from)) : 1;
  };
}

const HONEST = new Set(['giant', 'ordinary', 'personal', 'academic', 'directory']);
