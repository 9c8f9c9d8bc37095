/** How large the front of an agent may be: the settings in the terms of the frontier. */

import type { Millis } from '../base/units.ts';
import { addressDelay, type CrawlConfig } from '../config/settings.ts';
import type { FrontierLimits } from '../frontier/frontier.ts';

const LEAST_HOSTS_PER_ADDRESS = 16;
const MOST_HOSTS_PER_ADDRESS = 256;
/** The share of all hosts in memory that one domain may have. */
const MOST_OF_A_DOMAIN = 1 / 8;
/**
 * In the order of budgets, a front that no fetcher has waited for in this time is larger than
 * necessary, and shrinks. Hosts in the front are already chosen; with a small front the best queued
 * hosts are chosen later, by newer ranks. Breadth first has nothing to choose.
 */
const CALM: Millis = 5000;

export function limitsOf(config: CrawlConfig): FrontierLimits {
  return {
    hosts: config.frontHosts,
    urls: config.frontUrls,
    front: Math.min(2 * config.fetches, config.frontHosts),
    calm: config.order === 'budget' ? CALM : Infinity,
    hostsPerAddress: hostsPerAddress(config),
    hostsPerDomain: Math.max(config.fetches, config.frontHosts * MOST_OF_A_DOMAIN),
    pagesPerHost: config.maxPagesPerHost,
    pagesPerDomain: config.maxPagesPerDomain,
  };
}

/** Twice as many hosts as an address can serve before the first of them is ready again. */
function hostsPerAddress(config: CrawlConfig): number {
  const inTurn = config.delay / Math.max(addressDelay(config), 1);
  return Math.min(Math.max(LEAST_HOSTS_PER_ADDRESS, Math.ceil(2 * inTurn)), MOST_HOSTS_PER_ADDRESS);
}
