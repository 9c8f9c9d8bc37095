/** How large the front of an agent may be: the settings in the terms of the frontier. */

import { addressDelay, type CrawlConfig } from '../config/settings.ts';
import type { FrontierLimits } from '../frontier/frontier.ts';

const LEAST_HOSTS_PER_ADDRESS = 16;
const MOST_HOSTS_PER_ADDRESS = 256;
/** The share of all hosts in memory that one domain may have. */
const MOST_OF_A_DOMAIN = 1 / 8;
/**
 * In the order of budgets the best of the ready hosts gets the next turn, so the front has some to
 * choose from. Breadth first has nothing to choose.
 */
const CHOICE = 4;

export function limitsOf(config: CrawlConfig): FrontierLimits {
  return {
    hosts: config.frontHosts,
    urls: config.frontUrls,
    front: Math.min(2 * config.fetches, config.frontHosts),
    choice: config.order === 'budget' ? CHOICE : 1,
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
