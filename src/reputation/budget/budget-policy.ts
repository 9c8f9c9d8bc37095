/**
 * How many URLs a domain may put into a round: named policies with parameters, which combine like
 * numbers.
 *
 *   proportional(power=2)          the default: by the square of the score, 10 for the mean score
 *   irlbot                         linear in the rank for the best 10,000, the same for the rest
 *   irlbot(top=1%, least=10, most=10000)          the best hundredth of the domains
 *   max(irlbot, equal(50)) * boost(.edu=4, .gov=4)
 *   rank <= 1000 ? 5000 : 10       or any expression (budget-expression.ts)
 *
 * Ensures   `parseBudget(String(policy))` is the policy again. A budget is a whole number from 0 to
 *           a billion, whatever the arithmetic gives: it is rounded, and NaN counts as 0. A domain
 *           with budget 0 has its URLs put off until its budget changes.
 */
import { xxh64 } from '../../base/xxh64.ts';
import {
  type DomainView,
  type Option,
  parseExpression,
  type Refuse,
  type Term,
} from './budget-expression.ts';
import type { BudgetOf } from './domain-delta.ts';
import type { DomainRecord } from './domain-record.ts';
import { type Ranking, type Standing, scoreBy } from './standing.ts';

export interface BudgetPolicy {
  budget(domain: DomainView): number;
  toString(): string;
}

const MOST_BUDGET = 1e9;

export function parseBudget(text: string): BudgetPolicy {
  const expression = parseExpression(text, TERMS);
  return {
    budget: (domain) => whole(expression.value(domain)),
    toString: () => String(expression),
  };
}

/**
 * The policy while no link between domains is known, and so no domain is ranked. A domain that
 * could get a budget has at least 1; otherwise a crawl by ranks alone would never begin.
 */
export function atFirst(policy: BudgetPolicy): BudgetPolicy {
  return {
    budget: (domain) =>
      Math.max(policy.budget(domain), Math.min(1, policy.budget({ ...domain, ...BEST }))),
    toString: () => String(policy),
  };
}

/** A score with which any domain is among the best. */
const MUCH = 1e6;

/** What a domain among the best has. */
const BEST = {
  rank: 1,
  score: MUCH,
  inDegree: MUCH,
  supporters: MUCH,
  cash: MUCH,
  domains: MUCH,
  mean: 1,
};

/** The probability that a domain is spam: by its pages, or 1 if it exchanges links. */
export const verdictOn = ({ exchangesLinks, spam = 0 }: Partial<DomainRecord>): number =>
  exchangesLinks ? 1 : spam;

/** Whether a verdict on spam leaves a domain nothing, however good its rank. */
export function shutsOut(policy: BudgetPolicy, name: string, spam: number): boolean {
  const best = { ...BEST, name };
  return policy.budget({ ...best, spam }) === 0 && policy.budget({ ...best, spam: 0 }) > 0;
}

/**
 * The budget function for the book: the policy at this standing, unless the operator has decided.
 *
 * A verdict by name alone leaves a domain a budget of 1, if the domain has one without the verdict:
 * only pages can correct it.
 */
export function budgets(policy: BudgetPolicy, standing: Standing, rank: Ranking): BudgetOf {
  return (record) => {
    const { override } = record;
    if (typeof override === 'number') return override;
    if (override === 'blocked') return 0;
    const domain = viewOf(record, standing, rank);
    const own = policy.budget(domain);
    if (override === undefined) {
      if (record.pages === 0)
        return Math.max(own, Math.min(1, policy.budget({ ...domain, spam: 0 })));
      // Whatever the policy does with a lower rank: URLs of such a domain are put off.
      return domain.spam > 0 && shutsOut(policy, domain.name, domain.spam) ? 0 : own;
    }
    const best = Math.max(domain.score, standing.scores[0] ?? 0);
    return Math.max(own, policy.budget({ ...domain, rank: 1, score: best, spam: 0 }));
  };
}

function viewOf(record: DomainRecord, standing: Standing, rank: Ranking): DomainView {
  const { name, inDegree, supporters = 0, cash } = record;
  // Other ranks look for no exchanges: what an earlier part of the crawl found is out of date.
  const spam = rank === 'trusted' ? verdictOn(record) : (record.spam ?? 0);
  const score = scoreBy(rank)(record);
  const { domains, mean } = standing;
  const found = score > 0 ? standing.rankOf(score, xxh64(name)) : undefined;
  const rankOrNone = found ?? Infinity;
  return { name, rank: rankOrNone, score, inDegree, supporters, cash, spam, domains, mean };
}

function whole(value: number): number {
  return Number.isNaN(value) ? 0 : Math.round(Math.min(MOST_BUDGET, Math.max(0, value)));
}

/** A number, or a percentage of all domains. */
interface Amount {
  readonly value: number;
  readonly isShare: boolean;
}

