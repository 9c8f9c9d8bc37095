/**
 * The settings of a crawl: their table, how options become a configuration, and values that follow
 * from one.
 */
import { availableParallelism } from 'node:os';
import type { Millis } from '../base/units.ts';
import type { FilterTexts } from '../filter/filter-set.ts';
import type { CrawlConfig } from './schema.ts';
import { AUTO_BUDGET } from './value-types.ts';

export type { CrawlOptions } from './crawl-options.ts';
export { readSetting, resolveConfig, withPrivateDelay } from './resolve-config.ts';
export { type CrawlConfig, SETTING_ROWS, SETTINGS } from './schema.ts';
export { environmentName, type Setting } from './setting.ts';

/** The delay of an address: never longer than that of a host, so that delay 0 means no delay. */
export const addressDelay = ({
  addressDelay,
  delay,
}: Pick<CrawlConfig, 'addressDelay' | 'delay'>): Millis => Math.min(addressDelay, delay);

/** The number of agents on this machine. */
export const agentCount = ({ agents }: Pick<CrawlConfig, 'agents'>): number =>
  agents === 'cores' ? availableParallelism() : agents;

/** Pages rendered at once on this machine: one for two agents, unless the user says otherwise. */
export const browserCount = (
  { browsers }: Pick<CrawlConfig, 'browsers'>,
  agents: number,
): number => (browsers > 0 ? browsers : Math.ceil(agents / 2));

/** The filters of a configuration, by stage. */
export const filtersOf = (config: CrawlConfig): FilterTexts => ({
  schedule: config.scheduleFilter,
  fetch: config.fetchFilter,
  parse: config.parseFilter,
  render: config.renderFilter,
  follow: config.followFilter,
  store: config.storeFilter,
});

/** The settings for filters given by stage. */
export const filterSettings = ({
  schedule = '',
  fetch = '',
  parse = '',
  render = '',
  follow = '',
  store = '',
}: FilterTexts) => ({
  scheduleFilter: schedule,
  fetchFilter: fetch,
  parseFilter: parse,
  renderFilter: render,
  followFilter: follow,
  storeFilter: store,
});

/** Whether pages of earlier crawls are requested with conditions. */
export const asksWithConditions = ({
  conditional,
  dedupAgainst,
  dir,
}: Pick<CrawlConfig, 'conditional' | 'dedupAgainst' | 'dir'>): boolean =>
  conditional && dir !== '' && dedupAgainst.some((source) => !source.endsWith('.cdxj'));

/** Whether any setting needs pages compared with earlier ones. */
export function wantsLikeness({
  nearDuplicates,
  learnTraps,
  softErrors,
}: Pick<CrawlConfig, 'nearDuplicates' | 'learnTraps' | 'softErrors'>): boolean {
  return nearDuplicates !== 'off' || learnTraps || softErrors !== 'off';
}

/** What `auto` stands for, without and with a spam model. */
const PLAIN_BUDGET = 'proportional(power=2)';
const BUDGET_WITH_SPAM = 'spam < 0.9 ? proportional(power=2) : 0';

/** The budget policy of a crawl. */
export const budgetIn = ({ budget, spam }: Pick<CrawlConfig, 'budget' | 'spam'>): string =>
  budget !== AUTO_BUDGET ? budget : spam === '' ? PLAIN_BUDGET : BUDGET_WITH_SPAM;
