/**
 * One simulated crawl: a web, a disk, a network and a clock from one seed, and a crawl that lives
 * through what goes wrong with them, life after life, until all is well and it must end.
 *
 *   life 1 ─ killed ─► life 2 ─ disk full ─► life 3 ─ power cut ─► … ─► the last: no faults ─►
 *   judge
 */
import { DrumlinError } from '../../src/base/errors.ts';
import {
  addressDelay,
  type CrawlConfig,
  type CrawlOptions,
  resolveConfig,
} from '../../src/config/settings.ts';
import { type CrawlHooks, type CrawlRun, type Summary, startCrawl } from '../../src/crawl/crawl.ts';
import { Disk } from '../../src/disk/disk.ts';
import type { FileSystem } from '../../src/disk/file-system.ts';
import { type Random, randomFrom } from '../../test/fuzz/mutation.ts';
import { faultsOf } from './judge.ts';
import { Machine, type Outcome, Stuck } from './machine.ts';
import { MemoryDisk } from './memory-disk.ts';
import { simMesh } from './mesh.ts';
import { SimNetwork } from './network.ts';
import { inSimulation } from './replaced.ts';
import { makeWeb, type SimWeb } from './web.ts';

const DIR = '/crawl';
/** A life that has not ended after so many events hangs. */
const MOST_EVENTS = 400_000;

/** Breaks one property of a crawl on purpose, to see whether the judge notices. */
export interface Plant {
  fileSystem?(disk: FileSystem): FileSystem;
  hooks?(hooks: CrawlHooks): CrawlHooks;
}

export interface Simulated {
  readonly seed: number;
  /** The same for every run of the seed. */
  readonly digest: string;
  readonly faults: readonly string[];
  readonly lives: number;
  readonly pages: number;
  readonly events: number;
  /** Virtual seconds. */
  readonly seconds: number;
}

/**
 * How a life ends, if it does not end by itself before: the process or the power is gone, a user
 * stops it, the disk is full or broken, the files of one agent are, or the clock is set.
 */
type End = 'kill' | 'power' | 'stop' | 'full' | 'broken' | 'agent' | 'clock';
const ENDS: readonly End[] = [
  ...(['kill', 'kill', 'power', 'power', 'stop'] as const),
  ...(['full', 'broken', 'agent', 'clock'] as const),
];

export interface SimulationOptions {
  /** A bug to plant. */
  readonly plant?: Plant | undefined;
  /** How lives may end. */
  readonly ends?: readonly End[];
  /** Called with every fact of the digest. */
  readonly trace?: (line: string) => void;
}

export async function simulate(
  seed: number,
  { plant = {}, ends = ENDS, trace }: SimulationOptions = {},
): Promise<Simulated> {
  const machine = new Machine(randomFrom(seed), trace);
  const crawl = new SimulatedCrawl(machine, plant, ends);
  const rejections: string[] = [];
  const rejected = (reason: unknown) =>
    rejections.push(`unhandled: ${(reason as Error)?.stack ?? reason}`);
  process.on('unhandledRejection', rejected);
  try {
    const faults = await inSimulation(machine, () => crawl.run());
    return {
      seed,
      digest: machine.digest(),
      faults: [...faults, ...rejections],
      lives: crawl.lives,
      pages: crawl.web.expected.size,
      events: machine.count,
      seconds: machine.elapsed / 1000,
    };
  } finally {
    process.off('unhandledRejection', rejected);
  }
}

class SimulatedCrawl {
  readonly web: SimWeb;
  lives = 0;
  readonly #machine: Machine;
  readonly #random: Random;
  readonly #plant: Plant;
  readonly #ends: readonly End[];
  readonly #disk: MemoryDisk;
  readonly #network: SimNetwork;
  readonly #settings: CrawlOptions;
  readonly #faults: string[] = [];

  constructor(machine: Machine, plant: Plant, ends: readonly End[]) {
    this.#machine = machine;
    this.#random = machine.random;
    this.#plant = plant;
    this.#ends = ends;
    this.web = makeWeb(machine.random);
    this.#disk = new MemoryDisk(machine);
    this.#disk.onWrite = (path, bytes) => this.#readLog(path, bytes);
    this.#network = new SimNetwork(machine, this.web);
    this.#settings = settingsFrom(machine.random);
  }

