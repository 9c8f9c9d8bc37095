/**
 * Sites: what features describe, and what is labelled. A site is a host or a pay-level domain.
 *
 * A host is named as in a canonical URL, without its port. The home page of a host is its page
 * `/`; that of a domain is the page `/` of the host with its name, or with `www.` before it.
 */
import { payLevelDomain } from '../../url/domain.ts';
import { hostOf, pathOf } from '../../url/parts.ts';

/** What a site is. */
export type SiteLevel = 'host' | 'domain';

export interface Site {
  readonly name: string;
  readonly domain: string;
  /** The addresses that its pages came from, in order; empty if the archive has none. */
  readonly addresses: readonly string[];
  /** Sites of one group belong together, by what somebody knows of them. */
  readonly group: string | undefined;
}

/** The name of the site of a canonical URL. */
export function siteOf(url: string, level: SiteLevel): string {
  const host = hostOf(url);
  return level === 'host' ? host : payLevelDomain(host);
}

/** Whether a canonical URL is the home page of its site. */
export function isHome(url: string, level: SiteLevel): boolean {
  if (pathOf(url) !== '/') return false;
  if (level === 'host') return true;
  const host = hostOf(url);
  const domain = payLevelDomain(host);
  return host === domain || host === `www.${domain}`;
}
