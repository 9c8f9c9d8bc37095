/**
 * Sites without end: some by deceit (host names invented as one looks), most by carelessness (calendars, session ids, relative links
 * that pile up, one page under a thousand addresses).
 *
 * Every such address has its own honest answer, computed from the address alone, so that nothing grows on our side.
 */
import { type Answer, HTML_TYPE } from '../answer.ts';
import type { Domain } from '../domain.ts';
import { poolOf } from '../paths.ts';
import { hash, Random, TAG } from '../random.ts';
import { phraseOf, Reader } from '../text.ts';
import type { Web } from '../web.ts';
import type { Kind } from './kind.ts';

const endless = {
  spam: false,
  linked: true,
  backbone: false,
  endless: true,
  pages: (_world: unknown, _index: number, byRank: number): number => byRank,
} as const;

/** A number made of any text, as part of another hash. */
function textHash(text: string): number {
  let h = 0;
  for (let i = 0; i < text.length; i++) h = (Math.imul(h, 31) + text.charCodeAt(i)) | 0;
  return h;
}

/** A page of some text and some links, all decided by `key`. */
function smallPage(web: Web, domain: Domain, key: number, addresses: readonly string[]): Answer {
  const pool = poolOf(domain);
  const words = new Random(web.world.seed ^ TAG.wildcard, domain.index, key, 0);
  const title = phraseOf(pool, words);
  let html = `<!DOCTYPE html>\n<html><head><meta charset="utf-8"><title>${title}</title></head><body>\n<h1>${title}</h1>\n`;
  html += `<p>${new Reader(pool, words).read(1500 + words.below(6000))}</p>\n<ul>\n`;
  for (const address of addresses)
    html += `<li><a href="${address.replaceAll('&', '&amp;')}">${phraseOf(pool, words)}</a>\n`;
  return { status: 200, headers: HTML_TYPE, body: `${html}</ul>\n</body></html>\n` };
}

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
    for (let i = 0; i < INVENTED_HOSTS; i++) links.addAddress(inventedHost(web, domain, page, i));
  },
  answer(web, domain, label, target) {
    if (domain.hostNumber(label) !== -1 || target === '/robots.txt') return undefined;
    const key = textHash(`${label}/${target}`);
    return smallPage(
      web,
      domain,
      key,
      Array.from({ length: INVENTED_HOSTS }, (_, i) => inventedHost(web, domain, key, i)),
    );
  },
};

function inventedHost(web: Web, domain: Domain, key: number, i: number): string {
  const { slugs } = poolOf(domain);
  const h = hash(web.world.seed, TAG.wildcard, domain.index, key, i);
  return `${domain.originOf(`${slugs[h % slugs.length]}-${(h >>> 4).toString(36)}.${domain.name}`)}/`;
}

export const calendar: Kind = {
  ...endless,
  name: 'calendar',
  about: 'a calendar with a next month, always',
  furnish: (_web, _domain, page, links) =>
    links.addAddress(`/calendar/${2026 + (page % 3)}/${1 + (page % 12)}`),
  answer(web, domain, _label, target) {
    const month = /^\/calendar\/(\d{1,6})\/([1-9]|1[0-2])$/.exec(target);
    const day = /^\/calendar\/(\d{1,6})\/([1-9]|1[0-2])\/([1-9]|[12]\d|3[01])$/.exec(target);
    if (!month && !day) return undefined;
    const at = Number((month ?? day)?.[1]) * 12 + Number((month ?? day)?.[2]) - 1;
    const pathOf = (m: number): string => `/calendar/${Math.floor(m / 12)}/${1 + (m % 12)}`;
    if (day) return smallPage(web, domain, textHash(target), ['/', pathOf(at)]);
    const days = Array.from({ length: 30 }, (_, i) => `${pathOf(at)}/${i + 1}`);
    const around = [pathOf(at + 1), pathOf(at + 12), ...(at >= 12 ? [pathOf(at - 1), pathOf(at - 12)] : [])];
    return smallPage(web, domain, at, ['/', ...around, ...days]);
  },
};

export const session: Kind = {
  ...endless,
  name: 'session',
  about: 'every page gives its links a new session id',
  /** Pages asked for with an id are those without, but for the ids in their links. */
  answer(web, domain, label, target) {
    const match = /^(.*?)([?&])sid=([0-9a-f]{8})$/.exec(target);
    const plain = match ? match[1] : target;
    const answer = web.plainAnswer(domain, label, plain);
    if (answer?.status !== 200 || !answer.headers.startsWith('Content-Type: text/html'))
      return match ? answer : undefined;
    const { etag: _, ...rest } = answer;
    const body = answer.body.replace(/ href="(\/[^"]*)"/g, (_whole, path: string) => {
      const sid = hash(textHash(target), TAG.session, domain.index, textHash(path))
        .toString(16)
        .padStart(8, '0');
      return ` href="${path}${path.includes('?') ? '&amp;' : '?'}sid=${sid}"`;
    });
    return { ...rest, body };
  },
};

export const repeat: Kind = {
  ...endless,
  name: 'repeat',
  about: 'relative links that pile up in the path',
  furnish: (_web, _domain, _page, links) => links.addAddress('/archive/'),
  answer(web, domain, _label, target) {
    if (!/^\/archive\/(?:(?:more|old|page)\/){0,200}$/.test(target)) return undefined;
    return smallPage(web, domain, 1, ['/', 'more/', 'old/', 'page/', 'more/old/']);
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
  answer(web, domain, _label, target) {
    const ref = /^\/view\?item=1&ref=(\d{1,3})$/.exec(target);
    return ref ? smallPage(web, domain, 2, ['/', `/view?item=1&ref=7`]) : undefined;
  },
};
