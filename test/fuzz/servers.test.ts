/** Every port that we listen on, fed with requests by a grammar: none ends, hangs or leaks. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type MetricsServer, serveMetrics } from '../../src/crawl/monitor/metrics-server.ts';
import { Counters } from '../../src/crawl/record/counters.ts';
import type { Progress } from '../../src/crawl/record/progress.ts';
import { type Lab, startLab } from '../../src/lab/server/lab.ts';
import { type LabTargets, labTargets, probe } from './lab-targets.ts';
import { randomFrom } from './mutation.ts';
import { fuzzDns, fuzzHttp, fuzzTls, type Tally } from './port-fuzzer.ts';

const NOW: Progress = {
  ...new Counters(),
  ...{ at: 1e12, startedAt: 1e12 - 5000, elapsed: 5000, agents: 2, checkpoint: 10_000 },
  ...{ maxTime: Infinity, maxPages: Infinity, maxBytes: Infinity },
  ...{ fetching: 7, queued: 99, backlog: 40, front: 12, hosts: 3, domains: 2 },
  ...{ urlsSeen: 4000, urlsUnique: 1333, disallowed: 1, forgotten: {} },
  before: { ...new Counters() },
  vitals: { lastPageAt: 1e12 - 1000, savedAt: 1e12 - 4000, saving: 300, top: [] },
};
const PATHS = ['/', '/metrics', '/healthz', '/status.json', '/metrics?x=%41', '/robots.txt'];
const LOCAL = { hosts: ['localhost', '127.0.0.1'], paths: PATHS };
const MANY = { requests: 400, atOnce: 32 };
const isSound = ({ odd, internal }: Tally) =>
  expect({ odd, internal }).toEqual({ odd: [], internal: [] });

let metrics: MetricsServer;
let lab: Lab;
let targets: LabTargets;
beforeAll(async () => {
  metrics = await serveMetrics(0, () => NOW);
  lab = await startLab({
    scenario: 'hostile',
    domains: 60,
    pages: 6,
    controlPort: 0,
    patience: 20,
  });
  targets = labTargets(lab.web);
});
afterAll(async () => {
  await lab.close();
  await metrics.close();
});

describe('after any requests', () => {
  test('the port for metrics answers the next', async () => {
    const port = Number(new URL(metrics.url).port);
    const tally = await fuzzHttp({
      ...{ ...MANY, port, known: LOCAL, random: randomFrom(1), probe: probe('/healthz') },
    });
    isSound(tally);
    expect(Object.keys(tally.statuses).sort()).toEqual(
      expect.arrayContaining(['200', '400', '403', '404', '405', '431']),
    );
  });

  test('the control page of the lab answers the next', async () => {
    const port = lab.ports.control;
    isSound(
      await fuzzHttp({
        ...{ ...MANY, port, known: LOCAL, random: randomFrom(2), probe: probe('/') },
      }),
    );
  });

  test('the synthetic web answers the next, over HTTP and over TLS', async () => {
    const { known, plainProbe, secureProbe } = targets;
    const { http, https } = lab.ports;
    const more = { ...MANY, known, random: randomFrom(3) };
    isSound(await fuzzHttp({ ...more, port: http, probe: plainProbe }));
    isSound(await fuzzTls({ ...more, port: https, requests: 200, probe: secureProbe }));
  });

  test('the name server of the lab answers the next', async () => {
    const names = [...targets.known.hosts, 'nowhere.test', 'a'.repeat(63), '', '\0.\xff'];
    const options = { port: lab.ports.dns, names, random: randomFrom(4), packets: 2000 };
    expect((await fuzzDns(options)).answers).toBeGreaterThan(200);
  });
});
