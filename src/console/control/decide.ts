/** Decides about one domain, as `drumlin domains set` does. */
import { askedOf } from '../../crawl/state/crawl-folder.ts';
import type { Disk } from '../../disk/disk.ts';
import type { Override } from '../../reputation/budget/domain-record.ts';
import { setOverride } from '../../reputation/budget/overrides.ts';
import { requestError } from '../fields/schema.ts';

/** What may hold for a domain. */
export const DECISIONS = ['block', 'trust', 'budget', 'clear'] as const;
type Decision = (typeof DECISIONS)[number];

export async function decideDomain(
  disk: Disk,
  dir: string,
  name: string,
  decision: Decision,
  budget: number | undefined,
  by: string,
): Promise<{ readonly domain: string; readonly decision: string }> {
  const { settings } = await askedOf(disk, dir);
  if (settings.order !== 'budget' && (decision === 'trust' || decision === 'budget'))
    throw requestError('This crawl has no budgets (--order bfs).', 'Use block or clear.');
  const override = overrideOf(decision, budget);
  const domain = await setOverride(disk, dir, name, override, by);
  return { domain, decision: wordsFor(override) };
}

export const wordsFor = (override: Override | undefined): string =>
  override === undefined ? 'the budget of its rank' : String(override);

export function overrideOf(decision: Decision, budget: number | undefined): Override | undefined {
  if (decision === 'block') return 'blocked';
  if (decision === 'trust') return 'trusted';
  if (decision === 'clear') return undefined;
  if (budget !== undefined) return budget;
  throw requestError('"budget" is missing.', 'Give the URLs that the domain may put into a round.');
}
