import { describe, expect, test } from 'vitest';
import type { Domain } from '../../src/lab/domain.ts';
import { truthAt } from '../../src/lab/judge/truth.ts';
import type { KindName } from '../../src/lab/kind.ts';
import { urlOf } from '../../src/lab/paths.ts';
import { webOf } from '../../src/lab/server/lab.ts';
import { visitorOf } from '../../src/lab/server/request.ts';
import { isObscure } from '../../src/lab/tricks/company.ts';
import type { Web } from '../../src/lab/web.ts';
import { searchedWords } from '../../src/lab/words/queries.ts';
import { TOPICS } from '../../src/lab/words/vocabulary.ts';

const PORTS = { http: 8080, https: 8443, dns: 0, control: 0 };
const webAt = (step: number, scenario = 'mixed', domains = 12_000): Web =>
  webOf({ seed: 3, scenario, domains, pages: 60, step }, PORTS);
const web = webAt(0);
const all = Array.from({ length: web.world.domains }, (_, index) => index);

function members(kind: KindName, most = 1000): Domain[] {
  const count = Math.min(most, web.world.layout.countOf(kind, web.world.domains));
  return Array.from({ length: count }, (_, j) =>
    web.domains.at(web.world.layout.memberAt(kind, j)),
  );
}

/** Four topics of 24, which people search for in nearly every second query. */
const SEARCHED = new Set(['gambling', 'finance', 'medicine', 'travel']);

/** The strongest English domain with a trick. */
function strongest(trick: string): Domain {
  const found = members('farm').filter((d) => d.manner?.trick === trick && d.language === 0);
  return found.reduce((a, b) => ((a.manner?.strength ?? 0) > (b.manner?.strength ?? 0) ? a : b));
}

const textOf = (domain: Domain): string =>
  [0, 2, 3].map((page) => web.pageAnswer(domain, page).body.replace(/<[^>]*>/g, ' ')).join(' ');

/** Distinct word triples, of all. */
function variety(text: string): number {
  const words = text.toLowerCase().match(/[a-z]+/g) ?? [];
  const triples = words.slice(2).map((word, i) => `${words[i]} ${words[i + 1]} ${word}`);
  return new Set(triples).size / triples.length;
}

