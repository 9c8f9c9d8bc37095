/**
 * Expired domains that are taken over in the middle of a crawl, with links that age and without.
 */
import { expect, test } from 'vitest';
import { resolveConfig } from '../../src/config/settings.ts';
import { glimpseOf } from '../../src/lab/judge/glimpse.ts';
import { webOf } from '../../src/lab/server/lab.ts';
import { runLab } from '../../src/simulator/run.ts';
import { takeoverRows } from '../../src/simulator/summary.ts';
import { Takeover } from '../../src/simulator/takeover.ts';
import { temporaryFolder } from '../disk/temporary-folder.ts';
import { virtualClock } from '../fetch/virtual-clock.ts';

const PORTS = { http: 8080, https: 8443, dns: 0, control: 0 };
const web = () =>
  webOf({ scenario: 'spam', seed: 3, domains: 400, mix: { expired: 0.1, farm: 0.1 } }, PORTS);

test('after the takeover most domains no longer link to expired domains, on any of their pages', () => {
  const lab = web();
  const clock = virtualClock();
  const takeover = new Takeover(lab, clock, clock.now() + 1000);
  const isExpired = (url: string) =>
    lab.placeOf(new URL(url).hostname)?.domain.kind.name === 'expired';
  const pages = lab.seeds().flatMap((url) => glimpseOf(lab, url) ?? []);
  const linksNow = () => pages.flatMap(({ domain, links }) => takeover.linksOf(domain, links));
  const before = linksNow();
  expect(before).toEqual(pages.flatMap(({ links }) => links));
  clock.advance(1000);
  const after = linksNow();
  const others = (links: readonly string[]) => links.filter((url) => !isExpired(url)).length;
  expect(others(after)).toBe(others(before));
  expect(before.filter(isExpired).length).toBeGreaterThan(20);
  expect(after.filter(isExpired).length).toBeLessThan(0.6 * before.filter(isExpired).length);
});

test('an expired domain loses its budget when links age, and keeps it when they do not', async () => {
  const folder = temporaryFolder();
  const run = async (edgeLife: number) => {
    const config = resolveConfig({ delay: 2000, addressDelay: 250, fetches: 3, edgeLife });
    const options = { web: web(), policies: ['in'], pages: 1300, config, folder };
    const results = await runLab({ ...options, takeoverAt: 40_000 });
    expect(takeoverRows(results)).toHaveLength(2);
    const [{ takeover }] = results;
    return takeover ?? { pages: 0, expired: 0, budgets: 0 };
  };
  const forever = await run(Infinity);
  const aged = await run(6_000);
  expect(forever.pages).toBeGreaterThan(100);
  expect(aged.pages).toBeGreaterThan(100);
  expect(aged.budgets).toBeLessThan(forever.budgets / 3);
});
