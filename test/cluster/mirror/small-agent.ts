/** An agent's folder with the real parts and tiny memory, driven by hand. */
import { join } from 'node:path';
import { systemClock } from '../../../src/base/clock.ts';
import { xxh64 } from '../../../src/base/xxh64.ts';
import { checkpointOf, coveredFiles } from '../../../src/cluster/mirror/covered-files.ts';
import { resolveConfig } from '../../../src/config/settings.ts';
import { Counters } from '../../../src/crawl/record/counters.ts';
import { AgentFolder, type AgentState } from '../../../src/crawl/state/agent-folder.ts';
import { openStore } from '../../../src/crawl/store/open-store.ts';
import type { Store } from '../../../src/crawl/store/store.ts';
import { Disk } from '../../../src/disk/disk.ts';
import { makeExchange } from '../../archive/warc/fixtures.ts';
import { FaultyFileSystem } from '../../disk/faulty-file-system.ts';
import { pack } from '../../sieve/packing.ts';

export const AGENT = 3;

export class SmallAgent {
  readonly dir: string;
  readonly disk: Disk;
  readonly folder: AgentFolder;
  readonly #store: Store;
  /** URLs so far, of all lives: they give each its text. */
  #urls: number;

  private constructor(dir: string, disk: Disk, folder: AgentFolder, store: Store) {
    this.dir = dir;
    this.disk = disk;
    this.folder = folder;
    this.#store = store;
    this.#urls = folder.restored?.state.taken ?? 0;
  }

  static async open(dir: string, epoch: number): Promise<SmallAgent> {
    const disk = new Disk(new FaultyFileSystem({ skipSync: true }));
    // Below what a user may set.
    const memory = { sieveMemory: 2 ** 20, hostMemory: 2 ** 20, backlogMemory: 600 };
    const config = { ...resolveConfig({ dir, order: 'bfs' }), ...memory, warcSize: 3000 };
    const folder = await AgentFolder.open(disk, AGENT, config);
    const store = await openStore({
      disk,
      clock: systemClock,
      config,
      agent: AGENT,
      userAgent: 'test',
      firstSerial: epoch * 100_000,
      earlier: folder.restored?.state.archive,
      recovery: {},
    });
    return new SmallAgent(dir, disk, folder, store);
  }

  /** Offers new URLs to the sieve, hosts and backlog. */
  async discover(count: number): Promise<void> {
    const urls = Array.from(
      { length: count },
      () => `http://h${this.#urls % 7}.test/${this.#urls++}`,
    );
    await this.folder.sieve.offer(pack(urls.map((text) => ({ key: xxh64(text), text }))));
    for (const url of urls) {
      this.folder.hosts.put(xxh64(new URL(url).host) << 32n, Buffer.from(url));
      this.folder.backlog.add(new URL(url).host, { url, depth: 1, redirects: 0 });
    }
    await this.folder.hosts.write();
    await this.folder.backlog.makeRoom();
  }

  async merge(): Promise<void> {
    await this.folder.sieve.flush();
    while (await this.folder.sieve.take());
    await this.folder.hosts.merge();
  }

  async fetch(bytes: number): Promise<void> {
    const body = Buffer.alloc(bytes, 'abcdefghi');
    for (let i = 0; i < bytes; i += 7) body[i] = (i * 31 + this.#urls) % 251;
    await this.#store.store(makeExchange({ url: `http://a.test/${this.#urls++}`, wire: [body] }));
  }

  async checkpoint(): Promise<void> {
    const state: AgentState = {
      savedAt: 0,
      waiting: 0,
      counters: { ...new Counters() },
      frontier: { hostsSeen: 0, domainsSeen: 0, required: 0, allHere: false },
      taken: this.#urls,
      seeds: 0,
      moved: [],
      archive: this.#store.lengths(),
    };
    const image = Buffer.from(`front with ${this.#urls} URLs`);
    await this.folder.save([image], state, () => this.#store.makeDurable());
  }

  /** What the last checkpoint covers, byte for byte, by path; and the lengths of its WARC files. */
  async covered(): Promise<Map<string, string>> {
    return coveredIn(this.disk, this.dir);
  }

  /** The WARC files of the last checkpoint, at their lengths. */
  async archived(): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    for (const { file, length } of (await checkpointOf(this.disk, this.dir, AGENT)).state.archive) {
      const warc = await this.disk
        .open(join(this.dir, 'archive', file), 'read')
        .catch(() => undefined);
      if (!warc) continue;
      const bytes = Buffer.alloc(length);
      await warc.readAll(bytes, 0);
      await warc.close();
      found.set(file, bytes.toString('latin1'));
    }
    return found;
  }

  /** Ends without a last checkpoint, as if killed: what is in memory is lost. */
  async kill(): Promise<void> {
    await this.folder.close();
    await this.#store.close();
  }
}

export async function coveredIn(disk: Disk, dir: string): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const checkpoint = await checkpointOf(disk, dir, AGENT);
  for await (const { path, length, file } of coveredFiles(disk, dir, AGENT, checkpoint)) {
    const bytes = Buffer.alloc(length);
    await file.readAll(bytes, 0);
    found.set(path, bytes.toString('latin1'));
  }
  return found;
}
