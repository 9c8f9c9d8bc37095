/** Spammers who buy reputation: each attack has a strength, and without it the web is as it was. */
import { describe, expect, test } from 'vitest';
import type { Domain } from '../../src/lab/domain.ts';
import { glimpseOf } from '../../src/lab/judge/glimpse.ts';
import { truthAt } from '../../src/lab/judge/truth.ts';
import type { KindName } from '../../src/lab/kind.ts';
import { urlOf } from '../../src/lab/paths.ts';
import { NO_PORTS, webOf } from '../../src/lab/server/lab.ts';
import type { Web } from '../../src/lab/web.ts';
import { textHash } from '../../src/lab/words/random.ts';

const attacked = webOf({ scenario: 'attack', domains: 3000, seed: 3 }, NO_PORTS);
const first = (web: Web, kind: KindName, number = 0): Domain =>
  web.domains.at(web.world.layout.memberAt(kind, number));
const members = (web: Web, kind: KindName): number[] =>
  Array.from({ length: web.world.layout.countOf(kind, web.world.initialDomains) }, (_, j) =>
    web.world.layout.memberAt(kind, j),
  );
const targets = (web: Web, index: number): Set<number> => new Set(web.neighbours(index));

/** A number made of all links between domains and of those of some pages. */
function digest(web: Web): number {
  let all = 0;
  for (let index = 0; index < web.world.domains; index++) {
    const domain = web.domains.at(index);
    const links = glimpseOf(web, urlOf(domain, index % domain.pages))?.links ?? [];
    all = textHash(`${all} ${[...web.neighbours(index)].join()} ${links.join()}`);
  }
  return all >>> 0;
}

describe('attackers', () => {
  test('leave every other scenario as it is without them, link by link', () => {
    const ports = { ...NO_PORTS, http: 8080, https: 8443 };
    const digests = ['clean', 'mixed', 'spam'].map((scenario) =>
      digest(webOf({ scenario, domains: 200, seed: 9 }, ports)),
    );
    expect(digests).toEqual([1_568_033_512, 778_510_211, 1_698_699_399]);
  });

  test('form a ring in which every member has few links and nearly all members as supporters', () => {
    const ring = members(attacked, 'sparse-ring');
    const inside = new Set(ring);
    const links = ring.map((index) => [...targets(attacked, index)].filter((to) => inside.has(to)));
    const mean = links.flat().length / ring.length;
    expect(mean).toBeGreaterThan(1.8 * Math.sqrt(ring.length));
    expect(mean).toBeLessThanOrEqual(2 * Math.sqrt(ring.length) + 1);
    const numberOf = new Map(ring.map((index, i) => [index, i]));
    const reached = new Set(
      links[0].flatMap((to) => links[numberOf.get(to) ?? 0]).concat(links[0]),
    );
    expect(reached.size).toBeGreaterThan(0.95 * ring.length);
    expect(truthAt(attacked, ring[5])).toMatchObject({
      ...{ kind: 'sparse-ring', spam: true, group: 'sparse-ring-0' },
    });
  });

  test('buy a link on eight giants each, or on all if there are fewer', () => {
    const web = webOf({ scenario: 'attack', domains: 8000, seed: 3 }, NO_PORTS);
    const giants = members(web, 'giant');
    expect(giants.length).toBeGreaterThan(8);
    const links = giants.map((giant) => targets(web, giant));
    for (const index of members(web, 'bought').slice(0, 20)) {
      expect(links.filter((of) => of.has(index)).length).toBe(8);
      expect(truthAt(web, index)).toMatchObject({ kind: 'bought', spam: true });
    }
    const few = members(attacked, 'giant').map((giant) => targets(attacked, giant));
    for (const of of few) expect(of.has(members(attacked, 'bought')[0])).toBe(true);
  });

  test('write on as many pages of giants as the strength says', () => {
    const share = (strength: number) => {
      const web = webOf(
        { scenario: 'attack', domains: 3000, seed: 3, mix: { 'giant-comments': strength } },
        { ...NO_PORTS, http: 8080 },
      );
      const giant = first(web, 'giant');
      const pages = Array.from({ length: 60 }, (_, page) => 10 + page);
      const full = pages.filter((page) => {
        const links = glimpseOf(web, urlOf(giant, page))?.links ?? [];
        const spam = links.filter((link) => web.placeOf(new URL(link).hostname)?.domain.kind.spam);
        return spam.length >= 8;
      });
      return full.length / pages.length;
    };
    expect(share(0)).toBe(0);
    expect(share(0.5)).toBeGreaterThan(0.3);
    expect(share(0.5)).toBeLessThan(0.7);
    expect(share(1)).toBeGreaterThan(0.9);
  });

  test('may be one domain: a ring of its own without links', () => {
    const web = webOf(
      { scenario: 'clean', domains: 100, seed: 1, mix: { 'sparse-ring': 0.001, bought: 0.001 } },
      NO_PORTS,
    );
    for (let index = 0; index < 100; index++)
      for (const to of web.neighbours(index)) expect(to).not.toBe(index);
  });

  test('are refused with a strength that is no share', () => {
    expect(() => webOf({ scenario: 'attack', mix: { 'giant-comments': 2 } }, NO_PORTS)).toThrow(
      /share of "giant-comments" is 2/,
    );
  });
});
