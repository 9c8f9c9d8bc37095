/**
 * Which domains link to a domain, by the checkpoint of a crawl.
 *
 * Idea      Links are in sorted files, by target. Notes of where rows begin (`SourceFinder`) are
 *           made once for each file, before the first answer; files that come later are small, or
 *           come seldom.
 */
import type { Clock } from '../../base/clock.ts';
import { formatBytes } from '../../base/units.ts';
import { xxh64 } from '../../base/xxh64.ts';
import { edgesOf } from '../../crawl/state/agent-folder.ts';
import { askedOf } from '../../crawl/state/crawl-folder.ts';
import { repeatedly } from '../../crawl/state/domain-list.ts';
import { agentOf } from '../../crawl/transport/routing.ts';
import { Disk } from '../../disk/disk.ts';
import { readOnly } from '../../disk/file-system.ts';
import { SourceFinder } from '../../reputation/edges/find-sources.ts';
import { partitionOf } from '../../url/fingerprint.ts';
import { Kept } from './kept.ts';

export class DomainLinks {
  readonly #disk: Disk;
  readonly #dir: string;
  readonly #finder: Kept<SourceFinder>;

  constructor(disk: Disk, dir: string, clock: Clock) {
    this.#disk = disk;
    this.#dir = dir;
    const finder = new SourceFinder(new Disk(readOnly()));
    let read = 0;
    this.#finder = new Kept(clock, {
      version: async () =>
        (await this.#edges()).map((edges) => Object.keys(edges?.frozen.files ?? {})).join(' '),
      read: () =>
        repeatedly(async () => {
          read = 0;
          for (const edges of await this.#edges())
            if (edges)
              await finder.prepare(edges, (bytes) => {
                read += bytes;
              });
          return finder;
        }),
      progress: () => `The links are being read: ${formatBytes(read)} so far.`,
    });
  }

  /** The hashes of the domains that link to each of these. */
  async linkingTo(domains: readonly string[]): Promise<Map<string, BigUint64Array>> {
    const finder = await this.#finder.current();
    return repeatedly(async () => {
      const found = new Map<string, BigUint64Array>();
      const all = await this.#edges();
      for (const [agent, edges] of all.entries()) {
        const own = domains.filter((domain) => agentOf(partitionOf(domain), all.length) === agent);
        if (!edges || own.length === 0) continue;
        const sources = await finder.sourcesOf(edges, own.map(xxh64));
        for (const domain of own) found.set(domain, sources.get(xxh64(domain)) ?? NONE);
      }
      return found;
    });
  }

  /** The edges of each agent, as of its checkpoint. */
  async #edges() {
    const { agents } = await askedOf(this.#disk, this.#dir);
    const all: Awaited<ReturnType<typeof edgesOf>>[] = [];
    for (let agent = 0; agent < agents; agent++)
      all.push(await edgesOf(this.#disk, this.#dir, agent));
    return all;
  }
}

const NONE = new BigUint64Array(0);
