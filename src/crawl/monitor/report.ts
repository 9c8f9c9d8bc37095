/** The data of a crawl's report, read from its folder; for a running crawl, at its checkpoint. */

import { join } from 'node:path';
import { DrumlinError, EXIT } from '../../base/errors.ts';
import type { Millis } from '../../base/units.ts';
import { type CrawlConfig, resolveConfig } from '../../config/settings.ts';
import type { Disk } from '../../disk/disk.ts';
import { REFRESH_SUMMARY, type RefreshSummary } from '../planned/refresh-summary.ts';
import { type Stretch, stretches } from '../record/series.ts';
import type { TopDomain } from '../record/top-domains.ts';
import { lastCheckpoint } from '../state/agent-folder.ts';
import { askedOf } from '../state/crawl-folder.ts';
import { type DomainRow, listDomains } from '../state/domain-list.ts';
import { type CrawlStatus, statusOf } from './status.ts';

export interface CrawlReport {
  readonly madeAt: Millis;
  readonly status: CrawlStatus;
  readonly config: CrawlConfig;
  readonly series: readonly Stretch[];
  readonly top: readonly TopDomain[];
  /** The top domains with ranks and budgets; undefined for a crawl without budgets. */
  readonly domains: readonly DomainRow[] | undefined;
  /** What a refresh has found; undefined for other crawls. */
  readonly refresh: RefreshSummary | undefined;
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
    refresh: await refreshIn(disk, dir),
  };
}

async function refreshIn(disk: Disk, dir: string): Promise<RefreshSummary | undefined> {
  try {
    return JSON.parse(await disk.readText(join(dir, 'refresh', REFRESH_SUMMARY)));
  } catch (error) {
    if (error instanceof DrumlinError && error.code === 'FILE_MISSING') return undefined;
    throw error;
  }
}

function nothingYet(dir: string): DrumlinError {
  return new DrumlinError(
    'NO_CHECKPOINT',
    `The crawl in ${dir} has no checkpoint yet: there is nothing to report.`,
    'Wait a few seconds if it is running (see drumlin status), or start it with drumlin crawl.',
    { exitCode: EXIT.folder },
  );
}
