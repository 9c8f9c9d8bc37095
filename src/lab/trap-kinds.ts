/**
 * Sites without end: some by deceit (host names invented on request), most by carelessness
 * (calendars, session ids, relative links that pile up, one page under a thousand addresses).
 *
 * Every such address has its own answer, computed from the address alone, so the lab stores
 * nothing.
 */
import type { Domain } from './domain.ts';
import type { Kind } from './kind.ts';
import { isHtmlPage, poolOf } from './paths.ts';
import type { SmallResource } from './resource.ts';
import type { Web } from './web.ts';
import { hash, TAG, textHash } from './words/random.ts';

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
  tricks: ['stuffed', 'shuffled', 'template', 'fluent', 'hidden'],
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

/**
 * Number of the text for days and months without events; as on most calendars, most days have none.
 */
const EMPTY_DAY = 3;
const EMPTY_MONTH = 4;
/** Every calendar begins within these two years, and is kept for six months to two years. */
const FIRST_MONTH = 2025 * 12;
const BEGINS_WITHIN = 24;
const LEAST_MONTHS = 6;
const MOST_MONTHS = 24;
/** One day in this many of that time has an event. */
const EVENTFUL = 6;
const DAYS = 30;

const monthPath = (month: number): string =>
  `/calendar/${Math.floor(month / 12)}/${1 + (month % 12)}`;

/** The key of an address's text: a day has its event, and a month the events of its days. */
function monthKey({ world, index }: Domain, month: number): number {
  const draw = hash(world.seed, TAG.wildcard, index);
  const first = FIRST_MONTH + (draw % BEGINS_WITHIN);
  const months = LEAST_MONTHS + ((draw >>> 8) % (MOST_MONTHS - LEAST_MONTHS + 1));
  return month >= first && month < first + months
    ? hash(textHash(monthPath(month)), TAG.wildcard, index)
    : EMPTY_MONTH;
}

function dayKey(domain: Domain, month: number, target: string): number {
  const h = hash(textHash(target), TAG.wildcard, domain.index);
  return h % EVENTFUL === 0 && monthKey(domain, month) !== EMPTY_MONTH ? h : EMPTY_DAY;
}

export const calendar: Kind = {
  ...endless,
  name: 'calendar',
  about: 'a calendar that always has a next month, mostly without events',
  furnish: (_web, _domain, page, links) =>
    links.addAddress(`/calendar/${2026 + (page % 3)}/${1 + (page % 12)}`),
  resource(_web, domain, _label, target) {
    const month = /^\/calendar\/(\d{1,6})\/([1-9]|1[0-2])$/.exec(target);
    const day = /^\/calendar\/(\d{1,6})\/([1-9]|1[0-2])\/([1-9]|[12]\d|3[01])$/.exec(target);
    if (!month && !day) return undefined;
    const at = Number((month ?? day)?.[1]) * 12 + Number((month ?? day)?.[2]) - 1;
    const heading = target.slice('/calendar/'.length).replaceAll('/', ' ');
    if (day) return smallPage(domain, dayKey(domain, at, target), ['/', monthPath(at)], heading);
    const days = Array.from({ length: DAYS }, (_, i) => `${monthPath(at)}/${i + 1}`);
    const around = [at + 1, at + 12, ...(at >= 12 ? [at - 1, at - 12] : [])].map(monthPath);
    return smallPage(domain, monthKey(domain, at), ['/', ...around, ...days], heading);
  },
};

export const session: Kind = {
  ...endless,
  name: 'session',
  about: 'every page gives its links a new session id',
  /** A page requested with an id is the page without it, except for the ids in its links. */
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