describe('a web with spam', () => {
  test('has domains of every trick, and only where there is spam', () => {
    const tricks = new Set(members('farm').map(({ manner }) => manner?.trick));
    expect(tricks.size).toBe(7);
    expect(members('honeypot').every(({ manner }) => manner?.trick === 'none')).toBe(true);
    expect(members('ordinary', 200).every(({ manner }) => manner?.trick === undefined)).toBe(true);
    expect(webAt(0, 'clean', 100).domains.at(50).manner).toBeUndefined();
  });

  test('has weak tricks and strong ones', () => {
    const strengths = members('farm').map(({ manner }) => manner?.strength ?? 0);
    expect(Math.min(...strengths)).toBeLessThan(0.05);
    expect(Math.max(...strengths)).toBeGreaterThan(0.9);
  });

  test('is about what people search for where a trick is used, and about anything elsewhere', () => {
    const share = (domains: readonly Domain[]): number =>
      domains.filter(({ manner }) => SEARCHED.has(TOPICS[manner?.topic ?? 0].name)).length /
      domains.length;
    expect(share(members('farm'))).toBeGreaterThan(0.4);
    for (const kind of ['ordinary', 'copy', 'honeypot'] as const)
      expect(share(members(kind))).toBeLessThan(0.3);
    for (const { pool, manner, language, legacy } of members('farm', 50))
      expect(pool).toBe(web.world.texts.pool(language, manner?.topic ?? -1, 0, legacy));
  });

  test('stuffs searched words, repeats templates, and shuffles words apart', () => {
    const searched = new Set(
      searchedWords()
        .map(({ word }) => word)
        .slice(0, 300),
    );
    const share = (text: string): number => {
      const words = text.toLowerCase().match(/[a-z]+/g) ?? [];
      return words.filter((word) => searched.has(word)).length / words.length;
    };
    const english = members('ordinary', 400).filter((d) => d.language === 0 && d.pages > 4);
    const honest = english.slice(0, 20).map(textOf);
    const mean = (of: (text: string) => number): number =>
      honest.reduce((sum, text) => sum + of(text), 0) / honest.length;
    expect(share(textOf(strongest('stuffed')))).toBeGreaterThan(2 * mean(share));
    expect(variety(textOf(strongest('template')))).toBeLessThan(mean(variety) - 0.1);
    expect(variety(textOf(strongest('shuffled')))).toBeGreaterThan(mean(variety));
  });

  test('shows browsers another page where it is cloaked, and only there', () => {
    const seen = (domain: Domain, by: 'crawler' | 'browser') => {
      const { hostname } = new URL(urlOf(domain, 0));
      return web.answer(hostname, '/', domain.secure, by)?.body;
    };
    const cloaked = strongest('cloaked');
    expect(seen(cloaked, 'browser')).not.toBe(seen(cloaked, 'crawler'));
    const stuffed = strongest('stuffed');
    expect(seen(stuffed, 'browser')).toBe(seen(stuffed, 'crawler'));
  });

  test.each([
    ['Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/140.0', 'browser'],
    ['Mozilla/5.0 (compatible; Examplebot/1.0; +https://example.org/)', 'crawler'],
    ['drumlin/0.2', 'crawler'],
    ['', 'crawler'],
  ])('takes "%s" for a %s', (agent, visitor) => {
    const head = `GET / HTTP/1.1\r\nHost: a.test\r\nUser-Agent: ${agent}`;
    expect(visitorOf({ head, lower: head.toLowerCase() })).toBe(visitor);
  });

  test('has compromised sites: honest, with hidden words and links to spam on some pages', () => {
    const site = members('ordinary').find(({ manner, pages }) => manner?.compromised && pages > 20);
    expect(site).toBeDefined();
    if (!site) return;
    expect(truthAt(web, site.index)).toMatchObject({ spam: false, trick: 'compromised' });
    const bodies = Array.from({ length: 20 }, (_, page) => web.pageAnswer(site, page).body);
    const hidden = bodies.filter((body) => body.includes('<div style="'));
    expect(hidden.length).toBeGreaterThan(0);
    expect(hidden.length).toBeLessThan(15);
    expect(bodies[0]).not.toContain('<div style="');
  });
});

describe('names', () => {
  test('with words and digits around them lead back to their domain', () => {
    let decorated = 0;
    for (const index of all.slice(0, 4000)) {
      const { name } = web.domains.at(index);
      if (/[-\d]/.test(name)) decorated++;
      expect(web.placeOf(`www.${name}`)?.domain.index).toBe(index);
    }
    expect(decorated).toBeGreaterThan(200);
    expect(web.placeOf('no-such.test')).toBeUndefined();
    expect(web.placeOf(`x-${web.domains.at(5).name}`)).toBeUndefined();
  });
});

describe('farms', () => {
  const isLeaf = (domain: Domain) => domain.kind.role?.(web.world, domain) === 'leaf';
  const targetsOf = (at: Web, { index }: Domain) => [...at.neighbours(index)].join();

  test('link otherwise at every step; honest domains seldom do', () => {
    const later = webAt(1);
    const share = (domains: Domain[]): number =>
      domains.filter((d) => targetsOf(web, d) !== targetsOf(later, d)).length / domains.length;
    expect(share(members('farm', 300).filter(isLeaf))).toBeGreaterThan(0.9);
    const one = (domains: Domain[]) => domains.filter(({ degree }) => degree <= 3);
    expect(share(one(members('personal')))).toBeLessThan(0.3);
  });

  test('of a ring support five targets and have addresses like anybody; others have four', () => {
    const rings = new Map<string, Set<string>>();
    for (const domain of members('farm')) {
      const { group, address } = truthAt(web, domain.index);
      rings.set(group, (rings.get(group) ?? new Set()).add(address));
    }
    const addresses = [...rings.values()].map(({ size }) => size);
    expect(addresses).toContain(4);
    expect(Math.max(...addresses)).toBeGreaterThan(50);
    const boosters = members('farm').filter((d) => d.kind.role?.(web.world, d) === 'booster');
    const targets = boosters.map(
      ({ index }) =>
        [...web.neighbours(index)].filter((i) => truthAt(web, i).role === 'target').length,
    );
    expect(new Set(targets)).toEqual(new Set([1, 5]));
  });

  test('stand behind expired domains, which honest domains still link to', () => {
    const domain = members('expired')[0];
    expect(domain.kind).toMatchObject({ spam: true, linked: true });
    const { group } = truthAt(web, domain.index);
    const groups = [...web.neighbours(domain.index)].map((i) => truthAt(web, i).group);
    expect(group).toMatch(/^farm-\d+$/);
    expect(groups.some((name) => name.startsWith('farm-'))).toBe(true);
  });
});

