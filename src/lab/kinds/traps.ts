/**
 * Sites without end: some by deceit (host names invented as one looks), most by carelessness (calendars, session ids, relative links
 * that pile up, one page under a thousand addresses).
 *
 * Every such address has its own honest answer, computed from the address alone, so that nothing grows on our side.
 */
import type { Domain } from '../domain.ts';
import { isHtmlPage, poolOf } from '../paths.ts';
import { hash, TAG, textHash } from '../random.ts';
import type { SmallResource } from '../resource.ts';
import type { Web } from '../web.ts';
import type { Kind } from './kind.ts';

const endless = {
  spam: false,
  linked: true,
  backbone: false,
  endless: true,
  pages: (_world: unknown, _index: number, byRank: number): number => byRank,
} as const;

const smallPage = (
  domain: Domain,
  key: number,
  addresses: readonly string[],
  heading?: string,
): SmallResource => ({
  is: 'small',
  domain,
  key,
  addresses,
  ...(heading !== undefined && { heading }),
});

const INVENTED_HOSTS = 40;

export const wildcard: Kind = {
  ...endless,
  name: 'wildcard',
  about: 'invents host names without end',
  spam: true,
  linked: false,
  pages: (_world, _index, byRank) => Math.min(byRank, 100),
  anyHost: true,
  furnish(web, domain, page, links) {
    for (const host of inventedHosts(web, domain, page)) links.addAddress(host);
  },
  resource(web, domain, label, target) {
    if (domain.hostNumber(label) !== -1 || target === '/robots.txt') return undefined;
    const key = textHash(`${label}/${target}`);
    return smallPage(domain, key, inventedHosts(web, domain, key));
  },
};

function inventedHosts(web: Web, domain: Domain, key: number): string[] {
  const { slugs } = poolOf(domain);
  const hosts: string[] = [];
  for (let i = 0; i < INVENTED_HOSTS; i++) {
    const h = hash(web.world.seed, TAG.wildcard, domain.index, key, i);
    const name = `${slugs[h % slugs.length]}-${(h >>> 4).toString(36)}.${domain.name}`;
    hosts.push(`${domain.originOf(name)}/`);
  }
  return hosts;
}

/** Text of the days and months on which there is nothing; as on most calendars, those are all but a few. */
const EMPTY_DAY = 3;
const EMPTY_MONTH = 4;
const FIRST_YEAR = 2025;
const LAST_YEAR = 2028;
/** One date in so many of these years has something of its own. */
const EVENTFUL = 6;

function dateKey(domain: Domain, target: string, year: number, empty: number): number {
  const h = hash(textHash(target), TAG.wildcard, domain.index);
  return year >= FIRST_YEAR && year <= LAST_YEAR && h % EVENTFUL === 0 ? h : empty;
}

export const calendar: Kind = {
  ...endless,
  name: 'calendar',
  about: 'a calendar with a next month, always, on which there is mostly nothing',
  furnish: (_web, _domain, page, links) =>
    links.addAddress(`/calendar/${2026 + (page % 3)}/${1 + (page % 12)}`),
  resource(_web, domain, _label, target) {
    const month = /^\/calendar\/(\d{1,6})\/([1-9]|1[0-2])$/.exec(target);
    const day = /^\/calendar\/(\d{1,6})\/([1-9]|1[0-2])\/([1-9]|[12]\d|3[01])$/.exec(target);
    if (!month && !day) return undefined;
    const year = Number((month ?? day)?.[1]);
    const at = year * 12 + Number((month ?? day)?.[2]) - 1;
    const heading = target.slice('/calendar/'.length).replaceAll('/', ' ');
    const pathOf = (m: number): string => `/calendar/${Math.floor(m / 12)}/${1 + (m % 12)}`;
    if (day) return smallPage(domain, dateKey(domain, target, year, EMPTY_DAY), ['/', pathOf(at)], heading);
    const days = Array.from({ length: 30 }, (_, i) => `${pathOf(at)}/${i + 1}`);
    const around = [pathOf(at + 1), pathOf(at + 12), ...(at >= 12 ? [pathOf(at - 1), pathOf(at - 12)] : [])];
    const key = dateKey(domain, target, year, EMPTY_MONTH);
    return smallPage(domain, key, ['/', ...around, ...days], heading);
  },
};

export const session: Kind = {
  ...endless,
  name: 'session',
  about: 'every page gives its links a new session id',
  /** Pages asked for with an id are those without, but for the ids in their links. */
  resource(web, domain, label, target) {
    const match = /^(.*?)([?&])sid=([0-9a-f]{8})$/.exec(target);
    const plain = web.plainResource(domain, label, match ? match[1] : target);
    if (plain.is === 'page' && isHtmlPage(domain, plain.page))
      return { ...plain, session: target, alias: match !== null };
    return match ? plain : undefined;
  },
};

export const repeat: Kind = {
  ...endless,
  name: 'repeat',
  about: 'relative links that pile up in the path',
  furnish: (_web, _domain, _page, links) => links.addAddress('/archive/'),
  resource(_web, domain, _label, target) {
    if (!/^\/archive\/(?:(?:more|old|page)\/){0,200}$/.test(target)) return undefined;
    return smallPage(domain, 1, ['/', 'more/', 'old/', 'page/', 'more/old/']);
  },
};

const ALIASES = 1000;

export const alias: Kind = {
  ...endless,
  name: 'alias',
  about: 'one page under a thousand addresses',
  furnish(_web, _domain, page, links) {
    for (let i = 0; i < 20; i++) links.addAddress(`/view?item=1&ref=${(page * 20 + i) % ALIASES}`);
  },
  resource(_web, domain, _label, target) {
    const ref = /^\/view\?item=1&ref=(\d{1,3})$/.exec(target);
    return ref ? smallPage(domain, 2, ['/', `/view?item=1&ref=7`]) : undefined;
  },
};
