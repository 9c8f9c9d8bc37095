/**
 * The cost of enforcing budgets: the models of section 6.2 of the IRLbot paper (Lee, Leonard, Wang,
 * Loguinov: "IRLbot: scaling to 6 billion pages and beyond", WWW 2008), as functions. The letters
 * are the paper's.
 *
 * Both figures are for the end of a crawl, where the cost is highest: the last pass over the URLs
 * beyond their budgets, divided by the pages that the pass lets through. A pass of two queues lets
 * one round through; the last pass of BEAST, half of the crawl.
 */
export interface BudgetParameters {
  /** N: pages to be downloaded. */
  readonly pages: number;
  /** S: pages a second. */
  readonly pagesPerSecond: number;
  /** b: bytes of a URL. */
  readonly urlBytes: number;
  /** L: links on a page that are new. */
  readonly uniqueLinks: number;
  /** V: domains in a pass over the URLs beyond their budgets. */
  readonly domains: number;
  /** E[B]: the mean budget of those domains. */
  readonly budget: number;
}

/** The paper's example; only the pages vary. */
export const PAPER_BUDGETS: BudgetParameters = {
  pages: 8e9,
  pagesPerSecond: 3100,
  urlBytes: 110,
  uniqueLinks: 6.5,
  domains: 33e6,
  budget: 11,
};

/** α, equation (9): how many rounds of budgets the crawl lasts. */
export function budgetRounds({ pages, budget, domains }: BudgetParameters): number {
  return Math.max(1, pages / (budget * domains));
}

/** Theorem 4, equation (8): bytes a second that the disk must move for two queues. */
export function twoQueuesTraffic(c: BudgetParameters): number {
  return 2 * c.pagesPerSecond * c.urlBytes * (c.uniqueLinks - 1) * budgetRounds(c);
}

/** Theorem 5, equation (10): bytes a second that the disk must move for BEAST. */
export function beastTraffic(c: BudgetParameters): number {
  const rounds = budgetRounds(c);
  const copies = ((2 * rounds) / (1 + rounds)) * (c.uniqueLinks - 1) + 1;
  return 2 * c.pagesPerSecond * c.urlBytes * copies;
}

/** The right side of (10): the most that BEAST needs, however large the crawl. */
export function mostBeastTraffic(c: BudgetParameters): number {
  return 2 * c.pagesPerSecond * c.urlBytes * (2 * c.uniqueLinks - 1);
}

/** j, equation (11): the queues of the last stage. */
export function queuesAtEnd(c: BudgetParameters): number {
  return 2 ** (Math.ceil(Math.log2(budgetRounds(c) + 1)) - 1);
}
