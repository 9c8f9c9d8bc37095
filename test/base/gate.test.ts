import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Gate } from '../../src/base/gate.ts';

test('a gate lets a few tasks run at once, all in the order of their calls', async () => {
  const gate = new Gate(3);
  const began: number[] = [];
  let running = 0;
  let most = 0;
  const tasks = Array.from({ length: 20 }, (_, i) =>
    gate.run(async () => {
      began.push(i);
      most = Math.max(most, ++running);
      for (let rounds = (i * 7) % 5; rounds >= 0; rounds--) await turn();
      running--;
      if (i % 4 === 1) throw new Error(`task ${i}`);
      return i;
    }),
  );
  const results = await Promise.allSettled(tasks);
  expect(most).toBe(3);
  expect(began).toEqual(Array.from({ length: 20 }, (_, i) => i));
  expect(results.map(({ status }) => status === 'fulfilled')).toEqual(
    Array.from({ length: 20 }, (_, i) => i % 4 !== 1),
  );
  expect(await gate.run(() => 'still open')).toBe('still open');
});
