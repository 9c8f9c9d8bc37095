/**
 * The key of a URL in the book: its pay-level domain, a space, the URL.
 *
 * Ensures   Keys in bytewise order are grouped by domain: a space comes before every character of
 *           a host name. All files of the book that are keyed by URL have one order.
 */
import { payLevelDomain } from '../../url/domain.ts';
import { hostOf } from '../../url/parts.ts';

/** Longer URLs are not recorded. */
export const LONGEST_URL = 2048;
/** Hosts whose domain is cached; the cache is emptied when it is full. */
const MOST_REMEMBERED = 16_384;

const remembered = new Map<string, string>();

/** The pay-level domain of a canonical URL. */
export function domainOf(url: string): string {
  const host = hostOf(url);
  const known = remembered.get(host);
  if (known !== undefined) return known;
  if (remembered.size >= MOST_REMEMBERED) remembered.clear();
  const domain = payLevelDomain(host);
  remembered.set(host, domain);
  return domain;
}

export const keyOf = (url: string): string => `${domainOf(url)} ${url}`;

export const domainIn = (key: string): string => key.slice(0, key.indexOf(' '));

export const urlIn = (key: string): string => key.slice(key.indexOf(' ') + 1);
