/**
 * A cluster of up to a thousand agents in virtual time: messages, bytes, writes to the book and
 * requests to the store a second, as functions of the number of agents. Where does the design stop
 * to scale?
 *
 *   npm run bench -- cluster-scale [agents…]
 *
 * The transports, their frames, the leases and the entries of the book are the real ones; wire,
 * book and clock are virtual. Pages are not fetched: an agent discovers URLS_A_PAGE URLs of
 * URL_BYTES bytes for each of its PAGES a second, each of a random agent, and hands them on once a
 * second, as agents do. The requests to the store are counted as in docs/cluster-storage.md.
 */

import { randomFrom } from '../soak/kill.ts';
import {
  type AgentEntry,
  AgentLease,
  agentKey,
  newAgent,
} from '../src/cluster/lease/agent-lease.ts';
import type { Book, Entry } from '../src/cluster/lease/book.ts';
import { leaseTimes } from '../src/cluster/lease/lease-times.ts';
import { ClusterTransport } from '../src/cluster/parcels/cluster-transport.ts';
import { VirtualClock } from '../src/simulator/clock.ts';

const AGENTS_A_WORKER = 4;
const PAGES = 50;
const URLS_A_PAGE = 10;
const URL_BYTES = 100;
const COMMIT_EVERY = 60_000;
/** Virtual seconds before the count, and of it. */
const [BEFORE, COUNTED] = [1, 2];
const WIRE = 1;
/** Pack, manifest, two deletions, one look. */
const REQUESTS_A_COMMIT = 5;
/** A sequence as it looks after a day: the lists of the book are as long as in a real crawl. */
const SEQUENCE = 2 ** 32 + 1e5;

/** What is counted, a second of virtual time. */
interface Counts {
  /** Messages between agents of different workers, and their bytes. */
  parcels: number;
  receipts: number;
  bytes: number;
  /** Writes to the book, their bytes, and what its watchers get. */
  writes: number;
  written: number;
  watched: number;
  commits: number;
}

const ZERO: Counts = {
  ...{ parcels: 0, receipts: 0, bytes: 0, writes: 0, written: 0, watched: 0, commits: 0 },
};

/** A book in memory that counts. Every worker watches it. */
class CountingBook implements Pick<Book, 'get' | 'update'> {
  readonly #entries = new Map<string, Entry<unknown>>();
  readonly #counts: Counts;
  readonly #watchers: number;

  constructor(counts: Counts, watchers: number) {
    this.#counts = counts;
    this.#watchers = watchers;
  }

  set(key: string, value: unknown): void {
    this.#entries.set(key, { value, revision: 1 });
  }

  async get<Value>(key: string): Promise<Entry<Value> | undefined> {
    return this.#entries.get(key) as Entry<Value> | undefined;
  }

