import { expect, test } from 'vitest';
import { SupportersKernel } from '../../../src/rank/supporters/supporters-kernel.ts';

test('a thread that dies rejects its call and every later one', async () => {
  const kernel = new SupportersKernel(2);
  const beyond = 2 ** 31;
  const call = () => kernel.call(0, ['sumLists', beyond, beyond, 0, 1, beyond, beyond]);
  await expect(call()).rejects.toThrow();
  await expect(call()).rejects.toThrow();
  const address = kernel.allocate(64);
  await kernel.call(1, ['orLists', address, address, 0, 0, address, address]);
  await kernel.close();
  await expect(call()).rejects.toThrow();
});
