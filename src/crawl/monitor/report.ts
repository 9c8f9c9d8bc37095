/** All that the report of a crawl is made of, from its folder: of a crawl that runs too, as of its last checkpoint. */

import { DrumlinError, EXIT } from '../../base/errors.ts';
import type { Millis } from '../../base/units.ts';
import { type CrawlConfig, resolveConfig } from '../../config/settings.ts';
import type { Disk } from '../../disk/disk.ts';
import { type Stretch, stretches } from '../record/series.ts';
import type { DomainTold } from '../record/top-domains.ts';
import { lastCheckpoint } from '../state/agent-folder.ts';
import { askedOf } from '../state/crawl-folder.ts';
import { type DomainRow, listDomains } from '../state/domain-list.ts';
import { type CrawlStatus, statusOf } from './status.ts';

export interface CrawlReport {
  readonly madeAt: Millis;
  readonly status: CrawlStatus;
  readonly config: CrawlConfig;
  readonly series: readonly Stretch[];
  readonly top: readonly DomainTold[];
  /** With what they have earned, in the order of budgets. */
  readonly domains: readonly DomainRow[] | undefined;
}

const DOMAINS = 25;

export async function crawlReport(disk: Disk, dir: string, now: Millis): Promise<CrawlReport> {
  const { agents, settings } = await askedOf(disk, dir);
  const config = resolveConfig({ ...settings, dir });
  const saved = await lastCheckpoint(disk, dir, agents);
  if (!saved) throw nothingYet(dir);
  const domains =
    config.order === 'budget' ? await listDomains(disk, dir, 'fetched', DOMAINS) : undefined;
  return {
    madeAt: now,
    status: await statusOf(disk, dir, now),
    config,
    series: stretches(saved.series),
    top: saved.top.slice(0, DOMAINS),
    domains: domains?.rows,
  };
}

function nothingYet(dir: string): DrumlinError {
  return new DrumlinError(
    'NO_CHECKPOINT',
    `The crawl in ${dir} has not come to its first checkpoint: there is nothing to report.`,
    'Wait some seconds if it runs (drumlin status tells), or begin it: drumlin crawl.',
    { exitCode: EXIT.folder },
  );
}
