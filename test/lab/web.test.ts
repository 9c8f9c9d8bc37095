import { describe, expect, test } from 'vitest';
import { scenarioOf } from '../../src/lab/scenario.ts';
import { Web } from '../../src/lab/web.ts';
import type { WorldSettings } from '../../src/lab/world.ts';
import { linksOf } from './client.ts';

function makeWeb(settings: Partial<WorldSettings> = {}): Web {
  return new Web({
    seed: 1,
    scenario: scenarioOf('clean'),
    step: 0,
    domains: 90,
    pages: 12,
    httpPort: 8080,
    httpsPort: 8443,
    realSuffixes: false,
    ...settings,
  });
}

/** All pages with status 200 that a breadth-first walk from the first seed finds. */
function reach(web: Web): Set<string> {
  const seen = new Set([web.seeds(1)[0]]);
  const found = new Set<string>();
  for (const url of seen) {
    const { hostname, pathname, search } = new URL(url);
    const answer = web.answer(hostname, pathname + search);
    if (answer?.status !== 200 || answer.body.includes('Page Not Found')) continue;
    found.add(url);
    for (const link of linksOf(url, answer.body)) seen.add(link);
  }
  return found;
}

describe('a finite web', () => {
  test.each([0, 7, 40])('is reachable from its first seed to the last page at step %i', (step) => {
    const web = makeWeb({ step });
    const listed = [...web.allUrls()];
    expect(new Set(listed).size).toBe(listed.length);
    expect([...reach(web)].sort()).toEqual(listed.sort());
  });

  test('of the scenario site has exactly the requested number of pages, at any step', () => {
    for (const [pages, step] of [
      [1, 0],
      [2, 0],
      [100, 0],
      [100, 12],
    ]) {
      const web = makeWeb({ scenario: scenarioOf('site'), domains: 1, pages, step });
      expect([...web.allUrls()]).toHaveLength(pages);
      expect(reach(web).size).toBe(pages);
    }
  });
});
