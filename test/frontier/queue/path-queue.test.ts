import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Discovery,
  decodeDiscovery,
  encodeDiscovery,
} from '../../../src/frontier/queue/discovered-url.ts';
import { PathQueue, requisitesIn, wholeEntries } from '../../../src/frontier/queue/path-queue.ts';
import { hostOf } from '../../../src/url/parts.ts';

const at = (url: string, depth = 0, redirects = 0, attempts = 0): Discovery => ({
  url,
  depth,
  redirects,
  attempts,
});

const URLS = [
  'http://a/',
  'https://example.org/',
  'https://example.org:8443/a',
  'http://[2001:db8::1]/x?y=z',
  'https://[2001:db8::1]:8080/',
  'http://192.0.2.7:81/a/b',
  `https://example.org/${'p'.repeat(95)}`,
  `https://example.org/${'p'.repeat(120)}`,
  `http://example.org/${'q'.repeat(60_000)}`,
];

describe('a queue of paths', () => {
  test.each(URLS.map((url) => [url.slice(0, 40), url]))('gives back %s', (_, url) => {
    const queue = new PathQueue(hostOf(url));
    queue.push(at(url, 1, 2, 3));
    expect(queue.shift()).toEqual(at(url, 1, 2, 3));
    queue.unshift(at(url, 1, 2, 3));
    expect(queue.shift()).toEqual(at(url, 1, 2, 3));
    expect(queue.shift()).toBeUndefined();
  });

  test('counts depth and attempts up to 127, redirects up to 31', () => {
    const queue = new PathQueue('a');
    queue.push(at('http://a/', 127, 31, 127));
    queue.push(at('http://a/', 128, 1000, 1e9));
    queue.push({ url: 'http://a/', depth: 0, redirects: 0 });
    expect(queue.shift()).toEqual(at('http://a/', 127, 31, 127));
    expect(queue.shift()).toEqual(at('http://a/', 127, 31, 127));
    expect(queue.shift()).toEqual(at('http://a/', 0, 0, 0));
  });

  test('keeps the marks and the trail of each URL, and counts its requisites', () => {
    const mark = fc.constantFrom(undefined, true);
    const trail = fc.constantFrom(undefined, 'LLE http://b/?x', 'R https://c/');
    const found = fc.record({ isRequisite: mark, isUrgent: mark, trail, redirects: fc.nat(31) });
    fc.assert(
      fc.property(fc.array(found), (all) => {
        const queue = new PathQueue('a');
        const pushed = all.map((how, i) => ({ ...at(`https://a/${i}`), ...how }));
        for (const discovery of pushed) queue.push(discovery);
        const requisites = pushed.filter(({ isRequisite }) => isRequisite).length;
        expect(requisitesIn(queue.entries())).toBe(requisites);
        for (const discovery of pushed) {
          expect(queue.shift()).toEqual(discovery);
          const encoded = Buffer.from(encodeDiscovery(discovery), 'latin1');
          const { attempts: _, ...rest } = discovery;
          expect(decodeDiscovery(encoded)).toEqual(rest);
        }
      }),
    );
  });

  test('agrees with an array, whatever is done to it', () => {
    const url = fc.oneof(
      { weight: 10, arbitrary: fc.nat(99).map((n) => `http://a/${n}`) },
      { weight: 1, arbitrary: fc.nat(3000).map((n) => `https://a/${'x'.repeat(n)}`) },
    );
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.tuple(fc.constantFrom('push' as const, 'unshift' as const), url) },
      { weight: 2, arbitrary: fc.tuple(fc.constant('shift' as const), fc.constant('')) },
      {
        weight: 1,
        arbitrary: fc.tuple(
          fc.constantFrom('take' as const, 'cut' as const),
          fc.constantFrom('0', '1', '3', 'Infinity'),
        ),
      },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80, size: 'max' }), (steps) => {
        const queue = new PathQueue('a');
        const other = new PathQueue('a');
        const model: string[] = [];
        const modelOfOther: string[] = [];
        for (const [what, how] of steps) {
          if (what === 'push' || what === 'unshift') {
            queue[what](at(how));
            model[what](how);
          } else if (what === 'shift') expect(queue.shift()?.url).toBe(model.shift());
          else {
            const expected =
              what === 'take' ? model.splice(0, Number(how)) : model.splice(Number(how));
            const taken = queue[what](Number(how));
            expect(taken.count).toBe(expected.length);
            other.append(taken);
            modelOfOther.push(...expected);
          }
          expect(queue.length).toBe(model.length);
          expect(queue.entries().bytes.length).toBe(queue.byteLength);
        }
        for (const expected of model) expect(queue.shift()?.url).toBe(expected);
        for (const expected of modelOfOther) expect(other.shift()?.url).toBe(expected);
        expect([queue.shift(), other.shift()]).toEqual([undefined, undefined]);
      }),
    );
  });

  test('keeps at most four times the memory of its entries', () => {
    const queue = new PathQueue('a');
    for (let i = 0; i < 10_000; i++) queue.push(at(`http://a/${i}`));
    while (queue.length > 100) {
      queue.shift();
      const { bytes } = queue.entries();
      expect(bytes.buffer.byteLength).toBeLessThanOrEqual(4 * bytes.length + 1024);
    }
    expect(queue.shift()?.url).toBe('http://a/9900');
  });
});

describe('whole entries of a piece', () => {
  test('are those that end in it, at most as many as asked for, wherever the piece ends', () => {
    const queue = new PathQueue('a');
    const ends: number[] = [];
    for (const url of ['http://a/', `http://a/${'x'.repeat(300)}`, 'http://a/y']) {
      queue.push(at(url));
      ends.push(queue.byteLength);
    }
    const { bytes } = queue.entries();
    for (let cut = 0; cut <= bytes.length; cut++) {
      for (const most of [0, 1, 2, 9]) {
        const whole = ends.filter((end) => end <= cut).slice(0, most);
        const { count, bytes: found } = wholeEntries(bytes.subarray(0, cut), most);
        expect([count, found.length]).toEqual([whole.length, whole.at(-1) ?? 0]);
      }
    }
  });

  test('are none when the piece holds only a part of a length', () => {
    expect(wholeEntries(Uint8Array.of(0xff, 0xff), 5).count).toBe(0);
  });
});
