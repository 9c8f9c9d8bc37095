/**
 * The last steps of learning: which pages link to documents.
 *
 * Lines are `key d digest useful` (the page links to a document), `key p time` (it was fetched),
 * `key u time` (it was as before), `key t time` (it was a seed) and `key w time` (it was a seed,
 * and may not have been requested).
 */
import type { LineSorter } from '../../disk/line-sort.ts';
import { domainIn, keyOf, LONGEST_URL } from '../book/keys.ts';
import { RecordPass } from '../book/record-pass.ts';
import { addressIn, type ParentValue, parentIn, parentText } from '../book/values.ts';
import { inSeconds, type Learning } from './learning.ts';

/** A parent that was a seed as often in a row and gave no page is left out. */
const MOST_MISSED = 3;
/** What counts for a seed without an answer, if the crawl may not have come to it. */
const PASSED_OVER = 0.25;

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
    await found.add(`${key}\t${targets ? 'p' : 'u'}\t${inSeconds(time)}`);
    for (const target of new Set(targets))
      if (target !== url && target.length <= LONGEST_URL && mayLead(target))
        await links.add(`${keyOf(target)}\t${key}`);
  }
  await addSeeds(learning, found);
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

/** Adds which pages were seeds. */
async function addSeeds({ harvest, again, unanswered }: Learning, to: LineSorter): Promise<void> {
  if (!harvest.tried || again) return;
  const { urls, finished } = harvest.tried;
  const time = inSeconds(harvest.tried.time);
  for (const url of urls) {
    const isPassed = !finished && unanswered.has(url);
    await to.add(`${keyOf(url)}\t${isPassed ? 'w' : 't'}\t${time}`);
  }
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
  /** When it was fetched, found as before, and a seed that was requested; 0 if it was not. */
  #fetched = 0;
  #confirmed = 0;
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
    else if (kind === 'u') this.#confirmed = Number(fact);
    else if (kind === 't') this.#tried = Number(fact);
    else if (kind === 'w') return;
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
    this.#confirmed = 0;
    this.#tried = 0;
  }

  async #merge(): Promise<void> {
    const [documents, useful] = [this.#documents, this.#useful];
    const old = (await this.#parents.seek(this.#key)) ? parentIn(this.#parents.value) : undefined;
    if (this.#fetched > 0) {
      this.#countLinks(documents, useful);
      await this.#replace(old, { documents, useful, last: this.#last, missed: 0 });
    } else if (old && this.#confirmed > 0) {
      this.#countLinks(old.documents, old.useful);
      await this.#parents.put(
        parentText({ ...old, last: Math.max(this.#last, old.last), missed: 0 }),
      );
    } else if (old) await this.#miss(old);
  }

  get #last(): number {
    return Math.max(this.#fetched, this.#confirmed, this.#tried);
  }

  #countLinks(documents: number, useful: number): void {
    const { day } = this.#learning;
    if (documents > 0) day.parents++;
    if (useful > 0) day.usefulParents++;
  }

  /** The page as it is now takes the place of an earlier capture. */
  async #replace(old: ParentValue | undefined, now: ParentValue): Promise<void> {
    if (old && old.last > now.last) return; // an older capture
    if (now.documents > 0) {
      await this.#parents.put(parentText(now));
      if (!old) await this.#count(1);
    } else if (old) {
      await this.#parents.drop();
      await this.#count(-1);
    }
  }

  /** It was a seed and gave no page. If it was passed over, it is still due. */
  async #miss(old: ParentValue): Promise<void> {
    const missed = old.missed + (this.#tried > 0 ? 1 : PASSED_OVER);
    if (missed >= MOST_MISSED) {
      await this.#parents.drop();
      await this.#count(-1);
    } else
      await this.#parents.put(
        parentText({ ...old, last: Math.max(this.#tried, old.last), missed }),
      );
  }

  #count(parents: number): Promise<void> {
    return this.#learning.domains.add(domainIn(this.#key), { parents });
  }
}
