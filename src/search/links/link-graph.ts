/**
 * The links of all parts together, at any epoch.
 *
 * Idea      Parts list URLs in the order of their keys, so one merge gives every URL a number. A
 *           link is there from the first epoch in which it was seen until the links of its page are
 *           read in a later epoch without it: a page that was not captured again keeps its links.
 * Requires  Parts in a fixed order; crawls in the order of time.
 * Ensures   The same links however captures are divided into parts and folders.
 * Cost      About 30 bytes of memory a URL and part, and 12 more. Lists are read when they are
 *           asked for; some are kept.
 */
import { DrumlinError, EXIT } from '../../base/errors.ts';
import type { Disk } from '../../disk/disk.ts';
import { type CrawlSpan, type Epoch, partFolder, requireManifest } from '../store/index-folder.ts';
import { placeOf } from '../store/keys.ts';
import { type Direction, LinkPart, type LinkRun, NO_LINKS } from './link-part.ts';

/** Links whose lists are kept. */
const KEPT_LINKS = 4_000_000;

interface NumberedPart {
  readonly part: LinkPart;
  /** The number of each of its URLs among all, and back (-1: not in this part). */
  readonly numbers: Uint32Array;
  readonly places: Int32Array;
  /** The number of each of its crawls among all; undefined if epochs are months or days. */
  readonly crawls: Uint32Array | undefined;
}

export class LinkGraph {
  readonly #parts: readonly NumberedPart[];
  /** The keys of all URLs, in order. */
  readonly keys: BigUint64Array;
  readonly #epochStarts: Uint32Array;
  readonly #epochs: Uint32Array;
  readonly #kept: Record<Direction, Map<number, LinkRun>> = { out: new Map(), in: new Map() };
  #keptLinks = 0;

  private constructor(parts: readonly LinkPart[], crawls: readonly (Uint32Array | undefined)[]) {
    const { keys, numbers } = numbered(parts);
    this.keys = keys;
    this.#parts = parts.map((part, i) => {
      const places = new Int32Array(keys.length).fill(-1);
      for (let local = 0; local < numbers[i].length; local++) places[numbers[i][local]] = local;
      return { part, places, numbers: numbers[i], crawls: crawls[i] };
    });
    this.#epochStarts = new Uint32Array(keys.length + 1);
    this.#epochs = this.#joinEpochs();
  }

  /** `crawls`: all crawls of the indexes, in the order of time. */
  static async open(
    disk: Disk,
    folders: readonly string[],
    crawls: readonly CrawlSpan[],
  ): Promise<LinkGraph> {
    const names = new Map(crawls.map(({ name }, i) => [name, i]));
    const parts: LinkPart[] = [];
    const orders: (Uint32Array | undefined)[] = [];
    let unit: Epoch | undefined;
    try {
      for (const folder of folders) {
        const { parts: infos, settings } = await requireManifest(disk, folder);
        unit ??= settings.epoch;
        if (settings.epoch !== unit) throw otherEpochs(folders[0], unit, folder, settings.epoch);
        for (const [i, { links, lengths }] of infos.entries()) {
          if (links === undefined) throw noLinks(folder);
          parts.push(await LinkPart.open(disk, partFolder(folder, i), links.nodes, lengths));
          orders.push(settings.epoch === 'crawl' ? crawlNumbers(links.crawls, names) : undefined);
        }
      }
      return new LinkGraph(parts, orders);
    } catch (error) {
      for (const part of parts) await part.close();
      throw error;
    }
  }

  /** The number of a URL by its key; -1 if no page has it as its address or as a link. */
  nodeOf(key: bigint): number {
    return placeOf(this.keys, key);
  }

  /** All links of a URL, each with the first and last epoch in which it was seen. */
  async links(node: number, direction: Direction): Promise<LinkRun> {
    const kept = this.#kept[direction].get(node);
    if (kept) return kept;
    const runs: LinkRun[] = [];
    for (const { part, places, numbers, crawls } of this.#parts) {
      const local = places[node];
      if (local < 0) continue;
      const run = await part.read(local, direction);
      if (run.others.length === 0) continue;
      runs.push({
        others: run.others.map((other) => numbers[other]),
        firsts: crawls ? run.firsts.map((epoch) => crawls[epoch]) : run.firsts,
        lasts: crawls ? run.lasts.map((epoch) => crawls[epoch]) : run.lasts,
      });
    }
    const joined = runs.length < 2 && this.#parts.length < 2 ? (runs[0] ?? NO_LINKS) : join(runs);
    this.#keep(node, direction, joined);
    return joined;
  }

  /** The other ends of the links of a URL that are there at the end of an epoch. */
  async linksAt(node: number, direction: Direction, epoch: number): Promise<number[]> {
    const { others, firsts, lasts } = await this.links(node, direction);
    const there: number[] = [];
    for (let i = 0; i < others.length; i++) {
      const page = direction === 'out' ? node : others[i];
      if (firsts[i] <= epoch && !this.#isReadBetween(page, lasts[i], epoch)) there.push(others[i]);
    }
    return there;
  }

  /** How many of the links of a URL are there at the end of an epoch. */
  async degreeAt(node: number, direction: Direction, epoch: number): Promise<number> {
    return (await this.linksAt(node, direction, epoch)).length;
  }

  async close(): Promise<void> {
    for (const { part } of this.#parts) await part.close();
  }

  /** Whether the links of a page were read after one epoch, up to another. */
  #isReadBetween(page: number, after: number, upTo: number): boolean {
    for (let i = this.#epochStarts[page]; i < this.#epochStarts[page + 1]; i++)
      if (this.#epochs[i] > after && this.#epochs[i] <= upTo) return true;
    return false;
  }

  #joinEpochs(): Uint32Array {
    const all: number[] = [];
    for (let node = 0; node < this.keys.length; node++) {
      const found: number[] = [];
      for (const { part, places, crawls } of this.#parts) {
        const local = places[node];
        if (local < 0) continue;
        for (let i = part.epochStarts[local]; i < part.epochStarts[local + 1]; i++)
          found.push(crawls ? crawls[part.epochs[i]] : part.epochs[i]);
      }
      all.push(...new Set(found));
      this.#epochStarts[node + 1] = all.length;
    }
    return Uint32Array.from(all);
  }

  #keep(node: number, direction: Direction, run: LinkRun): void {
    this.#keptLinks += run.others.length + 8;
    if (this.#keptLinks > KEPT_LINKS) {
      this.#kept.out.clear();
      this.#kept.in.clear();
      this.#keptLinks = run.others.length;
    }
    this.#kept[direction].set(node, run);
  }
}