/**
 * The parameters of a policy with their defaults, in the order in which they may be given without
 * names.
 */
type Presets = Readonly<Record<string, Amount>>;
type Amounts<P extends Presets> = { readonly [name in keyof P]: Amount };

const amount = (value: number): Amount => ({ value, isShare: false });

function term<P extends Presets>(
  name: string,
  presets: P,
  compile: (amounts: Amounts<P>) => (domain: DomainView) => number,
): Term {
  return (options, refuse) => {
    const text = options.length === 0 ? name : `${name}(${options.map(printed).join(', ')})`;
    return { value: compile(read(name, presets, options, refuse)), toString: () => text };
  };
}

const TERMS: Readonly<Record<string, Term>> = {
  irlbot: term(
    'irlbot',
    { top: amount(10_000), least: amount(10), most: amount(10_000) },
    ({ top, least, most }) =>
      (domain) => {
        const end = places(top, domain);
        if (domain.rank > end) return least.value;
        const fallen = end === 1 ? 0 : (domain.rank - 1) / (end - 1);
        return most.value - (most.value - least.value) * fallen;
      },
  ),
  /**
   * A domain with the mean score gets `mean`. A higher power gives more to the best domains and
   * less to those below.
   */
  proportional: term(
    'proportional',
    { mean: amount(10), least: amount(1), most: amount(10_000), power: amount(1) },
    ({ mean, least, most, power }) =>
      (domain) =>
        between(
          least.value,
          domain.mean > 0 ? mean.value * (domain.score / domain.mean) ** power.value : 0,
          most.value,
        ),
  ),
  inverse: term(
    'inverse',
    { mean: amount(10), least: amount(1), most: amount(1000) },
    ({ mean, least, most }) =>
      (domain) =>
        between(
          least.value,
          domain.score > 0 ? (mean.value * domain.mean) / domain.score : Infinity,
          most.value,
        ),
  ),
  equal: term(
    'equal',
    { each: amount(10) },
    ({ each }) =>
      () =>
        each.value,
  ),
  /** A fixed budget for the best domains, 0 for all others. */
  top: term(
    'top',
    { top: amount(1000), each: amount(1000) },
    ({ top, each }) =>
      (domain) =>
        domain.rank <= places(top, domain) ? each.value : 0,
  ),
  boost,
};

/**
 * A factor for domains under the given suffixes. The longest suffix that fits counts; without one
 * it is 1.
 */
function boost(options: readonly Option[], refuse: Refuse): ReturnType<Term> {
  const factors = new Map<string, number>();
  for (const { name, value, column, isShare } of options) {
    if (!name?.startsWith('.') || isShare)
      refuse(column, 'this is not a suffix with a factor.', 'Write boost(.edu=4, .ac.uk=2).');
    if (factors.has(name)) refuse(column, `${name} has a factor already.`, 'Remove one of them.');
    factors.set(name, value);
  }
  const longestFirst = [...factors].sort(([a], [b]) => b.length - a.length);
  return {
    value: ({ name }) => longestFirst.find(([suffix]) => name.endsWith(suffix))?.[1] ?? 1,
    toString: () => `boost(${options.map(printed).join(', ')})`,
  };
}

function read<P extends Presets>(
  policy: string,
  presets: P,
  options: readonly Option[],
  refuse: Refuse,
): Amounts<P> {
  const names = Object.keys(presets);
  const given = new Map<string, Amount>();
  for (const [i, { name = names[i], value, isShare, column }] of options.entries()) {
    if (!names.includes(name)) {
      refuse(column, `${policy} does not take this.`, `It takes ${names.join(', ')}.`);
    }
    if (given.has(name)) refuse(column, `${name} was given already.`, 'Remove one of them.');
    if (isShare && name !== 'top')
      refuse(column, `${name} cannot be a share.`, 'Write it without "%".');
    if (name === 'top' && !isShare && value < 1)
      refuse(column, 'the top must have a place.', 'Write 1 or more.');
    given.set(name, { value, isShare });
  }
  const amounts: Amounts<P> = { ...presets, ...Object.fromEntries(given) };
  const { least, most } = amounts;
  if (least && most && least.value > most.value) {
    const { column } = options[options.length - 1];
    refuse(
      column,
      `the least (${least.value}) is more than the most (${most.value}).`,
      'Exchange them.',
    );
  }
  return amounts;
}

const printed = ({ name, value, isShare }: Option): string =>
  `${name === undefined ? '' : `${name}=`}${value}${isShare ? '%' : ''}`;

/** How many domains are the top. */
function places({ value, isShare }: Amount, { domains }: DomainView): number {
  return isShare ? Math.max(1, Math.round((value / 100) * domains)) : value;
}

const between = (least: number, value: number, most: number): number =>
  Math.min(most, Math.max(least, value));
