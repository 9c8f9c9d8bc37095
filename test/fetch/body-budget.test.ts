import { setImmediate as turn } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BodyBudget, type BodyHold } from '../../src/fetch/body-budget.ts';
import { decodeHeld } from '../../src/fetch/decode.ts';
import { readHead } from '../../src/fetch/response-head.ts';

const bodyOf = (length: number) => {
  const payload = Buffer.alloc(length);
  return { payload, wireBody: [payload] };
};
const held = (hold: BodyHold, most: number, size = most) =>
  hold.decoded(most, () => ({ body: Buffer.alloc(size) }));

describe('a hold', () => {
  test('charges a body once, and a chunked one with its framing', () => {
    const budget = new BodyBudget(1000);
    const plain = budget.hold(bodyOf(10));
    expect(budget.used).toBe(10);
    const chunked = budget.hold({ payload: Buffer.alloc(5), wireBody: [Buffer.alloc(12)] });
    expect(budget.used).toBe(27);
    plain.end();
    chunked.end();
    expect(budget.used).toBe(0);
  });

  test('charges what a body decodes to, and while it decodes what it may decode to', async () => {
    const budget = new BodyBudget(1000);
    const hold = budget.hold(bodyOf(10));
    const decoded = hold.decoded(500, async () => {
      expect(budget.used).toBe(510);
      return { body: Buffer.alloc(70) };
    });
    await decoded;
    expect(budget.used).toBe(80);
    await held(hold, 100, 60);
    expect(budget.used).toBe(140);
    hold.end();
    expect(budget.used).toBe(0);
  });

  test('waits with decoding until there is room', async () => {
    const budget = new BodyBudget(100);
    const first = budget.hold(bodyOf(10));
    const second = budget.hold(bodyOf(10));
    await held(first, 60);
    let entered = false;
    const waits = held(second, 60).then(() => {
      entered = true;
    });
    for (let i = 0; i < 5; i++) await turn();
    expect(entered).toBe(false);
    expect(budget.isFull).toBe(true);
    first.end();
    await waits;
    second.end();
    expect(budget.used).toBe(0);
  });

  test('alone may decode more than fits', async () => {
    const budget = new BodyBudget(100);
    budget.charge(1000);
    const hold = budget.hold(bodyOf(10));
    await held(hold, 500);
    await held(hold, 500);
    expect(budget.used).toBe(2010);
    hold.end();
    expect(budget.used).toBe(1000);
  });
});

test('any pages with any bodies all end, within the budget and one page', async () => {
  const page = fc.record({
    received: fc.nat({ max: 50 }),
    decodes: fc.array(fc.tuple(fc.nat({ max: 150 }), fc.nat({ max: 150 })), { maxLength: 1 }),
    turns: fc.nat({ max: 3 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(page, { maxLength: 30 }), async (pages) => {
      const capacity = 100;
      const budget = new BodyBudget(capacity);
      let decodedBytes = 0;
      let most = 0;
      const work = pages.map(async ({ received, decodes, turns }) => {
        const hold = budget.hold(bodyOf(received));
        let decoded = 0;
        for (const [room, size] of decodes) {
          await hold.decoded(room, () => {
            most = Math.max(most, decodedBytes + room);
            return { body: Buffer.alloc(Math.min(room, size)) };
          });
          decoded += Math.min(room, size);
          decodedBytes += Math.min(room, size);
        }
        for (let i = 0; i < turns; i++) await turn();
        decodedBytes -= decoded;
        hold.end();
      });
      await Promise.all(work);
      expect(budget.used).toBe(0);
      expect(budget.isFull).toBe(false);
      expect(most).toBeLessThanOrEqual(capacity + 150);
    }),
    { numRuns: 100 },
  );
});

test('a hundred pages that decode to a megabyte each do not do so at once', async () => {
  const coded = gzipSync(Buffer.alloc(2 ** 20));
  const { headers } = readHead(Buffer.from('HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n'))!;
  const budget = new BodyBudget(5 * 2 ** 20);
  let atOnce = 0;
  let most = 0;
  const pages = Array.from({ length: 100 }, async () => {
    const exchange = { payload: coded, wireBody: [coded], headers };
    const hold = budget.hold(exchange);
    const { body } = await decodeHeld(exchange, hold);
    expect(body.length).toBe(2 ** 20);
    most = Math.max(most, ++atOnce);
    await turn();
    atOnce--;
    hold.end();
  });
  await Promise.all(pages);
  expect(most).toBeGreaterThan(1);
  expect(most).toBeLessThanOrEqual(5);
  expect(budget.used).toBe(0);
});
