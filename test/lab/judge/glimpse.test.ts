import { describe, expect, test } from 'vitest';
import type { Domain } from '../../../src/lab/domain.ts';
import { glimpseOf } from '../../../src/lab/judge/glimpse.ts';
import type { KindName } from '../../../src/lab/kind.ts';
import { KINDS } from '../../../src/lab/kinds.ts';
import { urlOf } from '../../../src/lab/paths.ts';
import { SCENARIO_NAMES } from '../../../src/lab/scenario.ts';
import { webOf } from '../../../src/lab/server/lab.ts';
import type { Web } from '../../../src/lab/web.ts';
import { isHtml } from '../../../src/parse/is-html.ts';
import { parsePage } from '../../../src/parse/page.ts';
import { canonicalise } from '../../../src/url/canonical.ts';
import { hostOf, pathOf } from '../../../src/url/parts.ts';

const PORTS = { http: 8080, https: 8443, dns: 0, control: 0 };
const KIND_NAMES = Object.keys(KINDS) as KindName[];

/** What a crawler gets by fetching the bytes and parsing them. */
function parsed(web: Web, url: string) {
  const answer = web.answer(hostOf(url), pathOf(url), url.startsWith('https:'));
  if (!answer) return undefined;
  const headers = new Map(
    answer.headers
      .split('\r\n')
      .filter(Boolean)
      .map((line) => [
        line.slice(0, line.indexOf(':')).toLowerCase(),
        line.slice(line.indexOf(':') + 2),
      ]),
  );
  const body = Buffer.from(answer.body, 'latin1');
  const location = headers.get('location');
  const redirect = location === undefined ? undefined : canonicalise(location, { base: url });
  const contentType = headers.get('content-type');
  const page =
    redirect === undefined && isHtml(contentType, body)
      ? parsePage(body, { url, contentType })
      : undefined;
  expect(page?.robots.nofollow ?? false).toBe(false);
  const links = (page?.links ?? []).filter(({ nofollow }) => !nofollow).map((link) => link.url);
  return { status: answer.status, redirect, links, behaviour: answer.behaviour };
}

/** Equal texts are equal; only those that differ need the comparison that shows where. */
function same(
  url: string,
  glimpse: ReturnType<typeof seen>,
  page: ReturnType<typeof parsed>,
): void {
  if (JSON.stringify(glimpse) !== JSON.stringify(page)) expect(glimpse, url).toEqual(page);
}

function seen(web: Web, url: string) {
  const glimpse = glimpseOf(web, url);
  if (!glimpse) return undefined;
  const { status, redirect, links, behaviour } = glimpse;
  return { status, redirect, links: [...links], behaviour };
}

/** Pages of a domain, and every address that leads into a trap from there. */
function addressesOf(web: Web, domain: Domain): string[] {
  const pages = [0, 1, 2, 3, 4, domain.pages >> 1, domain.pages - 1].filter(
    (page) => page < domain.pages,
  );
  const urls = pages.map((page) => urlOf(domain, page));
  const found = urls.flatMap((url) => glimpseOf(web, url)?.links ?? []);
  const odd = found
    .filter((url) => /sid=|calendar|archive|offers|\/view\?|from=|private/.test(url))
    .slice(0, 20);
  const files = [
    '/robots.txt',
    '/rules.txt',
    '/sitemap.xml',
    '/style.css',
    '/nowhere',
    '/hop/3/1',
    '/loop/1/1',
  ];
  return [
    ...urls,
    ...odd,
    ...odd.slice(0, 5).flatMap((url) => glimpseOf(web, url)?.links.slice(0, 5) ?? []),
  ]
    .concat(files.map((file) => domain.origin(0) + file))
    .concat([
      domain.originOf(domain.www ? domain.name : `www.${domain.name}`) + pathOf(urls[0]),
      urls[0].replace(/^http(s?):/, (_, s) => (s ? 'http:' : 'https:')),
      `${domain.originOf(`thing-1.${domain.name}`)}/`,
    ]);
}

const mix = {
  calendar: 0.02,
  session: 0.02,
  repeat: 0.02,
  alias: 0.02,
  wildcard: 0.02,
  honeypot: 0.02,
  'sparse-ring': 0.03,
  bought: 0.02,
};
const web = webOf({ scenario: 'spam', seed: 7, domains: 3000, pages: 60, mix }, PORTS);

describe('a glimpse equals what parsing the page gives', () => {
  test.each(KIND_NAMES)('for the kind %s', (kind) => {
    const count = web.world.layout.countOf(kind, web.world.domains);
    let compared = 0;
    for (let number = 0; number < count && compared < 200; number += Math.max(1, count >> 4)) {
      const domain = web.domains.at(web.world.layout.memberAt(kind, number));
      for (const url of addressesOf(web, domain)) {
        same(url, seen(web, url), parsed(web, url));
        compared++;
      }
    }
    expect(compared).toBeGreaterThan(100);
  });

  test.each(SCENARIO_NAMES)('in the scenario %s, today and two years later', (scenario) => {
    for (const step of [0, 24]) {
      const web = webOf({ scenario, seed: 11, step, domains: 200, pages: 40 }, PORTS);
      let links = 0;
      for (let index = 0; index < web.world.domains; index += 12) {
        const domain = web.domains.at(index);
        // A glimpse shows what a page becomes; parsing does not run its scripts.
        if (domain.behaviour('script') !== undefined) continue;
        for (const url of addressesOf(web, domain).slice(0, 8)) {
          const glimpse = seen(web, url);
          same(url, glimpse, parsed(web, url));
          links += glimpse?.links.length ?? 0;
        }
      }
      expect(links).toBeGreaterThan(500);
    }
  });
});

test('a glimpse distinguishes the pages of a site from faults in their place', () => {
  const isPage = (url: string) => glimpseOf(web, url)?.isPage;
  const first = (kind: KindName): Domain => web.domains.at(web.world.layout.memberAt(kind, 0));
  const giant = first('giant');
  expect(isPage(urlOf(giant, 3))).toBe(true);
  expect(isPage(`${giant.origin(0)}/nowhere`)).toBe(false);
  expect(isPage(`${giant.origin(0)}/robots.txt`)).toBe(false);
  const hub = first('parked');
  expect(isPage(`${hub.origin(0)}/?from=a.test&ad=1`)).toBe(false);
  const session = first('session');
  const link = glimpseOf(web, urlOf(session, 0))?.links.find((url) => url.includes('sid=')) ?? '';
  expect(glimpseOf(web, link)?.links.length).toBeGreaterThan(0);
  expect(isPage(link)).toBe(false);
  expect(isPage(`${first('wildcard').originOf(`any-1.${first('wildcard').name}`)}/`)).toBe(false);
});

test('names that do not exist have no answer', () => {
  expect(glimpseOf(web, 'http://nobody.test:8080/')).toBeUndefined();
});
