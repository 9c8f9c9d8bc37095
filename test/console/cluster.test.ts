/** The console of a cluster: two workers on a real broker, of which one is killed; and Chromium. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildPage } from '../../scripts/page.ts';
import { type Brokers, connectBrokers } from '../../src/cluster/broker/connect.ts';
import { serveClusterConsole } from '../../src/console/cluster/server.ts';
import type { Console } from '../../src/console/serve.ts';
import { withBrowser } from '../browser.ts';
import { ShortCluster } from '../cluster/short-cluster.ts';
import { leftOut, needs } from '../left-out.ts';
import { seriousFaults } from './serious-faults.ts';

const TOKEN = 'a-token-for-the-tests';

// biome-ignore lint/suspicious/noExplicitAny: answers of the server, judged by the tests.
type Json = any;

/** The other views are those of a crawl, or one sentence. */
const MADE_FOR_CLUSTERS = new Set(['overview', 'domains', 'control']);

describe.skipIf(leftOut(await needs.server('nats')))(
  'the console of a cluster',
  { timeout: 60_000 },
  () => {
    let cluster: ShortCluster;
    let brokers: Brokers;
    let served: Console;

    beforeAll(async () => {
      cluster = await ShortCluster.start({
        // More pages than the slowest machine fetches in these tests: the last one stops the crawl.
        ...{ agents: 4, domains: 20, pages: 600, pace: 0.2, commit: '500ms' },
        settings: { delay: 400, addressDelay: 20, checkpoint: '200ms', maxCrawlDelay: '1s' },
      });
      cluster.join(1);
      cluster.join(2);
      brokers = await connectBrokers(cluster.brokers, {});
      const book = await brokers.book('short');
      if (!book) throw new Error('The book is gone.');
      served = await serveClusterConsole(
        { name: 'short', book, brokers, named: cluster.brokers, every: 200 },
        { page: (await buildPage()).html, port: 0, token: TOKEN, stays: false },
      );
    }, 60_000);

    afterAll(async () => {
      await served?.close();
      await brokers?.close();
      await cluster?.close();
    });

    const api = async (path: string, body?: object, method = 'POST') => {
      const response = await fetch(`http://127.0.0.1:${served.port}/api/v1${path}`, {
        headers: { authorization: `Bearer ${TOKEN}` },
        ...(body && { method, body: JSON.stringify(body) }),
      });
      return (await response.json()) as Json;
    };
    const status = () => api('/crawls/short/status');
    /** Looks until it is as wanted. */
    const until = async (holds: (now: Awaited<ReturnType<typeof status>>) => boolean) => {
      for (let tries = 0; tries < 800; tries++) {
        const now = await status();
        if (holds(now)) return now;
        await sleep(50);
      }
      throw new Error(`It never came. ${JSON.stringify(await status())}`);
    };
    const logged = (number: number, text: string) =>
      readFileSync(join(cluster.dir(number), 'log.jsonl'), 'utf8').includes(text);

    test('asks for the token, and describes its routes', async () => {
      const origin = `http://127.0.0.1:${served.port}`;
      for (const path of ['/', '/api/v1/crawls', '/api/v1/crawls/short/events'])
        expect((await fetch(origin + path)).status).toBe(403);
      const { paths } = await api('/openapi.json');
      expect(JSON.parse(readFileSync('docs/openapi-cluster.json', 'utf8')).paths).toEqual(paths);
      expect((await api('/crawls/other/status')).error.fact).toBe('There is no such crawl here.');
    });

    test('adds up what all workers report, and names where the files are that it has not', async () => {
      const now = await until(
        ({ workers, agents, counters }) =>
          workers.length === 2 &&
          workers.every(({ answers }: { answers: boolean }) => answers) &&
          agents.every(
            ({ worker, committedAt }: { worker: string; committedAt?: number }) =>
              worker !== '' && committedAt !== undefined,
          ) &&
          counters.pages > 20,
      );
      const sum = (rows: Record<string, number>[], column: string) =>
        rows.reduce((all, row) => all + row[column], 0);
      expect(now.counters.pages).toBeGreaterThanOrEqual(sum(now.agents, 'pages'));
      expect(now.counters.pages).toBe(
        sum(
          now.agents.map((one: Record<string, number>) => ({
            at: Math.max(one.now ?? 0, one.pages),
          })),
          'at',
        ),
      );
      expect(now.counters.pages).toBeLessThanOrEqual(cluster.lab.requests);
      expect(now.sentence).toMatch(/^Running: 2 workers, \d+ pages? committed\. Next, to stop it:/);
      expect(now.workers.filter(({ leads }: { leads: boolean }) => leads)).toHaveLength(1);
      for (const path of ['captures', 'hosts', 'graph?domain=a.test', 'search?query=a'])
        expect((await api(`/crawls/short/${path}`)).error.code).toBe('IN_THE_STORE');
      expect((await api('/crawls/short/captures')).error.remedy).toMatch(/file:\/\/.*\/archive/);
    });

    test('pauses all agents, and lets them continue', async () => {
      await api('/crawls/short/control', { action: 'pause' });
      while (![1, 2].every((number) => logged(number, '"changes":{"paused":true}')))
        await sleep(20);
      await until((now) => now.paused && now.fetching === 0);
      const before = cluster.lab.requests;
      // The history has a stretch for each second: the delay would have passed often.
      const seen = (await api('/crawls/short/history')).stretches.length;
      while ((await api('/crawls/short/history')).stretches.length < seen + 2) await sleep(50);
      expect(cluster.lab.requests).toBe(before);
      await api('/crawls/short/control', { action: 'resume' });
      await until(({ counters }) => counters.pages > before);
    });

    test('changes settings, filters and domains on all workers, and their logs say who', async () => {
      const patched = await api(
        '/crawls/short/settings',
        { settings: { delay: '150ms', 'fetch-filter': 'PathDepth < 30' } },
        'PATCH',
      );
      expect(patched.changed).toEqual(['delay: 150ms', 'fetch filter: PathDepth < 30']);
      const wrong = await api(
        '/crawls/short/settings',
        { settings: { 'max-pages': '9' } },
        'PATCH',
      );
      expect(wrong.error.fact).toBe('max-pages cannot change while a cluster runs.');
      const domain = (await api('/crawls/short/domains')).rows[0].domain;
      await api(`/crawls/short/domains/${domain}`, { decision: 'block' }, 'PUT');
      for (const text of [
        '"event":"settings-changed","by":"console","changes":{"delay":"150ms"}',
        '"event":"filters-changed","by":"console"',
      ])
        while (![1, 2].every((number) => logged(number, text))) await sleep(20);
      const decided = `"event":"domain-decided","domain":"${domain}","decision":"blocked","by":"console"`;
      while (![1, 2].some((number) => logged(number, decided))) await sleep(20);
      const { settings } = await api('/crawls/short/settings');
      const value = (key: string) => settings.find((one: { key: string }) => one.key === key);
      expect(value('delay')).toMatchObject({ value: '150 ms', source: 'changed while it runs' });
      expect(value('fetchFilter')).toMatchObject({ value: 'PathDepth < 30', isTunable: true });
      const life = (url: string) => api(`/crawls/short/url?url=${encodeURIComponent(url)}`);
      expect((await life(`http://${domain}/x`)).reason).toBe('blocked');
      const deep = await life(`http://other.test${'/a'.repeat(40)}`);
      expect([deep.reason, deep.answer]).toEqual(['fetch-filter', expect.stringContaining('40')]);
      expect(await life('http://other.test/')).toMatchObject({
        reason: 'owned',
        answer: expect.stringMatching(/^It belongs to agent \d on /),
      });
      expect((await life('mailto:x')).reason).toBe('not-a-url');
      const { rows } = await api('/crawls/short/domains');
      expect(rows.find((row: { domain: string }) => row.domain === domain).decision).toBe(
        'blocked',
      );
    });

    test('shows every view in a browser, without a serious fault of accessibility', async () => {
      const axe = readFileSync(
        createRequire(import.meta.url).resolve('axe-core/axe.min.js'),
        'utf8',
      );
      await withBrowser(async (page) => {
        const faults: string[] = [];
        page.on('pageerror', (error) => faults.push(error.message));
        await page.goto(served.url);
        for (const [view, text] of [
          ['overview', 'all have a worker'],
          ['domains', 'Decide about a domain'],
          ['hosts', 'Hosts in memory are in the folders of the workers.'],
          ['url?url=http%3A%2F%2Fa.test%2F', 'It belongs to agent'],
          ['archive', 'Captures of a cluster are in its object store'],
          ['graph', 'Links between domains are in the folders'],
          ['settings', 'Change while it runs'],
          ['log', 'agent-committed'],
          ['control', 'This cluster'],
        ]) {
          await page.goto(`http://127.0.0.1:${served.port}/#/short/${view}`);
          await page.getByText(text).first().waitFor({ timeout: 20_000 });
          if (MADE_FOR_CLUSTERS.has(view))
            expect([view, await seriousFaults(page, axe)]).toEqual([view, []]);
        }
        await page.getByRole('button', { name: 'Pause' }).click();
        await page.getByText('Done.').waitFor();
        expect(faults).toEqual([]);
      });
      await until(({ paused }) => paused);
      await api('/crawls/short/control', { action: 'resume' });
    });

    test('outlives the leader, and shows who takes its agents', async () => {
      const { workers } = await status();
      const leader = workers.find(({ leads }: { leads: boolean }) => leads);
      process.kill(leader.pid, 'SIGKILL');
      const now = await until(({ agents }) =>
        agents.every(({ worker }: { worker: string }) => worker !== '' && worker !== leader.worker),
      );
      expect(
        now.workers.find((one: { worker: string }) => one.worker === leader.worker),
      ).toMatchObject({
        silent: true,
      });
      const { lines } = await api('/crawls/short/log?event=agent-taken');
      expect(lines[0]).toMatchObject({ before: leader.worker });
    });

    test('stops the crawl, and shows it afterwards', async () => {
      await api('/crawls/short/control', { action: 'stop' });
      const ended = await until(({ state }) => state === 'ended');
      expect(ended.sentence).toMatch(
        /^Not running: stopped by the user; .* drumlin cluster resume short/,
      );
      expect((await api('/crawls/short/control', { action: 'run' })).changed).toHaveLength(1);
      expect((await until(({ state }) => state === 'running')).run).toBe(2);
    });
  },
);
