/** What is read once and kept: who waits, who gets what was read before, when it is read again. */
import { expect, test } from 'vitest';
import { Kept } from '../../src/console/look/kept.ts';

/** A clock that a test moves. */
class HandClock {
  #now = 1_000_000;
  readonly #timers = new Set<{ at: number; callback(): void }>();

  now(): number {
    return this.#now;
  }

  after(delay: number, callback: () => void): () => void {
    const timer = { at: this.#now + delay, callback };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  advance(millis: number): void {
    this.#now += millis;
    for (const timer of this.#timers)
      if (timer.at <= this.#now && this.#timers.delete(timer)) timer.callback();
  }
}

function fixture() {
  const clock = new HandClock();
  let version = 'a';
  const readings: { resolve(value: string): void; reject(error: Error): void }[] = [];
  const kept = new Kept<string>(clock, {
    version: async () => version,
    read: () => new Promise((resolve, reject) => readings.push({ resolve, reject })),
    progress: () => `reading ${readings.length}`,
  });
  const change = (to: string) => {
    version = to;
  };
  return { clock, kept, readings, change };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('a reader who waits too long is told how far the reading is; all wait for one reading', async () => {
  const { clock, kept, readings } = fixture();
  const first = kept.current();
  const second = kept.current();
  await settled();
  clock.advance(1500);
  await expect(first).rejects.toMatchObject({ code: 'STILL_READING', fact: 'reading 1' });
  await expect(second).rejects.toMatchObject({ code: 'STILL_READING' });
  readings[0].resolve('one');
  await settled();
  expect(await kept.current()).toBe('one');
  expect(readings.length).toBe(1);
});

test('while it is read again, readers get what was read before', async () => {
  const { clock, kept, readings, change } = fixture();
  const first = kept.current();
  await settled();
  readings[0].resolve('one');
  expect(await first).toBe('one');
  change('b');
  expect(await kept.current()).toBe('one');
  expect(readings.length).toBe(1);
  clock.advance(5000);
  expect(await kept.current()).toBe('one');
  await settled();
  expect(readings.length).toBe(2);
  expect(await kept.current()).toBe('one');
  readings[1].resolve('two');
  await settled();
  expect(await kept.current()).toBe('two');
  // Nothing was written since: it is not read again.
  clock.advance(5000);
  await kept.current();
  await settled();
  expect(readings.length).toBe(2);
});

test('a reading that took long is not repeated soon', async () => {
  const { clock, kept, readings, change } = fixture();
  const first = kept.current();
  first.catch(() => {});
  await settled();
  clock.advance(3000);
  readings[0].resolve('one');
  await settled();
  change('b');
  clock.advance(200_000);
  await kept.current();
  await settled();
  expect(readings.length).toBe(1);
  clock.advance(100_000);
  await kept.current();
  await settled();
  expect(readings.length).toBe(2);
});

test('an error reaches the one who waits, and the next one reads again', async () => {
  const { kept, readings } = fixture();
  const first = kept.current();
  await settled();
  readings[0].reject(new Error('damaged'));
  await expect(first).rejects.toThrow('damaged');
  await settled();
  const second = kept.current();
  await settled();
  readings[1].resolve('whole');
  expect(await second).toBe('whole');
});