  /** Returns what is wrong. */
  async run(): Promise<string[]> {
    const machine = this.#machine;
    const troubled = this.#random(7);
    for (let life = 0; life < troubled && this.#faults.length === 0; life++) {
      await this.#life(this.#ends[this.#random(this.#ends.length)]);
      machine.rest(this.#random(3) === 0 ? 1 + this.#random(60_000) : 1 + this.#random(20));
      if (this.#random(6) === 0) machine.setClock((this.#random(5) - 2) * 3_600_000);
    }
    if (this.#faults.length > 0) return this.#faults;
    const outcome = await this.#life(undefined);
    if (!('result' in outcome)) return this.#faults;
    const { requests } = this.#network;
    const config = this.#config(1);
    const delays = { delay: config.delay, addressDelay: addressDelay(config) };
    const { web } = this;
    const { result: summary } = outcome;
    const wrong = faultsOf({ web, disk: this.#disk, dir: DIR, requests, summary, ...delays });
    return [...this.#faults, ...wrong];
  }

  /** One life of the crawl; without an end, nothing goes wrong in it. */
  async #life(end: End | undefined): Promise<Outcome<Summary>> {
    const machine = this.#machine;
    const config = this.#config(1 + this.#random(3));
    this.#network.life = ++this.lives;
    this.#network.faultRate = end === undefined ? 0 : [0, 10, 30][this.#random(3)];
    this.#disk.trouble = { short: this.#random(3) === 0 };
    machine.note('life', this.lives, end ?? 'last', config.agents);
    let run: CrawlRun | undefined;
    const program = async () => {
      run = await startCrawl(this.web.seeds, config, this.#hooks());
      return run.finished;
    };
    this.#network.onRequest = () => {};
    if (end !== undefined) this.#later(() => this.#strike(end, run));
    try {
      const outcome = await machine.run(program, MOST_EVENTS);
      if ('error' in outcome) this.#examine(outcome.error, end);
      return outcome;
    } catch (error) {
      if (!(error instanceof Stuck)) throw error;
      this.#faults.push(`life ${this.lives} is stuck: ${error.message}`);
      return { error };
    }
  }

  #hooks(): CrawlHooks {
    const machine = this.#machine;
    const disk = this.#plant.fileSystem?.(this.#disk) ?? this.#disk;
    const hooks: CrawlHooks = {
      here: true,
      clock: machine.clock(),
      disk: new Disk(disk),
      network: this.#network.network(),
      mesh: (agents) => simMesh(machine, agents),
    };
    return this.#plant.hooks?.(hooks) ?? hooks;
  }

  #config(agents: number): CrawlConfig {
    return resolveConfig({ ...this.#settings, agents });
  }

  /**
   * Runs something at a random moment: after few or many events, or soon after some request. Most
   * events of a life belong to its start, so that events alone would seldom reach its midst.
   */
  #later(run: () => void): void {
    const machine = this.#machine;
    if (this.#random(2) === 0) {
      machine.afterEvents(1 + this.#random(2 ** (2 + this.#random(12))), run);
      return;
    }
    let left = 1 + this.#random(2 ** this.#random(6));
    this.#network.onRequest = () => {
      if (--left === 0) machine.afterEvents(1 + this.#random(2 ** (1 + this.#random(9))), run);
    };
  }

  #strike(end: End, run: CrawlRun | undefined): void {
    const { trouble } = this.#disk;
    this.#machine.note('strike', end);
    if (end === 'kill') {
      this.#machine.kill();
      this.#disk.killed();
    } else if (end === 'power') {
      this.#machine.kill();
      this.#disk.powerCut();
    } else if (end === 'full') trouble.room = this.#random(100_000);
    else if (end === 'broken') trouble.failing = /./;
    else if (end === 'agent')
      trouble.failing = [/agents\/0\//, /-1\.warc/, /agents\/1\//][this.#random(3)];
    else if (end === 'clock') this.#machine.setClock((this.#random(5) - 2) * 1_800_000);
    else run?.stop();
    // A life that is hurt and lives on is killed later, so that its end is as often a crash.
    if (end === 'clock' || (end === 'stop' && this.#random(3) === 0))
      this.#later(() => this.#strike('power', run));
  }

  /** A life may fail only by what was done to its disk. */
  #examine(error: unknown, end: End | undefined): void {
    const isHurt = end === 'full' || end === 'broken' || end === 'agent';
    const isOfDisk = error instanceof DrumlinError && error.code.startsWith('DISK_');
    if (isHurt && isOfDisk) return;
    this.#faults.push(`life ${this.lives} (${end}) failed: ${(error as Error)?.stack ?? error}`);
  }

  #readLog(path: string, bytes: Uint8Array): void {
    if (path !== `${DIR}/log.jsonl`) return;
    for (const line of Buffer.from(bytes).toString().split('\n')) {
      if (line.includes('"event":"internal-error"')) this.#faults.push(`internal error: ${line}`);
      if (line !== '') this.#machine.note('log', line);
    }
  }
}

function settingsFrom(random: Random): CrawlOptions {
  const delay = [0, 300, 1000, 4000][random(4)];
  return {
    ...{ dir: DIR, allowPrivate: true, delay, retries: 15, retryWait: 5000, maxRetryAfter: 60_000 },
    ...(random(2) === 0 && { addressDelay: [0, 100, 1000][random(3)] }),
    ...{ order: random(3) === 0 ? ('budget' as const) : ('bfs' as const) },
    ...{ checkpoint: 100 + random(5000), warcSize: random(3) === 0 ? 4000 : 1e9 },
    ...{ duplicates: random(3) === 0 ? ('store' as const) : ('revisit' as const) },
    ...{ frontHosts: 1 + random(8), frontUrls: 4 + random(40), fetches: 1 + random(16) },
    ...{ backlogMemory: 65_536, hostMemory: 2 ** 20, sieveMemory: 2 ** 20 },
    ...{ domainMemory: 2 ** 23, dedupMemory: 65_536, bodyMemory: 2 ** 26 },
    ...{ dnsRecords: random(4) === 0, metadata: random(4) === 0 },
  };
}
