/**
 * One contender in its own process, so that its memory can be measured: checks n URLs and prints
 * what it took, as JSON. Every contender gets the fingerprints of the same URLs, hashed by the same
 * kernel; the stream and the hashing are in its time.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { flatOut } from '../../../src/base/pacer.ts';
import { Disk } from '../../../src/disk/disk.ts';
import { Kernel, SLACK } from '../../../src/drum/kernel.ts';
import { entryBytes } from '../../../src/drum/keyed-batch.ts';
import { DrumSieve, MercatorSieve } from '../../../src/sieve/disk-sieve.ts';
import { URL_BYTES, UrlStream } from './url-stream.ts';

export interface Task {
  readonly name: string;
  readonly urls: number;
  readonly memory: number;
  readonly disk: number;
  readonly folder: string;
}

export interface Result {
  readonly name: string;
  readonly urls: number;
  readonly distinct: number;
  readonly novel: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly peakRss: number;
  /** Resident memory at each tenth of the stream. */
  readonly rss: readonly number[];
  /** Bytes read by the sieve; absent for peers. */
  readonly read?: number;
  readonly written?: number;
  /** URLs that passed its cache; absent for peers. */
  readonly passed?: number;
}

interface Batch {
  readonly length: number;
  readonly keys: BigUint64Array;
  readonly ends: Uint32Array;
  readonly bytes: Uint8Array;
}

interface Contender {
  /** Checks a batch. Returns how many are new, as far as is known. */
  check(batch: Batch): Promise<number>;
  /**
   * Decides what is left, makes it durable if the contender does so, and returns how many more are
   * new.
   */
  finish(): Promise<number>;
  traffic?(): { read: number; written: number; passed: number };
}

const BATCH = 8192;

const OPEN: Record<string, (task: Task) => Promise<Contender>> = {
  drum: (task) => openSieve(DrumSieve, task),
  'drum-no-cache': (task) => openSieve(DrumSieve, task, 0),
  mercator: (task) => openSieve(MercatorSieve, task),
  lmdb: (task) => openLmdb(task, fingerprintsOf),
  'lmdb-urls': (task) => openLmdb(task, urlsOf),
  leveldb: openLevel,
  sqlite: openSqlite,
  set: openSet,
  nothing: async () => ({ check: async () => 0, finish: async () => 0 }),
};

async function openSieve(
  form: typeof DrumSieve | typeof MercatorSieve,
  task: Task,
  cache?: number,
): Promise<Contender> {
  const disk = new Disk();
  const { folder, memory } = task;
  const sieve = await form.open({
    folder,
    memory,
    diskLimit: task.disk,
    pacer: flatOut,
    disk,
    ...(cache !== undefined && { cache }),
  });
  let passed = 0;
  let before = 0;
  const drain = async () => {
    let novel = 0;
    for (let batch = await sieve.take(); batch; batch = await sieve.take()) novel += batch.length;
    return novel;
  };
  return {
    async check(batch) {
      before = sieve.pending;
      await sieve.offer(batch);
      passed += Math.max(0, sieve.pending - before);
      return drain();
    },
    async finish() {
      await sieve.flush();
      const novel = await drain();
      await sieve.checkpoint();
      await sieve.close();
      return novel;
    },
    traffic: () => ({ ...disk.traffic, passed }),
  };
}

/** A module of this folder's own packages, which the project does not have. */
async function load<T>(name: string): Promise<T> {
  return (await import(name)) as T;
}

/** The key of a URL in a store, by its place in the batch. */
type Keys = (batch: Batch) => (i: number) => Uint8Array;

const fingerprintsOf: Keys = ({ keys, length }) => {
  const bytes = Buffer.from(keys.buffer, keys.byteOffset, length * 8);
  return (i) => bytes.subarray(i * 8, i * 8 + 8);
};

/** The whole URL as the key: the simple solution without fingerprints. */
const urlsOf: Keys = (batch) => (i) => entryBytes(batch, i);

async function openLmdb({ folder }: Task, keysOf: Keys): Promise<Contender> {
  interface Database {
    transactionSync(work: () => void): void;
    doesExist(key: Uint8Array): boolean;
    putSync(key: Uint8Array, value: Uint8Array): boolean;
    close(): Promise<void>;
  }
  const { open } = await load<{ open(options: object): Database }>('lmdb');
  const db = open({
    path: folder,
    keyEncoding: 'binary',
    encoding: 'binary',
    noSync: true,
    mapSize: 2 ** 36,
  });
  const empty = new Uint8Array(0);
  return {
    async check(batch) {
      const keyAt = keysOf(batch);
      let novel = 0;
      db.transactionSync(() => {
        for (let i = 0; i < batch.length; i++) {
          const key = keyAt(i);
          if (db.doesExist(key)) continue;
          db.putSync(key, empty);
          novel++;
        }
      });
      return novel;
    },
    async finish() {
      await db.close();
      return 0;
    },
  };
}

