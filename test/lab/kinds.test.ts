import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Domain } from '../../src/lab/domain.ts';
import { textAt } from '../../src/lab/judge/truth.ts';
import type { KindName } from '../../src/lab/kind.ts';
import { KINDS } from '../../src/lab/kinds.ts';
import { Layout } from '../../src/lab/layout.ts';
import { pageOf, pathOf, urlOf } from '../../src/lab/paths.ts';
import { scenarioOf } from '../../src/lab/scenario.ts';
import { webOf } from '../../src/lab/server/lab.ts';
import { Web } from '../../src/lab/web.ts';
import { MAX_DOMAINS, Names } from '../../src/lab/words/names.ts';
import { linksOf } from './client.ts';

const web = new Web({
  seed: 5,
  scenario: scenarioOf('spam', {
    'tls-expired': 0,
    tls: 0,
    'tls-self-signed': 0,
    'tls-wrong-name': 0,
    calendar: 0.02,
    session: 0.02,
  }),
  step: 0,
  domains: 5000,
  pages: 40,
  httpPort: 8080,
  httpsPort: 0,
  realSuffixes: false,
});
const first = (kind: KindName, number = 0): Domain =>
  web.domains.at(web.world.layout.memberAt(kind, number));

function bodyOf(url: string): string {
  const { hostname, pathname, search } = new URL(url);
  const answer = web.answer(hostname, pathname + search);
  if (answer?.status !== 200) throw new Error(`${url}: ${answer?.status}`);
  return answer.body;
}

test('every index has a name, every name its index, and other names have none', () => {
  const index = fc.integer({ min: 0, max: MAX_DOMAINS - 1 });
  fc.assert(
    fc.property(
      index,
      fc.integer({ min: 0, max: 99 }),
      fc.boolean(),
      fc.boolean(),
      (i, seed, real, academic) => {
        const names = new Names(seed, real);
        const name = names.nameOf(i, academic);
        expect(names.parse(`www.${name}`)).toEqual({ label: 'www', name, index: i });
        expect(names.parse(name)?.label).toBe('');
        for (const other of [`x${name}`, name.slice(1), `${name}x`, '', 'test', '.test'])
          expect(names.parse(other)?.name).not.toBe(name);
      },
    ),
  );
});

test('the layout finds the j-th domain of a kind, and counts them', () => {
  const shares = new Map<KindName, number>([
    ['giant', 0.01],
    ['farm', 0.2],
    ['exchange', 0.03],
  ]);
  const layout = new Layout(1, 3456, shares, 'ordinary');
  const counted = new Map<KindName, number>();
  for (let index = 0; index < 3456; index++) {
    const kind = layout.kindAt(index);
    const number = counted.get(kind) ?? 0;
    expect(layout.numberOf(index)).toBe(number);
    expect(layout.memberAt(kind, number)).toBe(index);
    counted.set(kind, number + 1);
  }
  for (const [kind, count] of counted) expect(layout.countOf(kind, 3456)).toBe(count);
  expect(layout.countOf('parked', 3456)).toBe(0);
  expect(layout.memberAt('parked', 0)).toBe(-1);
});

test('a path leads back to its page, and an invented path to none', () => {
  for (let index = 0; index < 200; index++) {
    const domain = web.domains.at(index);
    for (const page of [0, 1, 5, domain.pages - 1].filter((p) => p < domain.pages)) {
      const path = pathOf(domain, page);
      expect(pageOf(domain, domain.hostOf(page), path)).toBe(page);
      if (path === '/') continue;
      expect(pageOf(domain, domain.hostOf(page), `/x${path.slice(1)}`)).toBe(-1);
      // Another number with the same words is another page's path, or none.
      const other = path.replace(String(page), String(page + domain.hosts));
      const found = pageOf(domain, domain.hostOf(page), other);
      expect(found === -1 || pathOf(domain, found) === other).toBe(true);
    }
  }
});

