import { describe, expect, test } from 'vitest';
import { judgementLines, queryLine, storyTruths } from '../../src/lab/judge/story-truth.ts';
import { webOf } from '../../src/lab/server/lab.ts';
import { hostOf, pathOf } from '../../src/url/parts.ts';

const PORTS = { http: 8080, https: 0, dns: 0, control: 0 };
const at = (step: number, seed = 3, domains = 500) =>
  webOf({ seed, domains, pages: 40, step }, PORTS);

describe('the stories of a web', () => {
  test.each([3, 4, 5])('of seed %i are at least 35 in two months, of 10 to 60 pages', (seed) => {
    const stories = storyTruths(at(2, seed));
    expect(stories.length).toBeGreaterThanOrEqual(35);
    for (const { pages, query, name, id, day } of stories) {
      expect(pages.length).toBeGreaterThanOrEqual(10);
      expect(pages.length).toBeLessThanOrEqual(60);
      expect(new Set(pages.map(({ url }) => new URL(url).hostname)).size).toBeGreaterThan(2);
      expect(new Set(pages.map(({ url }) => url)).size).toBe(pages.length);
      expect(query.split(' ')).not.toContain(name);
      expect(queryLine(stories[0])).toMatch(/^1-[a-z]+-1\t\S+ \S+\t2026-01-16$/);
      expect(day).toBe(id.startsWith('1-') ? '2026-01-16' : '2026-02-15');
    }
    const all = stories.flatMap(({ pages }) => pages);
    const share = all.filter(({ isNew }) => isNew).length / all.length;
    expect(share).toBeGreaterThan(0.1);
    expect(share).toBeLessThan(0.5);
    expect(stories.flatMap(judgementLines)).toHaveLength(all.length);
  });

  test('are told by their pages, which were new or otherwise before, and link to each other', () => {
    const [before, after] = [at(1), at(2)];
    const bodyOf = (web: typeof after, url: string) =>
      web.answer(hostOf(url), pathOf(url))?.body ?? '';
    const stories = storyTruths(after).filter(
      ({ step, language }) => step === 2 && language === 'en',
    );
    expect(stories.length).toBeGreaterThan(5);
    for (const { pages, name, query } of stories) {
      const urls = new Set(pages.map(({ url }) => url));
      let links = 0;
      for (const { url, isNew } of pages) {
        const [old, now] = [bodyOf(before, url), bodyOf(after, url)];
        expect(now.includes(`${name} ${query}: `)).toBe(true);
        expect(old.includes(`${name} ${query}: `)).toBe(false);
        expect(before.resourceAt(hostOf(url), pathOf(url))?.is === 'page').toBe(!isNew);
        const host = new URL(url).origin;
        for (const [, href] of now.matchAll(/<a href="([^"]*)"/g))
          if (urls.has(new URL(href.replaceAll('&amp;', '&'), host).href)) links++;
      }
      expect(links).toBeGreaterThan(2 * pages.length);
    }
  });

  test('are the same at every later step, and there are none on a small web', () => {
    const later = storyTruths(at(5)).filter(({ step }) => step <= 2);
    expect(later).toEqual(storyTruths(at(2)));
    expect(storyTruths(at(2, 3, 20))).toEqual([]);
    const site = webOf({ seed: 3, scenario: 'site', pages: 1000, step: 3 }, PORTS);
    expect(storyTruths(site)).toEqual([]);
  });
});