describe('links', () => {
  const web = webAt(0, 'mixed', 4000);
  const all = Array.from({ length: web.world.domains }, (_, index) => index);
  const members = (kind: KindName): Domain[] =>
    all.filter((index) => web.kindAt(index).name === kind).map((index) => web.domains.at(index));
  const honest = all.filter((index) => !web.kindAt(index).spam);
  const share = (of: readonly number[], wanted: (index: number) => boolean): number =>
    of.filter(wanted).length / of.length;
  const isSpam = (index: number): boolean => web.kindAt(index).spam;

  test('of honest domains lead to spam now and then, of spam domains to honest ones often', () => {
    const targets = (of: number[]) => of.flatMap((index) => [...web.neighbours(index)]);
    const strays = share(targets(honest.slice(0, 2000)), isSpam);
    expect(strays).toBeGreaterThan(0.01);
    expect(strays).toBeLessThan(0.1);
    const leaves = members('farm').filter((d) => d.kind.role?.(web.world, d) === 'leaf');
    const parked = members('parked');
    for (const kind of [leaves, parked]) {
      const honestShare = 1 - share(targets(kind.map(({ index }) => index)), isSpam);
      expect(honestShare).toBeGreaterThan(0.4);
    }
  });

  test('reach obscure honest domains as seldom as spam', () => {
    const inDegrees = new Uint32Array(all.length);
    for (const index of honest) for (const to of web.neighbours(index)) inDegrees[to]++;
    const median = (of: number[]): number =>
      of.map((index) => inDegrees[index]).sort((a, b) => a - b)[of.length >> 1];
    const obscure = all.filter((index) => isObscure(web.world, index));
    const parked = members('parked').map(({ index }) => index);
    const ordinary = members('ordinary').map(({ index }) => index);
    expect(obscure.length).toBeGreaterThan(ordinary.length / 5);
    expect(median(obscure)).toBeLessThan(median(ordinary) / 2);
    expect(Math.abs(median(obscure) - median(parked))).toBeLessThanOrEqual(2);
  });

  test('join honest chains and rings, which are groups of their own', () => {
    const groups = new Map<string, Domain[]>();
    for (const domain of members('ordinary')) {
      const { group } = truthAt(web, domain.index);
      if (group !== '') groups.set(group, [...(groups.get(group) ?? []), domain]);
    }
    const chains = [...groups].filter(([name]) => name.startsWith('chain-'));
    const rings = [...groups].filter(([name]) => name.startsWith('ring-'));
    expect(chains.length).toBeGreaterThan(2);
    expect(rings.length).toBeGreaterThan(10);
    for (const [name, chain] of chains)
      expect(new Set(chain.map(({ index }) => truthAt(web, index).address)).size, name).toBe(1);
    for (const [name, ring] of [...chains, ...rings]) {
      if (ring.length < 2) continue;
      const own = new Set(ring.map(({ index }) => index));
      const within = ring.map(({ index }) => [...web.neighbours(index)].filter((i) => own.has(i)));
      expect(
        share(
          within.map(({ length }) => length),
          (count) => count > 0,
        ),
        name,
      ).toBeGreaterThan(0.4);
    }
    expect(truthAt(webAt(0, 'clean', 3000), 900).group).toBe('');
  });
});

test('searched words come with falling weights, each once', () => {
  const list = searchedWords();
  expect(new Set(list.map(({ word }) => word)).size).toBe(list.length);
  expect(list.length).toBeGreaterThan(1000);
  for (let i = 1; i < list.length; i++) expect(list[i].weight <= list[i - 1].weight).toBe(true);
});