async function openLevel({ folder, memory }: Task): Promise<Contender> {
  interface Database {
    open(): Promise<void>;
    getMany(keys: Uint8Array[]): Promise<(Uint8Array | undefined)[]>;
    batch(operations: { type: 'put'; key: Uint8Array; value: Uint8Array }[]): Promise<void>;
    close(): Promise<void>;
  }
  const { ClassicLevel } = await load<{
    ClassicLevel: new (folder: string, options: object) => Database;
  }>('classic-level');
  const db = new ClassicLevel(folder, {
    keyEncoding: 'view',
    valueEncoding: 'view',
    cacheSize: memory / 2,
    writeBufferSize: memory / 4,
  });
  await db.open();
  const empty = new Uint8Array(0);
  return {
    async check(batch) {
      const distinct = new Set<bigint>();
      const keys: Uint8Array[] = [];
      for (let i = 0; i < batch.length; i++) {
        if (distinct.has(batch.keys[i])) continue;
        distinct.add(batch.keys[i]);
        keys.push(new Uint8Array(batch.keys.slice(i, i + 1).buffer));
      }
      const found = await db.getMany(keys);
      const novel = keys.filter((_, i) => found[i] === undefined);
      await db.batch(novel.map((key) => ({ type: 'put', key, value: empty })));
      return novel.length;
    },
    async finish() {
      await db.close();
      return 0;
    },
  };
}

async function openSqlite({ folder, memory }: Task): Promise<Contender> {
  interface Statement {
    run(key: bigint): { changes: number };
  }
  interface Database {
    pragma(text: string): void;
    exec(text: string): void;
    prepare(text: string): Statement;
    transaction(work: () => void): () => void;
    close(): void;
  }
  const module = await load<{ default: new (path: string) => Database }>('better-sqlite3');
  const db = new module.default(join(folder, 'seen.db'));
  for (const text of [
    'journal_mode=WAL',
    'synchronous=OFF',
    `cache_size=-${Math.floor(memory / 1024)}`,
  ]) {
    db.pragma(text);
  }
  db.exec('CREATE TABLE seen (key INTEGER PRIMARY KEY) WITHOUT ROWID');
  const insert = db.prepare('INSERT OR IGNORE INTO seen VALUES (?)');
  return {
    async check(batch) {
      const keys = new BigInt64Array(batch.keys.buffer, batch.keys.byteOffset, batch.length);
      let novel = 0;
      db.transaction(() => {
        for (let i = 0; i < batch.length; i++) novel += insert.run(keys[i]).changes;
      })();
      return novel;
    },
    async finish() {
      db.close();
      return 0;
    },
  };
}

async function openSet(): Promise<Contender> {
  const seen = new Set<bigint>();
  return {
    async check(batch) {
      const before = seen.size;
      for (let i = 0; i < batch.length; i++) seen.add(batch.keys[i]);
      return seen.size - before;
    },
    finish: async () => 0,
  };
}

async function measure(task: Task): Promise<Result> {
  const kernel = new Kernel(BATCH * (URL_BYTES + 12) + 1024);
  const bytesAt = kernel.allocate(BATCH * URL_BYTES + SLACK);
  const endsAt = kernel.allocate(BATCH * 4);
  const keysAt = kernel.allocate(BATCH * 8);
  const bytes = kernel.view(bytesAt, BATCH * URL_BYTES);
  const [ends, keys] = [kernel.u32(endsAt, BATCH), kernel.u64(keysAt, BATCH)];
  const stream = new UrlStream();
  stream.prepare(bytes, ends);
  const contender = await OPEN[task.name](task);
  const rss: number[] = [];
  let novel = 0;
  const cpu = process.cpuUsage();
  const start = performance.now();
  for (let done = 0; done < task.urls; ) {
    const length = Math.min(BATCH, task.urls - done);
    stream.fill(bytes, length);
    kernel.run.hashAll(bytesAt, endsAt, length, keysAt, 0);
    novel += await contender.check({ length, keys, ends, bytes });
    done += length;
    while (rss.length < Math.floor((10 * done) / task.urls)) rss.push(process.memoryUsage.rss());
  }
  novel += await contender.finish();
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return {
    name: task.name,
    urls: task.urls,
    distinct: stream.distinct,
    novel,
    seconds,
    cpuSeconds: (user + system) / 1e6,
    peakRss: process.resourceUsage().maxRSS * 1024,
    rss,
    ...contender.traffic?.(),
  };
}

if (process.argv[2]) {
  const task = JSON.parse(process.argv[2]) as Task;
  try {
    process.stdout.write(`${JSON.stringify(await measure(task))}\n`);
  } finally {
    rmSync(task.folder, { recursive: true, force: true });
  }
}
