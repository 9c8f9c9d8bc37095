import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { dueIn, makeSchedule } from '../../../src/refresh/schedule/schedule.ts';
import { witnessedDisk } from '../../disk/witness-file-system.ts';
import { Later } from '../lab-refresh.ts';

const { disk, witness } = witnessedDisk();
let later: Later;
afterEach(() => later.close());

test('a schedule comes from all looks, leaves dead pages out, and says what is due', async () => {
  later = new Later({ domains: 6, pages: 12 });
  await later.stepTo(0);
  await later.crawl();
  for (const step of [1, 2]) {
    await later.stepTo(step);
    const old = step === 1 ? later.old : join(later.folder, 'new1');
    await later.refresh(`new${step}`, { old, alpha: 1 });
  }
  const dir = join(later.folder, 'new2');
  const living = later.verdicts('new2').filter(({ verdict }) => !/gone|refused/.test(verdict));
  const options = { budget: 1e9, starve: 'some', weights: 'pagerank' } as const;
  const made = await makeSchedule(disk, [dir], options, Date.now());
  expect(witness.undurable(dir)).toEqual([]);
  expect(made.pages).toBe(living.length);
  expect(made.freshness).toBeGreaterThan(made.even);
  expect(await dueIn(disk, dir, 0)).toEqual([]);
  const due = await dueIn(disk, dir, Date.now() + 1e12);
  expect(due.length).toBe(made.visited);
  expect(living.map(({ url }) => url)).toEqual(expect.arrayContaining(due));
  await later.stepTo(3);
  const asked = { old: dir, due: new Date(Date.now() + 1e12).toISOString(), alpha: 1 };
  const summary = await later.refresh('new3', asked);
  expect(summary).toMatchObject({ pages: due.length, tested: due.length });
  expect(later.verdicts('new3').map(({ url }) => url)).toEqual(due);
  await expect(
    later.refresh('new4', { ...asked, due: new Date(0).toISOString() }),
  ).rejects.toMatchObject({
    code: 'NOTHING_DUE',
  });
  await expect(later.refresh('new5', { ...asked, old: later.old })).rejects.toMatchObject({
    code: 'NO_SCHEDULE',
  });
});
