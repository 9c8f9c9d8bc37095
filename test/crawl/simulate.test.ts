/**
 * The short form of `npm run soak -- simulate`: crawls in virtual time, with faults drawn from a
 * seed, judged by what servers and the disk have seen.
 */
import { describe, expect, test } from 'vitest';
import { simulate } from '../../soak/simulate/crawl.ts';
import { PLANTS } from '../../soak/simulate/plants.ts';

/** The faults that the judge names for the first of some seeds that has any. */
async function firstFaults(plant: string, from: number): Promise<readonly string[]> {
  for (let seed = from; seed < from + 10; seed++) {
    const { faults } = await simulate(seed, { plant: PLANTS[plant] });
    if (faults.length > 0) return faults;
  }
  return [];
}

describe('a simulated crawl', () => {
  // 124 never ended while the coordinator took an old answer of an agent for its last report.
  test.each([
    1, 2, 3, 5, 7, 8, 124,
  ])('loses no page, violates no delay and ends, whatever fails (seed %i)', async (seed) => {
    expect((await simulate(seed)).faults).toEqual([]);
  });

  test('is the same in every run of its seed, and another for every seed', async () => {
    const digests = [];
    for (const seed of [42, 42, 45]) digests.push((await simulate(seed)).digest);
    expect(digests[1]).toBe(digests[0]);
    expect(digests[2]).not.toBe(digests[0]);
  });
});

describe('the simulation notices', () => {
  test('a checkpoint that counts pages which are not durable', async () => {
    const [fault] = await firstFaults('undurable-archive', 3);
    expect(fault).toMatch(/is shorter than|torn archive|lost:/);
  });

  test('hosts that are asked too early after a crash', async () => {
    const [fault] = await firstFaults('forgotten-run', 27);
    expect(fault).toMatch(/^early at /);
  });

  test('parcels that are acknowledged before a checkpoint holds them', async () => {
    const [fault] = await firstFaults('early-acknowledgement', 232);
    expect(fault).toMatch(/those between were lost|^lost:/);
  });

  test('delays that go by a clock which can be set', async () => {
    const [fault] = await firstFaults('wall-clock-delays', 43);
    expect(fault).toMatch(/^early at /);
  });
});
