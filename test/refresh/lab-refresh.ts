/**
 * A crawl of the lab at one step, and a refresh of it at a later one, in the thread of the test.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CrawlOptions, resolveConfig } from '../../src/config/settings.ts';
import type { RefreshSummary } from '../../src/crawl/planned/refresh-summary.ts';
import { Disk } from '../../src/disk/disk.ts';
import { type Lab, type LabOptions, startLab } from '../../src/lab/server/lab.ts';
import { openRefresh, type RefreshOptions } from '../../src/refresh/run/refresh.ts';
import { fastClock } from '../crawl/fast-clock.ts';
import { startCrawl } from '../crawl/here.ts';

export interface Access {
  readonly time: number;
  readonly host: string;
  readonly address: string;
  readonly method: string;
  readonly path: string;
  readonly condition?: string;
  readonly status: number;
  readonly bytes: number;
}

export class Later {
  readonly folder = mkdtempSync(join(tmpdir(), 'drumlin-refresh-'));
  readonly old = join(this.folder, 'old');
  readonly #options: LabOptions;
  #ports: Pick<LabOptions, 'httpPort' | 'httpsPort'> = {};
  lab!: Lab;

  constructor(options: LabOptions) {
    this.#options = options;
  }

  /** The lab at a step, with the same addresses as before. */
  async stepTo(step: number, log?: string): Promise<Lab> {
    await this.lab?.close();
    const named = log === undefined ? {} : { log: join(this.folder, log) };
    this.lab = await startLab({ patience: 50, ...this.#options, ...this.#ports, step, ...named });
    const { http, https } = this.lab.ports;
    this.#ports = { httpPort: http, ...(https > 0 && { httpsPort: https }) };
    return this.lab;
  }

  config(dir: string, options: CrawlOptions = {}) {
    return resolveConfig({
      dir,
      dns: [this.lab.dns],
      allowPrivate: true,
      insecure: true,
      delay: 0,
      agents: 1,
      responseTimeout: 500,
      ...options,
    });
  }

  async crawl(options: CrawlOptions = {}) {
    const run = await startCrawl(
      this.lab.seeds,
      this.config(this.old, { order: 'bfs', ...options }),
      {
        clock: fastClock(50),
      },
    );
    return run.finished;
  }

  async refresh(
    name: string,
    asked: RefreshOptions = {},
    options: CrawlOptions = {},
    clock = fastClock(50),
  ): Promise<RefreshSummary> {
    const dir = join(this.folder, name);
    const config = this.config(dir, options);
    const refresh = await openRefresh(new Disk(), { old: this.old, ...asked }, config);
    const run = await startCrawl([], refresh.config, { asker: refresh.asker, clock });
    await run.finished;
    return refresh.finish();
  }

  verdicts(name: string): { url: string; verdict: string; status: string; address: string }[] {
    const text = readFileSync(join(this.folder, name, 'refresh/verdicts.tsv'), 'utf8');
    const [, ...lines] = text.trimEnd().split('\n');
    return lines.map((line) => {
      const [url, verdict, status, , address] = line.split('\t');
      return { url, verdict, status, address };
    });
  }

  /** The lab must be closed. */
  requests(log: string): Access[] {
    const text = readFileSync(join(this.folder, log), 'utf8');
    return text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  }

  async close(): Promise<void> {
    await this.lab?.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
