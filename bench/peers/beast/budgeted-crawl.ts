/**
 * A crawl under budgets without a web: domains with a budget and a supply of pages each, links
 * drawn by a seeded generator, and a real Beast on real files between the pages that are discovered
 * and those that are fetched.
 *
 * One domain in a hundred has a budget between 10 and 210, the others 10: 11 on average, as in the
 * IRLbot paper. Two thirds have endless pages; the others a supply by Pareto's law. A page has six
 * or seven new URLs, three quarters of them of its own domain as long as it has any, the others of
 * domains by Zipf's law.
 *
 * With at most one queue a Beast is the naive version: discovered URLs are put off until later, and
 * each round begins with a rescan of all queued URLs. So both versions are measured with the same
 * code, and differ in nothing else.
 */

import { VarintReader } from '../../../src/base/varint.ts';
import { Disk } from '../../../src/disk/disk.ts';
import { Beast } from '../../../src/frontier/beast/beast.ts';
import type { Entries } from '../../../src/frontier/queue/path-queue.ts';

/** b: bytes of an entry with its length. */
export const URL_BYTES = 110;
/** L: new links per page. */
export const UNIQUE_LINKS = 6.5;

export interface CrawlOptions {
  readonly folder: string;
  readonly domains: number;
  readonly memory: number;
  readonly mostQueues?: number;
  /** Pages between two checkpoints; 0 for none. */
  readonly checkpoint: number;
}

/** A rescan and the rounds up to the next one. */
export interface Stage {
  /** N: pages fetched at its end. */
  readonly pages: number;
  readonly queues: number;
  /** V: the domains seen in the rescan. */
  readonly domains: number;
  /** E[B]: the mean budget of these domains. */
  readonly budget: number;
  /** Pages fetched in this stage alone. */
  readonly fetched: number;
  /** Bytes read and written in this stage. */
  readonly moved: number;
  /** Bytes read and written since the beginning. */
  readonly movedInAll: number;
  readonly waiting: number;
  /** The crawl did not end in the middle of it. */
  readonly isWhole: boolean;
}

export class BudgetedCrawl {
  readonly #beast: Beast;
  readonly #disk: Disk;
  readonly #checkpoint: number;
  readonly #budgets: Uint32Array;
  readonly #supply: Float64Array;
  readonly #nextRound: Float64Array;
  readonly #used: Uint32Array;
  /** Pages fetched in the present round, by domain. */
  readonly #fetched: Uint32Array;
  readonly #met: Uint8Array;
  readonly #entry = Buffer.alloc(URL_BYTES - 1, 'x');
  #random: number;
  pages = 0;
  #found = 0;
  /** Pages fetched at the last checkpoint. */
  #saved = 0;

