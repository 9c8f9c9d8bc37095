/**
 * One contender in its own process, so that its memory can be measured: adds n URLs, then hands out
 * at most `perRound` of each host in every round until nothing is left, and prints what it took, as
 * JSON. Making the URLs is in its time ("nothing" shows how much that is); every URL handed out is
 * a string of its own, and is counted.
 */
import { readFileSync, rmSync } from 'node:fs';
import { openBacklog } from './drumlin.ts';
import { openLevel } from './leveldb.ts';
import { openLmdb } from './lmdb.ts';
import { openTwoQueues } from './two-queues.ts';
import { UrlStream } from './url-stream.ts';

export interface Task {
  readonly name: string;
  readonly urls: number;
  readonly hosts: number;
  readonly memory: number;
  /** Most URLs of a host in a round. */
  readonly perRound: number;
  /** Rounds end when nothing is left, or after this many. */
  readonly rounds: number;
  readonly folder: string;
}

export interface Phase {
  readonly urls: number;
  readonly cpuSeconds: number;
  readonly read: number;
  readonly written: number;
}

export interface Result {
  readonly name: string;
  readonly added: Phase;
  readonly taken: Phase;
  readonly rounds: number;
  readonly peakRss: number;
}

/** A contender. URLs of a host must be handed out in the order in which they came. */
export interface Contender {
  add(host: string, url: string): void | Promise<void>;
  /** One round over all hosts; calls `out` for each URL that is handed out. */
  round(out: (url: string) => void): Promise<void>;
  close(): Promise<void>;
}

const OPEN: Record<string, (task: Task) => Promise<Contender>> = {
  backlog: openBacklog,
  'two queues': openTwoQueues,
  leveldb: openLevel,
  lmdb: openLmdb,
  nothing: async () => ({ add() {}, async round() {}, async close() {} }),
};

async function measure(task: Task): Promise<Result> {
  const contender = await OPEN[task.name](task);
  const stream = new UrlStream(task.hosts);
  const adding = new Meter();
  for (let i = 0; i < task.urls; i++) {
    const { host, url } = stream.next();
    const waits = contender.add(host, url);
    if (waits) await waits;
  }
  const added = adding.phase(task.urls);
  const taking = new Meter();
  const sink = new Sink();
  let rounds = 0;
  for (
    let before = -1;
    sink.urls > before && sink.urls < task.urls && rounds < task.rounds;
    rounds++
  ) {
    before = sink.urls;
    await contender.round((url) => sink.take(url));
  }
  const taken = taking.phase(sink.urls);
  await contender.close();
  return { name: task.name, added, taken, rounds, peakRss: process.resourceUsage().maxRSS * 1024 };
}

/** Receives URLs, and reads each, like a fetcher. */
class Sink {
  urls = 0;
  sum = 0;

  take(url: string): void {
    this.urls++;
    this.sum = (this.sum + url.charCodeAt(url.length - 6)) | 0;
  }
}

/** Processor time, and bytes of the system's read and write calls, since it was made. */
class Meter {
  readonly #cpu = process.cpuUsage();
  readonly #io = bytesMoved();

  phase(urls: number): Phase {
    const { user, system } = process.cpuUsage(this.#cpu);
    const { read, written } = bytesMoved();
    return {
      urls,
      cpuSeconds: (user + system) / 1e6,
      read: read - this.#io.read,
      written: written - this.#io.written,
    };
  }
}

/** Bytes of all threads of this process, without what is mapped into memory. */
function bytesMoved(): { read: number; written: number } {
  const counters = readFileSync('/proc/self/io', 'utf8');
  const of = (name: string) => Number(new RegExp(`${name}: (\\d+)`).exec(counters)?.[1]);
  return { read: of('rchar'), written: of('wchar') };
}

if (process.argv[2]) {
  const task = JSON.parse(process.argv[2]) as Task;
  try {
    process.stdout.write(`${JSON.stringify(await measure(task))}\n`);
  } finally {
    rmSync(task.folder, { recursive: true, force: true });
  }
}
