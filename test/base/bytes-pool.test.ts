import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BytesPool } from '../../src/base/bytes-pool.ts';
import { GrowingBytes } from '../../src/fetch/growing-bytes.ts';
import { client, server } from '../fetch/client-fixture.ts';
import { send } from '../fetch/scripted-server.ts';

const start = (bytes: Uint8Array): unknown => bytes.buffer;

test('no memory has two users, and the bytes kept stay below their limit', () => {
  const spare = 64 * 1024;
  const size = fc.oneof(fc.integer({ min: 1, max: 9000 }), fc.integer({ min: 1, max: 600_000 }));
  const step = fc.record({ size, keeps: fc.nat(20) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const pool = new BytesPool(spare);
      const held: Buffer[] = [];
      for (const { size, keeps } of steps) {
        const taken = pool.take(size);
        expect(taken.length).toBeGreaterThanOrEqual(size);
        if (size >= 4096) expect(held.map(start)).not.toContain(start(taken));
        held.push(taken);
        while (held.length > keeps) pool.give(held.shift()!);
        expect(pool.waiting).toBeLessThanOrEqual(spare);
      }
    }),
  );
});

test('memory given back is used again for a request of about the same size', () => {
  const pool = new BytesPool();
  const first = pool.take(20_000);
  pool.give(first);
  expect(pool.take(5000)).not.toBe(first);
  expect(pool.take(30_000)).toBe(first);
  expect(pool.take(30_000)).not.toBe(first);
});

test('small and huge buffers are not kept', () => {
  const pool = new BytesPool();
  for (const size of [1, 4095, 300_000, 2 ** 20]) pool.give(pool.take(size));
  expect(pool.waiting).toBe(0);
});

test('bytes released twice are given back once', () => {
  const pool = new BytesPool();
  const bytes = new GrowingBytes(10_000, pool);
  bytes.append(Buffer.alloc(40_000, 'x'), 0, 40_000);
  expect(pool.waiting).toBe(2 ** 14); // outgrown
  bytes.release();
  bytes.release();
  expect(pool.waiting).toBe(2 ** 14 + 2 ** 16);
});

const page = (letter: string): string =>
  `HTTP/1.1 200 OK\r\nContent-Length: 20000\r\n\r\n${letter.repeat(20_000)}`;

test('a response reuses the memory of a released response, and of no other', async () => {
  const letters = ['a', 'b', 'c'];
  const { url, address } = await server((conversation) =>
    send(page(letters.shift()!))(conversation),
  );
  const fetching = client();
  const get = () => fetching.fetch({ url: url(), address });
  const kept = await get();
  const done = await get();
  expect(Buffer.from(kept.payload).toString()).toBe('a'.repeat(20_000));
  done.release?.();
  const last = await get();
  expect(Buffer.from(kept.payload).toString()).toBe('a'.repeat(20_000));
  expect(Buffer.from(last.payload).toString()).toBe('c'.repeat(20_000));
  expect(start(last.payload)).toBe(start(done.payload));
});