describe('kinds of domain', () => {
  test('members of an exchange nearly all link to each other', () => {
    const group = Array.from({ length: 200 }, (_, j) => first('exchange', j).index);
    let edges = 0;
    for (const member of group)
      for (const other of web.neighbours(member)) edges += group.includes(other) ? 1 : 0;
    expect(edges / (200 * 199)).toBeGreaterThan(0.85);
    expect(edges / (200 * 199)).toBeLessThan(0.95);
  });

  test("a farm's leaves reach its target in two hops, and not in one", () => {
    const target = first('farm', 0).index;
    const leaf = first('farm', 50).index;
    const above = [...web.neighbours(leaf)];
    expect(above).not.toContain(target);
    const boosters = above.slice(0, 3);
    for (const booster of boosters) expect([...web.neighbours(booster)]).toContain(target);
    expect([0, 3, 50].map((j) => KINDS.farm.role?.(web.world, first('farm', j)))).toEqual([
      'target',
      'booster',
      'leaf',
    ]);
  });

  test('parked pages are full of addresses of one hub, and all of them exist', () => {
    const pages = Array.from({ length: 20 }, (_, number) => urlOf(first('parked', number + 1), 0));
    const shown = pages.find((url) => web.answer(new URL(url).hostname, '/')?.status === 200) ?? '';
    const links = linksOf('http://x.test/', bodyOf(shown));
    const toHub = links.filter((link) => new URL(link).hostname.endsWith(first('parked', 0).name));
    expect(toHub.length).toBeGreaterThan(30);
    expect(bodyOf(toHub[5])).toBe(bodyOf(toHub[6]));
  });

  test("a copy has another site's text, whole or nearly", () => {
    const textOf = (html: string): string[] =>
      html
        .split('<p>')
        .slice(1)
        .map((p) => p.split('<')[0]);
    const shares = Array.from({ length: 12 }, (_, page) => {
      const copied = first('copy', 1);
      if (page >= copied.pages) return [];
      const original = copied.kind.textOf?.(web, copied, page);
      if (!original) return [];
      const mine = textOf(web.pageAnswer(copied, page).body);
      const theirs = new Set(textOf(web.pageAnswer(original.domain, original.page).body));
      return [mine.filter((p) => theirs.has(p)).length / mine.length];
    }).flat();
    expect(Math.max(...shares)).toBeGreaterThan(0.5);
  });

  test('honeypots get links from honest domains and pass them to spam', () => {
    const kinds = [...web.neighbours(first('honeypot').index)].map((index) => web.kindAt(index));
    expect(kinds.filter((kind) => kind.spam).length).toBeGreaterThan(kinds.length / 3);
    expect(KINDS.honeypot.linked).toBe(true);
  });

  test('a wildcard domain has any host that is asked for, and each names new ones', () => {
    const { name } = first('wildcard');
    const links = linksOf('http://x.test/', bodyOf(`http://anything-at-all.${name}:8080/`));
    expect(new Set(links.map((link) => new URL(link).hostname)).size).toBe(40);
    const further = linksOf('http://x.test/', bodyOf(links[3]));
    expect(further.filter((link) => links.includes(link))).toEqual([]);
    expect(web.placeOf(`anything.${first('ordinary').name}`)).toBeUndefined();
  });

  test('a calendar always has a next month', () => {
    const origin = first('calendar').origin(0);
    let url = `${origin}/calendar/2026/1`;
    for (let month = 0; month < 30; month++) {
      const links = linksOf(url, bodyOf(url));
      expect(links[1]).not.toBe(url);
      url = links[1];
    }
    expect(url).toBe(`${origin}/calendar/2028/7`);
  });

  test('a calendar has events for six months to two years; before and after, all days and months are the same', () => {
    const host = new URL(first('calendar').origin(0)).hostname;
    const textOf = (path: string) => textAt(web, host, path) ?? '';
    const months = Array.from(
      { length: 12 * 12 },
      (_, i) => `/calendar/${2020 + Math.floor(i / 12)}/${1 + (i % 12)}`,
    );
    const nothing = textOf('/calendar/1999/1');
    const kept = months.filter((path) => textOf(path) !== nothing);
    expect(kept.length).toBeGreaterThanOrEqual(6);
    expect(kept.length).toBeLessThanOrEqual(24);
    expect(new Set(kept.map(textOf)).size).toBe(kept.length);
    expect(months.indexOf(kept[kept.length - 1]) - months.indexOf(kept[0])).toBe(kept.length - 1);
    const days = (list: string[]) =>
      list.flatMap((path) => Array.from({ length: 30 }, (_, i) => textOf(`${path}/${i + 1}`)));
    const nothingOnDays = textOf('/calendar/1999/1/1');
    const eventful = days(kept).filter((text) => text !== nothingOnDays);
    expect(eventful.length / days(kept).length).toBeGreaterThan(1 / 12);
    expect(eventful.length / days(kept).length).toBeLessThan(1 / 3);
    expect(new Set(days(months.filter((path) => !kept.includes(path))))).toEqual(
      new Set([nothingOnDays]),
    );
  });

  test('session ids are new on every page, but the pages are the same', () => {
    const url = `${first('session').origin(0)}/`;
    const once = linksOf(url, bodyOf(`${url}?sid=00000001`));
    const again = linksOf(url, bodyOf(`${url}?sid=00000002`));
    expect(once.filter((link) => link.includes('sid=')).length).toBeGreaterThan(3);
    expect(once).not.toEqual(again);
    const bare = (link: string): string => link.replace(/[?&]sid=.*/, '');
    expect(once.map(bare)).toEqual(again.map(bare));
    expect(
      bodyOf(once.find((link) => link.includes('sid=') && !link.includes(`${url}?`)) as string)
        .length,
    ).toBeGreaterThan(500);
  });

  test('relative links pile up without end', () => {
    let url = `${first('repeat').origin(0)}/archive/`;
    for (let depth = 0; depth < 20; depth++) url = linksOf(url, bodyOf(url))[1];
    expect(new URL(url).pathname).toBe(`/archive/${'more/'.repeat(20)}`);
  });

  test('one page answers under a thousand addresses', () => {
    const origin = first('alias').origin(0);
    const bodies = new Set(
      Array.from({ length: 1000 }, (_, i) => bodyOf(`${origin}/view?item=1&ref=${i}`)),
    );
    expect(bodies.size).toBe(1);
  });

  test('academic domains have papers, directories link to them', () => {
    const domain = first('academic');
    const pages = Array.from({ length: domain.pages }, (_, page) => pathOf(domain, page));
    const papers = pages.filter((path) => path.endsWith('.pdf'));
    expect(papers.length / pages.length).toBeGreaterThan(0.1);
    const pdf = web.pageAnswer(domain, pages.indexOf(papers[0]));
    expect(pdf.headers).toContain('application/pdf');
    expect(pdf.body).toMatch(/^%PDF-1\.4\n[\s\S]*startxref\n\d+\n%%EOF\n$/);
    const listed = [...web.neighbours(first('directory').index)].map(
      (index) => web.kindAt(index).name,
    );
    expect(listed.filter((kind) => kind === 'academic').length).toBeGreaterThan(
      listed.length * 0.4,
    );
  });
});

describe('the kinds of domain', () => {
  const webWith = (seed: number) =>
    webOf({ seed, scenario: 'mixed', domains: 20_000 }, { http: 1, https: 2, dns: 0, control: 0 });

  test('are spread over all topics, so that no topic predicts a kind', () => {
    const web = webWith(1);
    const topics = new Map<string, Set<number>>();
    const counts = new Map<string, number>();
    for (let i = 0; i < 20_000; i++) {
      const { kind, topic } = web.domains.at(i);
      const seen = topics.get(kind.name) ?? new Set();
      topics.set(kind.name, seen.add(topic));
      counts.set(kind.name, (counts.get(kind.name) ?? 0) + 1);
    }
    for (const [kind, count] of counts) {
      if (count >= 300) expect(topics.get(kind)?.size, kind).toBeGreaterThanOrEqual(22);
    }
  });

  test('are other domains with another seed', () => {
    const kinds = (seed: number) =>
      Array.from({ length: 2000 }, (_, i) => webWith(seed).domains.at(i).kind.name).join();
    expect(kinds(1)).not.toBe(kinds(2));
  });
});
