/**
 * The last steps of learning: which pages link to documents.
 *
 * Lines are `key d digest useful` (the page links to a document), `key p time` (it was fetched) and
 * `key t time` (it was a seed).
 */
import type { LineSorter } from '../../disk/line-sort.ts';
import { domainIn, keyOf, LONGEST_URL } from '../book/keys.ts';
import { RecordPass } from '../book/record-pass.ts';
import { addressIn, parentIn, parentText } from '../book/values.ts';
import { inSeconds, type Learning } from './learning.ts';

/** A parent that was a seed as often in a row and gave no page is left out. */
const MOST_MISSED = 3;

export async function mergeParents(
  learning: Learning,
  mayLead: (url: string) => boolean,
): Promise<void> {
  const lines = await findLinks(learning, mayLead);
  const parents = await learning.folder.rewrite('parents');
  try {
    const group = new ParentGroup(learning, parents);
    for await (const batch of lines.sorted()) for (const line of batch) await group.add(line);
    await group.end();
    learning.written.parents = await parents.finish();
  } catch (error) {
    await parents.abandon();
    throw error;
  }
}

/** Reads the pages, and looks up which of their links lead to documents. */
async function findLinks(
  learning: Learning,
  mayLead: (url: string) => boolean,
): Promise<LineSorter> {
  const { harvest, disk, folder } = learning;
  const links = learning.sorter('links');
  const found = learning.sorter('parents');
  for await (const { url, time, targets } of harvest.pages(mayLead)) {
    if (url.length > LONGEST_URL) continue;
    const key = keyOf(url);
    await found.add(`${key}\tp\t${inSeconds(time)}`);
    for (const target of new Set(targets))
      if (target !== url && target.length <= LONGEST_URL && mayLead(target))
        await links.add(`${keyOf(target)}\t${key}`);
  }
  if (harvest.tried && !learning.again) {
    const time = inSeconds(harvest.tried.time);
    for (const url of harvest.tried.urls) await found.add(`${keyOf(url)}\tt\t${time}`);
  }
  const linked = learning.sorter('linked');
  const addresses = await RecordPass.open(disk, folder.pathOfNext('addresses'));
  try {
    for await (const lines of links.sorted()) {
      for (const line of lines) {
        const [target, parent] = line.split('\t');
        if (!(await addresses.seek(target))) continue;
        const { digest, useful } = addressIn(addresses.value);
        await found.add(`${parent}\td\t${digest}\t${useful ? 1 : 0}`);
        if (useful) await linked.add(digest);
      }
    }
  } finally {
    await addresses.abandon();
  }
  learning.day.usefulLinked = await countDistinct(linked);
  return found;
}

async function countDistinct(lines: LineSorter): Promise<number> {
  let count = 0;
  let last: string | undefined;
  for await (const batch of lines.sorted()) {
    for (const line of batch) {
      if (line !== last) count++;
      last = line;
    }
  }
  return count;
}

/** The lines of one page after the other. */
class ParentGroup {
  readonly #learning: Learning;
  readonly #parents: RecordPass;
  #key = '';
  #digest = '';
  #documents = 0;
  #useful = 0;
  /** When it was fetched, and when it was a seed; 0 if it was not. */
  #fetched = 0;
  #tried = 0;

  constructor(learning: Learning, parents: RecordPass) {
    this.#learning = learning;
    this.#parents = parents;
  }

  async add(line: string): Promise<void> {
    const [key, kind, fact, useful] = line.split('\t');
    if (key !== this.#key) {
      await this.end();
      this.#key = key;
    }
    if (kind === 'p') this.#fetched = Number(fact);
    else if (kind === 't') this.#tried = Number(fact);
    else if (fact !== this.#digest) {
      this.#digest = fact;
      this.#documents++;
      if (useful === '1') this.#useful++;
    }
  }

  async end(): Promise<void> {
    if (this.#key === '') return;
    await this.#merge();
    this.#digest = '';
    this.#documents = 0;
    this.#useful = 0;
    this.#fetched = 0;
    this.#tried = 0;
  }

  async #merge(): Promise<void> {
    const { day } = this.#learning;
    const [documents, useful] = [this.#documents, this.#useful];
    if (documents > 0) day.parents++;
    if (useful > 0) day.usefulParents++;
    const old = (await this.#parents.seek(this.#key)) ? parentIn(this.#parents.value) : undefined;
    const last = Math.max(this.#fetched, this.#tried);
    if (this.#fetched > 0 && old && old.last > last) return; // an older capture
    if (this.#fetched > 0 && documents > 0) {
      await this.#parents.put(parentText({ documents, useful, last, missed: 0 }));
      if (!old) await this.#count(1);
      return;
    }
    if (!old) return;
    const missed = old.missed + 1;
    if (this.#fetched > 0 || missed >= MOST_MISSED) {
      await this.#parents.drop();
      await this.#count(-1);
    } else await this.#parents.put(parentText({ ...old, last: Math.max(last, old.last), missed }));
  }

  #count(parents: number): Promise<void> {
    return this.#learning.domains.add(domainIn(this.#key), { parents });
  }
}
