/**
 * A small crawl by workers of a cluster, in processes of their own, on a real broker; and what came
 * of it, judged from the web's log and the objects only.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { servers } from '../../scripts/servers.ts';
import { connectBrokers } from '../../src/cluster/broker/connect.ts';
import { createCluster } from '../../src/cluster/create.ts';
import type { CrawlOptions } from '../../src/config/settings.ts';
import { resolveConfig } from '../../src/config/settings.ts';
import { type Lab, startLab } from '../../src/lab/server/lab.ts';
import { openObjects } from '../../src/objects/open-objects.ts';
import { readWithWarcio } from '../archive/warc/fixtures.ts';
import { indexFaults } from '../archive/warc/true-index.ts';

const DRUMLIN = join(import.meta.dirname, '../../bin/drumlin');

interface ShortPlan {
  readonly agents: number;
  readonly domains: number;
  readonly pages: number;
  readonly settings: CrawlOptions;
  /** How much faster than usual leases go. */
  readonly pace: number;
  readonly commit: string;
}

interface Requested {
  readonly time: number;
  readonly host: string;
  readonly address: string;
  readonly path: string;
}

export class ShortCluster {
  readonly lab: Lab;
  readonly #plan: ShortPlan;
  readonly #folder: string;
  readonly #url: string;
  readonly #stop: () => Promise<void>;
  readonly #workers: ChildProcess[] = [];

  private constructor(
    plan: ShortPlan,
    folder: string,
    lab: Lab,
    url: string,
    stop: () => Promise<void>,
  ) {
    this.#plan = plan;
    this.#folder = folder;
    this.lab = lab;
    this.#url = url;
    this.#stop = stop;
  }

  static async start(plan: ShortPlan): Promise<ShortCluster> {
    const folder = mkdtempSync(join(tmpdir(), 'drumlin-cluster-'));
    const { domains, pages, agents, pace } = plan;
    const log = join(folder, 'requests.jsonl');
    const lab = await startLab({ scenario: 'clean', domains, pages, log });
    const broker = await servers.nats();
    const objects = `file://${join(folder, 'objects')}`;
    const brokers = await connectBrokers(broker.url, {});
    const book = await brokers.book('short', { replicas: 1 });
    if (!book) throw new Error('The broker made no book.');
    const config = resolveConfig({ ...plan.settings, allowPrivate: true, dns: lab.dns });
    await createCluster({
      ...{ book, store: await openObjects(objects, {}), objects, name: 'short', agents, config },
      ...{ seeds: lab.seeds, now: Date.now(), pace },
    });
    await brokers.close();
    return new ShortCluster(plan, folder, lab, broker.url, () => broker.stop());
  }

  /** Starts a worker; the folder of a number is always the same. */
  join(number: number): ChildProcess {
    const args = ['cluster', 'join', 'short', '--brokers', this.#url, '--dir', this.dir(number)];
    const child = spawn(
      process.execPath,
      [DRUMLIN, ...args, '--commit', this.#plan.commit, '--quiet'],
      {
        stdio: ['ignore', 'ignore', 'inherit'],
      },
    );
    this.#workers.push(child);
    return child;
  }

  /** The address of the broker. */
  get brokers(): string {
    return this.#url;
  }

  dir(number: number): string {
    return join(this.#folder, `worker-${number}`);
  }

  /** Resolves when the web has answered this many requests. */
  async requests(count: number): Promise<void> {
    while (this.lab.requests < count) await sleep(5);
  }

  /** The exit codes of all workers that were not killed. */
  async ended(): Promise<(number | null)[]> {
    const living = this.#workers.filter(({ killed }) => !killed);
    await Promise.all(living.map((child) => child.exitCode ?? once(child, 'exit')));
    return living.map(({ exitCode }) => exitCode);
  }

  /** How often each URL is in the archive, by an independent reader. */
  async archived(): Promise<{
    readonly counts: Map<string, number>;
    readonly unconfirmed: number;
  }> {
    const archive = join(this.#folder, 'objects', 'archive');
    const counts = new Map<string, number>();
    let unconfirmed = 0;
    for (const file of readdirSync(archive)) {
      for (const { type, url, blockConfirmed } of await readWithWarcio(join(archive, file))) {
        if (!blockConfirmed) unconfirmed++;
        if ((type === 'response' || type === 'revisit') && url && !url.endsWith('/robots.txt'))
          counts.set(url, (counts.get(url) ?? 0) + 1);
      }
    }
    return { counts, unconfirmed };
  }

  /** Wrong and missing lines of the index. */
  indexFaults(): Promise<string[]> {
    return indexFaults(join(this.#folder, 'objects'));
  }

  /** Every request that the web has answered, in order. */
  async asked(): Promise<Requested[]> {
    await this.lab.close();
    const lines = readFileSync(join(this.#folder, 'requests.jsonl'), 'utf8').trimEnd().split('\n');
    return lines.map((line) => JSON.parse(line));
  }

  logs(): string {
    return readdirSync(this.#folder)
      .filter((name) => name.startsWith('worker-'))
      .map((name) => readFileSync(join(this.#folder, name, 'log.jsonl'), 'utf8'))
      .join('');
  }

  async close(): Promise<void> {
    for (const child of this.#workers) child.kill('SIGKILL');
    await this.lab.close();
    await this.#stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** The shortest time between two requests to one host, or to one address. */
export function shortestPause(asked: readonly Requested[], to: 'host' | 'address'): number {
  const last = new Map<string, number>();
  let shortest = Infinity;
  for (const request of asked) {
    shortest = Math.min(shortest, request.time - (last.get(request[to]) ?? -Infinity));
    last.set(request[to], request.time);
  }
  return shortest;
}
