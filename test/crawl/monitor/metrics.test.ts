import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { metricsPage } from '../../../src/crawl/monitor/metrics.ts';
import { type MetricsServer, serveMetrics } from '../../../src/crawl/monitor/metrics-server.ts';
import { Counters } from '../../../src/crawl/record/counters.ts';
import type { Progress } from '../../../src/crawl/record/progress.ts';
import { anyCharacter } from '../../any-character.ts';
import { type Family, parsePrometheus } from './prometheus.ts';

const NOW: Progress = {
  ...new Counters(),
  ...{ at: 1e12, startedAt: 1e12 - 5000, elapsed: 5000, agents: 2, checkpoint: 10_000 },
  ...{ maxTime: Infinity, maxPages: Infinity, maxBytes: Infinity },
  ...{ pages: 1234, bytes: 5e6, fetching: 7, queued: 99, backlog: 40, front: 12 },
  ...{
    hosts: 3,
    domains: 2,
    urlsSeen: 4000,
    urlsUnique: 1333,
    disallowed: 1,
    forgotten: { digests: 3 },
  },
  statuses: { '200': 1230, '404': 4 },
  errors: { reset: 2 },
  before: { ...new Counters() },
  vitals: { lastPageAt: 1e12 - 1000, savedAt: 1e12 - 4000, saving: 300, top: [] },
};
const OWN = { cpuSeconds: 1.5, memory: 1e8 };

describe('the metrics page', () => {
  test('is read by a strict parser, with names, help and types as documented', () => {
    const families = parsePrometheus(metricsPage(NOW, OWN));
    expect([...families.keys()].filter((name) => !/^drumlin(_[a-z]+){2,}$/.test(name))).toEqual([]);
    for (const { help } of families.values()) expect(help).toMatch(/^.{8,}[.]$/);
    const first = (name: string) => families.get(name)?.samples[0].value;
    expect(first('drumlin_fetch_pages_total')).toBe(1234);
    expect(first('drumlin_frontier_backlog_urls')).toBe(40);
    expect(first('drumlin_checkpoint_last_timestamp_seconds')).toBe(1e9 - 4);
    expect(first('drumlin_crawl_healthy')).toBe(1);
    const expected: Family['samples'] = [
      { labels: { status: '200' }, value: 1230 },
      { labels: { status: '404' }, value: 4 },
    ];
    expect(families.get('drumlin_fetch_responses_total')?.samples).toEqual(expected);
  });

  test('is valid for any label values', () => {
    const tally = fc.dictionary(fc.string({ unit: anyCharacter }), fc.nat({ max: 1e12 }));
    fc.assert(
      fc.property(
        tally,
        fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }),
        (errors, bytes) => {
          const families = parsePrometheus(metricsPage({ ...NOW, errors, bytes }, OWN));
          const read = families
            .get('drumlin_fetch_errors_total')
            ?.samples.map(({ labels, value }) => [labels.fault, value]);
          expect(read).toEqual(Object.entries(errors));
        },
      ),
      { numRuns: 40 },
    );
  });
});

describe('the port for metrics', () => {
  let server: MetricsServer | undefined;
  afterEach(() => server?.close());

  async function ask(now: Progress | undefined, path: string, init?: RequestInit) {
    server = await serveMetrics(0, () => now);
    const response = await fetch(server.url.replace('/metrics', path), init);
    const answer = {
      status: response.status,
      type: response.headers.get('content-type'),
      text: await response.text(),
    };
    await server.close();
    return answer;
  }

  test('serves metrics and health on loopback, and nothing else', async () => {
    const { status, type, text } = await ask(NOW, '/metrics');
    expect([status, type]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
    expect(parsePrometheus(text).size).toBeGreaterThan(20);
    expect(await ask(NOW, '/healthz')).toMatchObject({ status: 200, text: 'healthy\n' });
    expect((await ask(NOW, '/')).status).toBe(404);
    expect((await ask(NOW, '/metrics', { method: 'POST' })).status).toBe(405);
    expect((await ask(undefined, '/healthz')).status).toBe(503);
  });

  test('reports unhealthy, with the fact and the remedy', async () => {
    const vitals = { ...NOW.vitals, outage: { of: 'network', since: 1e12 - 180_000 } as const };
    expect(await ask({ ...NOW, vitals }, '/healthz')).toMatchObject({
      status: 503,
      text: 'unhealthy (network-gone): No server has answered for 3 min 0 s. Check the network; the crawl continues by itself, and no URL fails meanwhile.\n',
    });
  });

  test('rejects a request with another host name, as DNS rebinding in a browser would send it', async () => {
    server = await serveMetrics(0, () => NOW);
    const { get } = await import('node:http');
    const status = await new Promise((resolve) =>
      get(server?.url ?? '', { headers: { host: 'rebound.example' } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      }),
    );
    expect(status).toBe(403);
  });

  test('rejects what a page of another site asks for, as the console does', async () => {
    for (const headers of [{ origin: 'http://evil.example' }, { 'sec-fetch-site': 'cross-site' }])
      expect((await ask(NOW, '/metrics', { headers })).status).toBe(403);
    const own = { 'sec-fetch-site': 'none' };
    expect((await ask(NOW, '/metrics', { headers: own })).status).toBe(200);
  });

  test.each([
    ['//', 404],
    ['//%', 400],
    ['*', 400],
    ['http://[', 403],
    ['http://localhost/healthz', 200],
    ['http://rebound.example/healthz', 403],
    ['localhost:80', 400],
    ['/metrics#x', 400],
    ['/%zz', 400],
  ])('answers a request for %s with %i, and then the next one', async (target, status) => {
    server = await serveMetrics(0, () => NOW);
    const { get } = await import('node:http');
    const { port } = new URL(server.url);
    const statusOf = (path: string) =>
      new Promise((resolve, failed) =>
        get({ host: '127.0.0.1', port, path, agent: false }, (response) => {
          response.resume();
          resolve(response.statusCode);
        }).on('error', failed),
      );
    expect(await statusOf(target)).toBe(status);
    expect(await statusOf('/healthz')).toBe(200);
  });

  test('answers 500 when the state of the crawl cannot be read, and stays open', async () => {
    let broken = true;
    server = await serveMetrics(0, () => {
      if (broken) throw new Error('no state');
      return NOW;
    });
    const failed = await fetch(server.url);
    expect([failed.status, await failed.text()]).toEqual([500, 'Internal error: no state\n']);
    broken = false;
    expect((await fetch(server.url)).status).toBe(200);
  });

  test('in use is reported by its number', async () => {
    server = await serveMetrics(0, () => NOW);
    const port = Number(new URL(server.url).port);
    await expect(serveMetrics(port, () => NOW)).rejects.toThrow(
      `Metrics cannot be served on port ${port}: the port is in use. Choose another --metrics-port, or remove the option.`,
    );
  });
});
