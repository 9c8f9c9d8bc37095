/**
 * What a crawl changes in the counts of domains, merged into `domains` at the end.
 *
 * Idea      Changes are added up in memory for some thousand domains, then written to be sorted.
 * Cost      Memory for `MOST` domains, whatever their number.
 */
import type { LineSorter } from '../../disk/line-sort.ts';
import type { RecordPass } from '../book/record-pass.ts';
import { type DomainValue, domainIn, domainText, NO_DOMAIN } from '../book/values.ts';

const MOST = 4_000;
const FIELDS = [
  'documents',
  'useful',
  'parents',
  'references',
  'requests',
  'gained',
  'tried',
] as const;
type Field = (typeof FIELDS)[number];
/** How much an earlier visit counts beside the latest one. */
const MEMORY = 0.5;

type Counts = Record<Field, number>;

export class DomainChanges {
  readonly #sorter: LineSorter;
  readonly #held = new Map<string, Counts>();

  constructor(sorter: LineSorter) {
    this.#sorter = sorter;
  }

  async add(domain: string, changes: Partial<DomainValue>): Promise<void> {
    let counts = this.#held.get(domain);
    if (!counts) {
      if (this.#held.size >= MOST) await this.#spill();
      counts = { ...NO_DOMAIN };
      this.#held.set(domain, counts);
    }
    addTo(counts, changes);
  }

  /** Writes the counts of all domains. */
  async mergeInto(domains: RecordPass): Promise<void> {
    await this.#spill();
    let name = '';
    let counts: Counts = { ...NO_DOMAIN };
    for await (const lines of this.#sorter.sorted()) {
      for (const line of lines) {
        const tab = line.indexOf('\t');
        const domain = line.slice(0, tab);
        if (domain !== name && name !== '') {
          await change(domains, name, counts);
          counts = { ...NO_DOMAIN };
        }
        name = domain;
        addTo(counts, domainIn(line.slice(tab + 1)));
      }
    }
    if (name !== '') await change(domains, name, counts);
  }

  async #spill(): Promise<void> {
    for (const [domain, counts] of this.#held)
      await this.#sorter.add(`${domain}\t${domainText(counts)}`);
    this.#held.clear();
  }
}

function addTo(counts: Counts, changes: Partial<DomainValue>): void {
  for (const field of FIELDS) {
    const amount = changes[field];
    if (amount === undefined) continue;
    if (field === 'tried') counts.tried = Math.max(counts.tried, amount);
    else counts[field] += amount;
  }
}

async function change(domains: RecordPass, name: string, counts: Counts): Promise<void> {
  const old = (await domains.seek(name)) ? domainIn(domains.value) : NO_DOMAIN;
  const next: Counts = { ...old };
  if (counts.requests > 0) {
    next.requests *= MEMORY;
    next.gained *= MEMORY;
  }
  addTo(next, counts);
  await domains.put(domainText(next));
}
