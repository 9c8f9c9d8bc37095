/** The commands of a cluster, with one worker, on a broker. */
import assert from 'node:assert/strict';
import { servers } from '../../../scripts/servers.ts';
import { connectBrokers } from '../../../src/cluster/broker/connect.ts';
import { type ClusterCrawl, KEYS } from '../../../src/cluster/members/keys.ts';
import { linking } from '../../crawl/small-site.ts';
import { answers, fetchText } from './crawled.ts';
import { type Chapter, type Check, file, json, type Step } from './step.ts';

const CREATE =
  '$seed --brokers $b --dns $dns --allow-private --private-delay 0 --agents 2 --durable-brokers';

const quiet: Check = ({ out, err }) => assert.equal(out + err, '');

/** What the book of the cluster "other" says about its crawl. */
const stored =
  (check: (crawl: ClusterCrawl) => void): Check =>
  async ({ places }) => {
    const brokers = await connectBrokers(places.b, {});
    try {
      const entry = await (await brokers.book('other'))?.get<ClusterCrawl>(KEYS.crawl);
      assert.ok(entry, 'there is no cluster');
      check(entry.value);
    } finally {
      await brokers.close();
    }
  };

interface Draining {
  readonly draining: boolean;
}

/** Looks at a worker that is there, and drains it. */
const lookAndDrain: NonNullable<Step['once']> = async (_, stage, { b, metrics }) => {
  const look = () => stage.run(['cluster', 'status', 'other', '--brokers', b, '--json']);
  const { out } = await look();
  stage.write('joined.json', out);
  stage.write('metrics.txt', await fetchText(`http://127.0.0.1:${metrics}/metrics`));
  const [worker] = Object.keys(JSON.parse(out).workers);
  const drained = await stage.run(['cluster', 'drain', 'other', worker, '--brokers', b]);
  assert.equal(drained.code, 0, drained.err);
  const { workers } = JSON.parse((await look()).out) as { workers: Record<string, Draining> };
  assert.ok(
    Object.values(workers).every(({ draining }) => draining),
    'the worker is not drained',
  );
};

export const CLUSTERS: Chapter = {
  name: 'clusters',
  prepare: async (stage) => {
    const monitor = await stage.freePort();
    const broker = await servers.nats({ sync: 'always', config: `http: "127.0.0.1:${monitor}"` });
    stage.later(() => broker.stop());
    const seed = `${stage.site('clusters.test', { '/': linking('/1', '/2'), '/1': '1', '/2': '2' })}/`;
    stage.write('filters.txt', 'fetch: not PathStartsWith(/2)\n');
    stage.write('domains.tsv', 'other.test\tblock\n');
    const objects = `file://${stage.path('objects')}`;
    stage.write('drumlin-own.yaml', 'max-pages: 77\n');
    const endless = `${stage.site('endless.test', { '/': () => {} })}/`;
    return {
      ...{ b: broker.url, seed, endless, dns: stage.dns, objects },
      ...{ others: `file://${stage.path('others')}`, monitor: `http://127.0.0.1:${monitor}` },
      port: String(await stage.freePort()),
      metrics: String(await stage.freePort()),
    };
  },
  steps: [
    {
      run: `cluster create news ${CREATE} --objects $objects --replicas 1 --address-delay-scope agent`,
      shows: {
        '': file('objects'),
        '--brokers': /news/,
        '--objects': file('objects'),
        '--durable-brokers': /news/,
        '--replicas': /news/,
      },
    },
    {
      run: 'cluster set news fetches=5 --brokers $b',
      shows: { '': /fetches/, '--brokers': /fetches/ },
    },
    // These print nothing; the lines after them show the effect.
    {
      run: 'cluster steer news --brokers $b --filters filters.txt --domains domains.tsv',
      shows: { '': quiet, '--brokers': quiet, '--filters': quiet, '--domains': quiet },
    },
    { run: 'cluster stop news --brokers $b', shows: { '': quiet, '--brokers': quiet } },
    {
      run: 'cluster join news --brokers $b --dir w1 --commit 1s --weight 2 --quiet',
      code: 130,
      shows: { '': file('w1'), '--brokers': file('w1'), '--dir': file('w1') },
    },
    {
      run: 'cluster status news --brokers $b',
      shows: { '': /stopped by the user/, '--brokers': /stopped by the user/ },
    },
    { run: 'cluster resume news --brokers $b', shows: { '': quiet, '--brokers': quiet } },
    {
      // It runs because of "resume", and ended the first time because of "stop". What was steered
      // holds on the worker.
      run: 'cluster join news --brokers $b --dir w2 --commit 1s --weight 2 --quiet',
      shows: {
        '': file('w2'),
        '--quiet': quiet,
        '--commit': ({ stage }) =>
          assert.deepEqual(
            ['/1', '/2'].map((path) => stage.asked.some((one) => one.path === path)),
            [true, false],
          ),
      },
    },
    {
      run: 'cluster status news --brokers $b',
      as: 'ended',
      shows: { '': /finished/ },
    },
    { run: 'cluster status news --brokers $b --json', shows: { '--json': json } },
    {
      run: 'cluster create other $endless --brokers $b --dns $dns --allow-private --agents 1 --monitors $monitor --objects $others --address-delay-scope agent --config drumlin-own.yaml',
      shows: {
        // Without it, or "--durable-brokers", the brokers are not trusted.
        '--monitors': /Cluster other/,
        '--address-delay-scope': stored(({ addressScope }) => assert.equal(addressScope, 'agent')),
        '--config': stored(({ settings }) => assert.equal(settings.maxPages, 77)),
      },
    },
    {
      run: 'cluster join other --brokers $b --dir w3 --weight 7 --metrics-port $metrics',
      once: lookAndDrain,
      code: 'any', // drained, or interrupted while it drains
      shows: {
        '--weight': file('joined.json', /"weight": ?7/),
        '--metrics-port': file('metrics.txt', /^drumlin_crawl_/m),
      },
    },
    {
      run: 'cluster drain news nobody --brokers $b',
      code: 'any',
      shows: { '': /nobody/, '--brokers': /nobody/ },
    },
    {
      run: 'cluster console news --brokers $b --port $port --host 127.0.0.1 --token a-token-of-our-own-for-this-test',
      once: answers,
      shows: {
        '': /http:/,
        '--brokers': /http:/,
        '--port': /:\d+/,
        '--host': /127\.0\.0\.1/,
        '--token': /a-token/,
      },
    },
    {
      run: 'cluster demo --brokers $b --dir demo --workers 1 --agents 1 --max-time 3s',
      code: 'any',
      shows: {
        '': file('demo'),
        '--brokers': file('demo'),
        '--dir': file('demo'),
        '--workers': /1 worker/,
        '--agents': file('demo'),
        '--max-time': /max-time/,
      },
    },
  ],
};