  async update(key: string, value: unknown, revision: number): Promise<number | undefined> {
    if (this.#entries.get(key)?.revision !== revision) return undefined;
    const { length } = JSON.stringify(value);
    this.#counts.writes++;
    this.#counts.written += length;
    this.#counts.watched += this.#watchers * length;
    this.#entries.set(key, { value, revision: revision + 1 });
    return revision + 1;
  }
}

export async function run(args: string[]): Promise<void> {
  const sizes = args.length > 0 ? args.map(Number) : [32, 100, 320, 1000];
  const rows: Record<string, Record<string, number | string>> = {};
  for (const agents of sizes) {
    const counts = await simulate(agents);
    const workers = Math.ceil(agents / AGENTS_A_WORKER);
    const each = (count: number) => Math.round(count / COUNTED);
    const megabytes = (bytes: number) => (bytes / COUNTED / 1e6).toFixed(1);
    rows[`${agents} agents`] = {
      workers,
      'pages/s': agents * PAGES,
      'parcels/s': each(counts.parcels),
      'receipts/s': each(counts.receipts),
      'MB/s': megabytes(counts.bytes),
      'book writes/s': each(counts.writes),
      'book MB/s': megabytes(counts.written),
      'watched MB/s': megabytes(counts.watched),
      'store requests/s': each(counts.commits * REQUESTS_A_COMMIT),
      'wave MB': (waveBytes(agents) / 1e6).toFixed(1),
    };
    console.table({ [`${agents} agents`]: rows[`${agents} agents`] });
  }
  console.table(rows);
}

/** The reports of all agents to the leader: two lists of sequences each. */
const waveBytes = (agents: number): number => agents * (150 + 2 * agents * `${SEQUENCE},`.length);

async function simulate(agents: number): Promise<Counts> {
  const clock = new VirtualClock();
  const counts = { ...ZERO };
  const workers = Math.ceil(agents / AGENTS_A_WORKER);
  const book = new CountingBook(counts, workers);
  const random = randomFrom(agents);
  let onWire: (() => void)[] = [];
  const post = (from: number) => (to: number, frame: Uint8Array) => {
    if (from % workers !== to % workers) {
      if (frame[0] === 1) counts.parcels++;
      else counts.receipts++;
      counts.bytes += frame.length;
    }
    if (onWire.length === 0)
      clock.after(WIRE, () => {
        const arriving = onWire;
        onWire = [];
        for (const deliver of arriving) deliver();
      });
    onWire.push(() => transports[to].deliver(from, frame));
  };
  const transports = Array.from(
    { length: agents },
    (_, agent) => new ClusterTransport({ agent, agents, incarnation: 1, clock, post: post(agent) }),
  );
  for (const transport of transports) void transport.receive(async () => {});
  const around = { clock, book: book as unknown as Book, random, counts };
  for (const transport of transports) await runAgent(transport, transports, around);
  await passTime(clock, BEFORE * 1000);
  Object.assign(counts, ZERO);
  await passTime(clock, COUNTED * 1000);
  for (const transport of transports) transport.close();
  return counts;
}

interface Around {
  readonly clock: VirtualClock;
  readonly book: Book;
  readonly random: () => number;
  readonly counts: Counts;
}

/** An agent that sends, renews its lease and commits; each at a moment of its own. */
async function runAgent(
  transport: ClusterTransport,
  all: readonly ClusterTransport[],
  { clock, book, random, counts }: Around,
): Promise<void> {
  const { agent, agents } = transport;
  const received = new Array<number>(agents).fill(SEQUENCE);
  const first: AgentEntry = { ...newAgent(agents), received };
  (book as unknown as CountingBook).set(agentKey(agent), first);
  const lease = await AgentLease.acquire(
    { book, clock, agent, worker: `worker-${agent % Math.ceil(agents / AGENTS_A_WORKER)}` },
    { value: first, revision: 1 },
  );
  const every = (period: number, work: () => void) => {
    const again = () => {
      work();
      clock.after(period, again);
    };
    clock.after(random() * period, again);
  };
  every(transport.parcelAge, () => sendOnce(transport, random));
  every(leaseTimes(1).renew, () => void lease?.renew());
  every(COMMIT_EVERY, () => {
    const { received: committed } = transport;
    counts.commits++;
    void lease
      ?.commit({
        checkpoint: `agents/${agent}/1/9-01234567.json`,
        received: committed.map((sequence) => Math.max(sequence, SEQUENCE)),
        pages: 1e6,
        bytes: 1e9,
      })
      .then(() => {
        for (const other of all)
          if (other !== transport) other.peer(agent, 1, committed[other.agent]);
      });
  });
}

const URLS = new Uint8Array(URL_BYTES * 1000);

/** What was discovered in the last second, a parcel for each agent that owns some of it. */
function sendOnce(transport: ClusterTransport, random: () => number): void {
  const { agent, agents } = transport;
  const found = new Map<number, number>();
  for (let url = 0; url < PAGES * URLS_A_PAGE; url++) {
    const to = Math.floor(random() * agents);
    if (to !== agent) found.set(to, (found.get(to) ?? 0) + URL_BYTES);
  }
  for (const [to, bytes] of found) transport.send(to, 0, URLS.subarray(0, bytes));
}

/** Runs all that is due, and lets promises settle after each moment. */
async function passTime(clock: VirtualClock, time: number): Promise<void> {
  const until = clock.now() + time;
  while (clock.nextAt <= until) {
    const moment = clock.nextAt;
    while (clock.nextAt <= moment) clock.moveTo(moment);
    await new Promise<void>((settled) => setImmediate(settled));
  }
}