  private constructor(beast: Beast, disk: Disk, { domains, checkpoint }: CrawlOptions, seed = 1) {
    this.#beast = beast;
    this.#disk = disk;
    this.#checkpoint = checkpoint;
    this.#random = seed;
    const rich = Math.ceil(domains / 100);
    this.#budgets = Uint32Array.from(
      { length: domains },
      (_, i) => 10 + (i < rich ? (200 * (rich - i)) / rich : 0),
    );
    this.#supply = Float64Array.from({ length: domains }, (_, i) =>
      i % 3 === 1 ? 100 / this.#draw() : Infinity,
    );
    this.#nextRound = new Float64Array(domains);
    this.#used = new Uint32Array(domains);
    this.#fetched = new Uint32Array(domains);
    this.#met = new Uint8Array(domains);
    for (let domain = 0; domain < domains; domain++) this.#put(domain);
  }

  static async begin(options: CrawlOptions): Promise<BudgetedCrawl> {
    const disk = new Disk();
    const { folder, memory, mostQueues } = options;
    const beast = await Beast.open({ disk, folder, memory, ...(mostQueues && { mostQueues }) });
    return new BudgetedCrawl(beast, disk, options);
  }

  /**
   * Crawls to the end of the present stage, or until `most` pages are fetched: then the stage is
   * not whole.
   */
  async stage(most: number): Promise<Stage> {
    const [pages, moved] = [this.pages, this.#moved];
    this.#met.fill(0);
    for (let some = await this.#beast.takeLater(); some; some = await this.#beast.takeLater()) {
      await this.#placeAnew(some);
    }
    const { queues } = this.#beast;
    let said = await this.#beast.advance();
    for (; said === 'round'; said = await this.#beast.advance()) {
      await this.#round();
      if (this.pages >= most) break;
    }
    if (this.#beast.entries !== this.#found - this.pages) throw new Error('URLs were lost');
    return {
      pages: this.pages,
      queues,
      ...this.#domainsMet(),
      fetched: this.pages - pages,
      moved: this.#moved - moved,
      movedInAll: this.#moved,
      waiting: this.#beast.entries,
      isWhole: said !== 'round',
    };
  }

  close(): Promise<void> {
    return this.#beast.close();
  }

  get #moved(): number {
    return this.#disk.traffic.read + this.#disk.traffic.written;
  }

  async #round(): Promise<void> {
    this.#fetched.fill(0);
    for (let some = await this.#beast.take(); some; some = await this.#beast.take()) {
      const entries = new VarintReader(some.bytes);
      for (let i = 0; i < some.count; i++) this.#fetch(domainOf(entries));
      await this.#beast.makeRoom();
      await this.#saveIfDue();
    }
  }

  async #saveIfDue(): Promise<void> {
    if (this.#checkpoint === 0 || this.pages < this.#saved + this.#checkpoint) return;
    this.#saved = this.pages;
    await this.#beast.discardOlder(await this.#beast.freeze());
  }

  #fetch(domain: number): void {
    if (++this.#fetched[domain] > this.#budgets[domain])
      throw new Error('a domain got more than its budget');
    const links = this.pages++ % 2 ? Math.floor(UNIQUE_LINKS) : Math.ceil(UNIQUE_LINKS);
    for (let i = 0; i < links; i++) this.#find(this.#draw() < 0.75 ? domain : this.#someDomain());
  }

  async #placeAnew(some: Entries): Promise<void> {
    const entries = new VarintReader(some.bytes);
    for (let i = 0; i < some.count; i++) {
      const domain = domainOf(entries);
      this.#met[domain] = 1;
      this.#place(domain);
    }
    await this.#beast.makeRoom();
  }

  /** Discovers a new URL of a domain, or of another if this one has no more. */
  #find(wanted: number): void {
    let domain = wanted;
    while (this.#supply[domain] < 1) domain = this.#someDomain();
    this.#put(domain);
  }

  #put(domain: number): void {
    this.#supply[domain]--;
    this.#found++;
    this.#place(domain);
  }

  /** Puts a URL into the next round for which the domain has budget. */
  #place(domain: number): void {
    const beast = this.#beast;
    let [round, used] = [this.#nextRound[domain], this.#used[domain]];
    if (round <= beast.round) [round, used] = [beast.round + 1, 0];
    if (used >= this.#budgets[domain]) [round, used] = [round + 1, 0];
    this.#entry.writeUInt32LE(domain, 0);
    if (round > beast.last) {
      beast.put('later', this.#entry);
      return;
    }
    beast.put(round, this.#entry);
    this.#nextRound[domain] = round;
    this.#used[domain] = used + 1;
  }

  #domainsMet(): { domains: number; budget: number } {
    let domains = 0;
    let budgets = 0;
    for (const [domain, isMet] of this.#met.entries()) {
      domains += isMet;
      budgets += isMet * this.#budgets[domain];
    }
    return { domains, budget: domains && budgets / domains };
  }

  #someDomain(): number {
    return Math.floor((this.#budgets.length + 1) ** this.#draw()) - 1;
  }

  /** Mulberry32. */
  #draw(): number {
    this.#random = (this.#random + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#random ^ (this.#random >>> 15), 1 | this.#random);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }
}

function domainOf(entries: VarintReader): number {
  const size = entries.next();
  const { bytes, at } = entries;
  entries.skip(size);
  return bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24);
}
