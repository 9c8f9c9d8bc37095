import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RobotsMemory } from '../../../src/crawl/hosts/robots-memory.ts';
import { Domain, Host } from '../../../src/frontier/host.ts';
import { parseRobots } from '../../../src/robots/parse-robots.ts';

const entry = {
  rules: undefined,
  expiresAt: 0,
  crawlDelay: 0,
  inquiry: { url: '', hops: 0, failures: 0 },
};

test('rules never take more than the limit, unless one file does, and the oldest are dropped first', () => {
  const step = fc.record({
    origin: fc.nat(6),
    size: fc.integer({ min: 1, max: 40 }),
    use: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const memory = new RobotsMemory(100);
      const host = new Host('a.test', new Domain('a.test'));
      /** The naive model: a list in order of use, shortened at its beginning. */
      let model: { origin: string; size: number }[] = [];
      for (const { origin: number, size, use } of steps) {
        const origin = `http://a.test:${number}`;
        const known = model.find((kept) => kept.origin === origin);
        model = model.filter((kept) => kept.origin !== origin);
        if (use) {
          memory.used(origin);
          if (known) model.push(known);
        } else {
          host.robots.set(origin, entry);
          memory.added(host, origin, size);
          model.push({ origin, size });
          while (model.length > 1 && model.reduce((sum, kept) => sum + kept.size, 0) > 100)
            model.shift();
        }
        expect([...host.robots.keys()].sort()).toEqual(model.map((kept) => kept.origin).sort());
        expect(memory.size).toBe(model.reduce((sum, kept) => sum + kept.size, 0));
      }
    }),
  );
});

test('the size of rules grows with their number and their length', () => {
  const sizeOf = (lines: number) =>
    parseRobots(Buffer.from(`User-agent: *\n${'Disallow: /some/path\n'.repeat(lines)}`), 'drumlin')
      .size;
  expect(sizeOf(1000)).toBeGreaterThan(100 * sizeOf(5));
});
