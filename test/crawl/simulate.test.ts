/**
 * The short form of `npm run soak -- simulate`: crawls in virtual time, with faults drawn from a
 * seed, judged by what servers and the disk have seen.
 */
import { describe, expect, test } from 'vitest';
import { simulate } from '../../soak/simulate/crawl.ts';
import { PLANTS } from '../../soak/simulate/plants.ts';

/** The faults that the judge names for the first of some seeds that has any. */
async function firstFaults(plant: string, seeds: number): Promise<readonly string[]> {
  for (let seed = 1; seed <= seeds; seed++) {
    const { faults } = await simulate(seed, { plant: PLANTS[plant] });
    if (faults.length > 0) return faults;
  }
  return [];
}

describe('a simulated crawl', () => {
  test.each([
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,
  ])('loses no page, violates no delay and ends, whatever fails (seed %i)', async (seed) => {
    expect((await simulate(seed)).faults).toEqual([]);
  });

  test('ends after a stop at any moment, with agents that share a thread', async () => {
    for (let seed = 1; seed <= 12; seed++) {
      expect((await simulate(seed, { ends: ['stop'] })).faults).toEqual([]);
    }
  });

  test('is the same in every run of its seed, and another for every seed', async () => {
    const digests = [];
    for (const seed of [20, 20, 21]) digests.push((await simulate(seed)).digest);
    expect(digests[1]).toBe(digests[0]);
    expect(digests[2]).not.toBe(digests[0]);
  });
});

describe('the simulation notices', () => {
  test('a checkpoint that counts pages which are not durable', async () => {
    const [fault] = await firstFaults('undurable-archive', 10);
    expect(fault).toMatch(/is shorter than|torn archive|lost:/);
  });

  test('hosts that are asked too early after a crash', async () => {
    const [fault] = await firstFaults('forgotten-run', 30);
    expect(fault).toMatch(/^early at /);
  });
});
