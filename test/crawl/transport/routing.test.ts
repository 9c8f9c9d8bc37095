import fc from 'fast-check';
import { expect, test } from 'vitest';
import { agentOf, partitionsOf, requireAgents } from '../../../src/crawl/transport/routing.ts';
import { fingerprint, PARTITIONS, partitionOfFingerprint } from '../../../src/url/fingerprint.ts';

const agents = fc.integer({ min: 1, max: PARTITIONS });

test('gives every partition to the one agent whose range holds it, for any number of agents', () => {
  fc.assert(
    fc.property(agents, (n) => {
      const owners = Array.from({ length: PARTITIONS }, () => -1);
      for (let agent = 0; agent < n; agent++) {
        const { first, end } = partitionsOf(agent, n);
        for (let partition = first; partition < end; partition++) owners[partition] = agent;
      }
      expect(owners).toEqual(
        Array.from({ length: PARTITIONS }, (_, partition) => agentOf(partition, n)),
      );
    }),
  );
});

test('spreads the partitions as evenly as possible, in contiguous ranges from 0 to the last', () => {
  fc.assert(
    fc.property(agents, (n) => {
      const ranges = Array.from({ length: n }, (_, agent) => partitionsOf(agent, n));
      const sizes = ranges.map(({ first, end }) => end - first);
      expect(Math.min(...sizes)).toBe(Math.floor(PARTITIONS / n));
      expect(Math.max(...sizes)).toBe(Math.ceil(PARTITIONS / n));
      expect([ranges[0].first, ranges[n - 1].end]).toEqual([0, PARTITIONS]);
      expect(ranges.slice(1).map(({ first }) => first)).toEqual(
        ranges.slice(0, -1).map(({ end }) => end),
      );
    }),
  );
});

test('one agent owns everything, and all URLs of a domain have one owner', () => {
  const owner = (url: string, n: number) => agentOf(partitionOfFingerprint(fingerprint(url)), n);
  expect(owner('http://example.org/', 1)).toBe(0);
  for (const n of [2, 3, 8, 1000]) {
    expect(owner('http://www.example.org/a', n)).toBe(owner('https://example.org/b?c', n));
  }
});

test.each([0, -1, 1.5, 1025, Number.NaN])('rejects %d agents with a remedy', (n) => {
  expect(() => requireAgents(n)).toThrow('Use 1 to 1024');
});
