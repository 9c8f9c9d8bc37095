import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RecentLinks } from '../../src/reputation/recent-links.ts';
import { PackedUrls } from '../../src/url/packed-urls.ts';

const link = fc.nat({ max: 200 }).map((n) => `http://s${n}.test/`);
const page = fc.record({
  source: fc.constantFrom(0n, 1n, 1n << 32n, (1n << 64n) - 1n),
  links: fc.uniqueArray(link, { maxLength: 100 }),
});

test('lets every link of a domain pass the first time, and in their order', () => {
  fc.assert(
    fc.property(
      fc.array(page, { maxLength: 20 }),
      fc.constantFrom(64, 2 ** 14),
      (pages, memory) => {
        const recent = new RecentLinks(memory);
        const seen = new Set<string>();
        for (const { source, links } of pages) {
          const passed = recent.newOf(source, PackedUrls.of(links)).all();
          expect(links.filter((one) => passed.includes(one))).toEqual(passed);
          const dropped = links.filter((one) => !passed.includes(one));
          for (const one of dropped) expect(seen).toContain(`${source} ${one}`);
          for (const one of links) seen.add(`${source} ${one}`);
        }
      },
    ),
  );
});

test('drops what the same domain linked to a moment ago, until it forgets', () => {
  const recent = new RecentLinks(2 ** 14);
  const links = PackedUrls.of(['http://a.test/', 'http://b.test/']);
  expect(recent.newOf(1n, links).length).toBe(2);
  expect(recent.newOf(1n, links).length).toBe(0);
  expect(recent.newOf(1n, PackedUrls.of(['http://b.test/', 'http://c.test/'])).all()).toEqual([
    'http://c.test/',
  ]);
  expect(recent.newOf(2n, links).length).toBe(2);
  recent.forget();
  expect(recent.newOf(1n, links).length).toBe(2);
});