function crawlNumbers(crawls: readonly string[], names: ReadonlyMap<string, number>): Uint32Array {
  return Uint32Array.from(crawls, (name) => names.get(name) ?? 0);
}

/** The union of the keys of parts, and the number of each URL of each part in it. */
function numbered(parts: readonly LinkPart[]): { keys: BigUint64Array; numbers: Uint32Array[] } {
  const numbers = parts.map(({ keys }) => new Uint32Array(keys.length));
  const at = parts.map(() => 0);
  const union = new BigUint64Array(parts.reduce((sum, { keys }) => sum + keys.length, 0));
  let count = 0;
  for (;;) {
    let least: bigint | undefined;
    for (const [i, { keys }] of parts.entries()) {
      const key = keys[at[i]];
      if (at[i] < keys.length && (least === undefined || key < least)) least = key;
    }
    if (least === undefined) return { keys: union.slice(0, count), numbers };
    for (const [i, { keys }] of parts.entries())
      if (at[i] < keys.length && keys[at[i]] === least) numbers[i][at[i]++] = count;
    union[count++] = least;
  }
}

/** The links of several parts as one list. */
function join(runs: readonly LinkRun[]): LinkRun {
  const spans = new Map<number, [first: number, last: number]>();
  for (const { others, firsts, lasts } of runs) {
    for (let i = 0; i < others.length; i++) {
      const [first, last] = [Math.min(firsts[i], lasts[i]), Math.max(firsts[i], lasts[i])];
      const known = spans.get(others[i]);
      if (known === undefined) spans.set(others[i], [first, last]);
      else {
        known[0] = Math.min(known[0], first);
        known[1] = Math.max(known[1], last);
      }
    }
  }
  const sorted = [...spans].sort(([a], [b]) => a - b);
  return {
    others: Uint32Array.from(sorted, ([other]) => other),
    firsts: Uint32Array.from(sorted, ([, [first]]) => first),
    lasts: Uint32Array.from(sorted, ([, [, last]]) => last),
  };
}

function noLinks(folder: string): DrumlinError {
  return new DrumlinError(
    'NO_LINKS',
    `${folder} has no links, so it does not know what changed.`,
    'Index the archives again into another folder, without --no-links.',
    { exitCode: EXIT.folder },
  );
}

function otherEpochs(one: string, epoch: Epoch, two: string, other: Epoch): DrumlinError {
  return new DrumlinError(
    'INDEX_SETTINGS',
    `${one} has epochs of a ${epoch}, ${two} of a ${other}.`,
    'Index the archives again with the same --epoch, or search one of them.',
    { exitCode: EXIT.folder },
  );
}
