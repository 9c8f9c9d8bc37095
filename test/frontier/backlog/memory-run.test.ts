import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MemoryRun } from '../../../src/frontier/backlog/memory-run.ts';
import { PathQueue } from '../../../src/frontier/queue/path-queue.ts';
import { hostKey } from '../../../src/url/fingerprint.ts';

const entriesOf = (host: string, urls: readonly string[]) => {
  const queue = new PathQueue(host);
  for (const url of urls) queue.push({ url, depth: 0, redirects: 0 });
  return queue.entries();
};

const urlsOf = (queue: PathQueue): string[] => {
  const urls: string[] = [];
  for (let next = queue.shift(); next; next = queue.shift()) urls.push(next.url);
  return urls;
};

const contentOf = (run: MemoryRun): Map<string, string[]> =>
  new Map([...run.waiting()].map(({ queue }) => [queue.host, urlsOf(queue)]));

/** The last two have the same key. */
const HOSTS = ['a', 'b.example', '[::1]', 'h16227.example.com', 'h61480.example.com'];

describe('a run in memory', () => {
  test('agrees with a list for each host, whatever is done to it', () => {
    const step = fc.record({
      what: fc.constantFrom('add', 'add', 'append', 'prepend', 'move', 'drop', 'split'),
      host: fc.constantFrom(...HOSTS),
      count: fc.nat(4),
      length: fc.constantFrom(1, 20, 300),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60, size: 'max' }), (steps) => {
        const run = new MemoryRun();
        const model = new Map<string, string[]>();
        let made = 0;
        for (const { what, host, count, length } of steps) {
          const list = model.get(host) ?? [];
          const urls = Array.from(
            { length: count },
            () => `http://${host}/${made++}${'x'.repeat(length)}`,
          );
          if (what === 'add')
            for (const url of urls) run.add(host, { url, depth: 0, redirects: 0 });
          if (what === 'append') run.append(host, entriesOf(host, urls));
          if (what === 'add' || what === 'append') list.push(...urls);
          if (what === 'prepend') {
            run.prepend(host, entriesOf(host, urls));
            list.unshift(...urls);
          }
          if (what === 'move') {
            const queue = new PathQueue(host);
            expect(run.move(host, count, queue)).toBe(Math.min(count, list.length));
            expect(urlsOf(queue)).toEqual(list.splice(0, count));
          }
          if (what === 'drop') expect(run.drop(host)).toBe(list.splice(0).length);
          if (what === 'split') {
            const out = run.split((_high, _low, name) => name === host);
            expect(contentOf(out)).toEqual(
              new Map(list.length > 0 ? [[host, list.splice(0)]] : []),
            );
          }
          if (list.length > 0) model.set(host, list);
          else model.delete(host);
          expect([run.urls, run.hosts]).toEqual([[...model.values()].flat().length, model.size]);
        }
        expect(contentOf(run)).toEqual(model);
        expect(run.bytes > 0).toBe(run.urls > 0);
      }),
    );
  });

  test('sorts its hosts by key, and those of one key by name', () => {
    const run = new MemoryRun();
    const names = [...Array.from({ length: 300 }, (_, i) => `h${i}.example${i % 7}.org`), ...HOSTS];
    for (const host of names) run.append(host, entriesOf(host, [`http://${host}/`]));
    const expected = names.sort((a, b) =>
      hostKey(a) === hostKey(b) ? (a < b ? -1 : 1) : hostKey(a) < hostKey(b) ? -1 : 1,
    );
    const { names: sorted, halves } = run.sorted();
    expect(sorted).toEqual(expected);
    expect(Array.from(new BigUint64Array(halves.buffer))).toEqual(expected.map(hostKey));
  });

  test('accepts URLs longer than its blocks', () => {
    const run = new MemoryRun();
    const long = `http://a/${'x'.repeat(600_000)}`;
    for (const url of ['http://a/1', long, 'http://a/2', `${long}y`])
      run.append('a', entriesOf('a', [url]));
    run.add('b', { url: 'http://b/', depth: 0, redirects: 0 });
    expect(contentOf(run)).toEqual(
      new Map([
        ['a', ['http://a/1', long, 'http://a/2', `${long}y`]],
        ['b', ['http://b/']],
      ]),
    );
  });

  test('does not grow while as much is taken as is added, and loses nothing when it closes its holes', () => {
    const run = new MemoryRun();
    const model = new Map<string, string[]>();
    for (let i = 0; i < 8000; i++) {
      const host = `h${i % 50}.example`;
      const url = `http://${host}/${i}/${'x'.repeat(200)}`;
      run.add(host, { url, depth: 0, redirects: 0 });
      const list = model.get(host) ?? [];
      model.set(host, list);
      list.push(url);
      if (i < 1000) continue;
      const queue = new PathQueue(`h${(i * 7) % 50}.example`);
      const expected = model.get(queue.host) as string[];
      run.move(queue.host, 1, queue);
      if (queue.shift()?.url !== expected.shift()) throw new Error(`${queue.host} is out of order`);
    }
    expect(run.bytes).toBeLessThan(700_000);
    expect(contentOf(run)).toEqual(new Map([...model].filter(([, urls]) => urls.length > 0)));
  });

  test('refuses a host whose name is too long to be stored', () => {
    const host = 'x'.repeat(65_536);
    const run = new MemoryRun();
    expect(() => run.add(host, { url: `http://${host}/`, depth: 0, redirects: 0 })).toThrow(
      '65535',
    );
    expect(run.urls).toBe(0);
  });
});
