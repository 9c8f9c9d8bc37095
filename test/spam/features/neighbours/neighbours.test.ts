import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fingerprintOf } from '../../../../src/duplicates/fingerprint.ts';
import { NearPages } from '../../../../src/spam/features/neighbours/near-pages.ts';
import { neighbourSet } from '../../../../src/spam/features/neighbours/neighbour-set.ts';
import type { Site } from '../../../../src/spam/features/sites.ts';
import { temporaryFolder } from '../../../disk/temporary-folder.ts';
import { quickDisk } from '../../../graph/fixtures.ts';

/**
 * Pages of different texts have no three words in common; variants of a text differ in one word.
 */
function pageOf(text: number, variant: number): Uint8Array {
  const words = Array.from({ length: 200 }, (_, i) => `w${text}x${i}`);
  words[variant] = `v${variant}`;
  return Buffer.from(`<html><body><p>${words.join(' ')}</p></body></html>`);
}

const site: fc.Arbitrary<Site> = fc.record({
  name: fc.constant(''),
  domain: fc.constantFrom('a.com', 'b.com', 'c.com', 'd.com'),
  addresses: fc.subarray(['10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.4']),
  group: fc.constant(undefined),
});

test('sites and domains at an address are those that share one, whatever addresses a site has', () => {
  fc.assert(
    fc.property(fc.array(site, { minLength: 1, maxLength: 12 }), (sites) => {
      const none = sites.map(() => 0);
      const near = {
        pages: Float64Array.from(none),
        shared: Float64Array.from(none),
        sites: Float64Array.from(none),
      };
      const { values } = neighbourSet(sites, near);
      for (const [i, own] of sites.entries()) {
        const others = sites.filter(
          (other) => other !== own && other.addresses.some((a) => own.addresses.includes(a)),
        );
        const domains = new Set(others.map(({ domain }) => domain));
        domains.delete(own.domain);
        const unknown = own.addresses.length === 0;
        expect(values[0][i]).toBe(unknown ? Number.NaN : others.length);
        expect(values[1][i]).toBe(unknown ? Number.NaN : domains.size);
        expect(values[2][i]).toBeNaN();
        expect(values[3][i]).toBeNaN();
      }
    }),
  );
});

test('shared pages are those with a near-duplicate on another site', async () => {
  const page = fc.record({ site: fc.nat(4), text: fc.nat(6), variant: fc.nat(3) });
  await fc.assert(
    fc.asyncProperty(fc.array(page, { maxLength: 16 }), async (pages) => {
      const near = await NearPages.create(quickDisk(), temporaryFolder());
      for (const { site, text, variant } of pages)
        await near.add(site, fingerprintOf(pageOf(text, variant)));
      const found = await near.finish(6, 1e6);
      for (const own of [0, 1, 2, 3, 4, 5]) {
        const others = pages
          .filter(({ site }) => site === own)
          .map(
            ({ text }) =>
              new Set(pages.filter((p) => p.text === text && p.site !== own).map((p) => p.site))
                .size,
          );
        expect(found.pages[own]).toBe(others.length);
        expect(found.shared[own]).toBe(others.filter((count) => count > 0).length);
        expect(found.sites[own]).toBe(Math.max(0, ...others));
      }
    }),
    { numRuns: 15 },
  );
});

test('a page of few words is a page, and shared with none', async () => {
  const near = await NearPages.create(quickDisk(), temporaryFolder());
  for (const site of [0, 1]) await near.add(site, fingerprintOf(Buffer.from('<p>not found</p>')));
  const { pages, shared } = await near.finish(2, 1e6);
  expect([...pages, ...shared]).toEqual([1, 1, 0, 0]);
});
