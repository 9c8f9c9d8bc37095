/** The first steps of learning: which documents are new, which of these are useful. */
import type { LineSorter } from '../../disk/line-sort.ts';
import { domainIn, keyOf, LONGEST_URL, urlIn } from '../book/keys.ts';
import type { RecordPass } from '../book/record-pass.ts';
import { addressText, type DocumentValue, documentIn, documentText } from '../book/values.ts';
import type { NewDocument } from './harvest.ts';
import type { Learning } from './learning.ts';

/** Lines of URLs: addresses of documents, and references to them; see `addresses.ts`. */
interface UrlLines {
  /** The addresses that sightings give. */
  readonly fresh: LineSorter;
  /** All addresses and references. */
  readonly all: LineSorter;
}

export async function mergeDocuments(learning: Learning, sightings: LineSorter): Promise<UrlLines> {
  const all = learning.sorter('urls');
  const fresh = learning.sorter('fresh');
  const ordered = await judgeNew(learning, sightings, all);
  const documents = await learning.folder.rewrite('documents');
  try {
    const group = new SightingGroup(learning, documents, { fresh, all });
    for await (const lines of ordered.sorted()) for (const line of lines) await group.add(line);
    await group.end();
    learning.written.documents = await documents.finish();
  } catch (error) {
    await documents.abandon();
    throw error;
  }
  return { fresh, all };
}

/**
 * Has the documents judged that the book does not hold. Returns the sightings and judgements by
 * digest, judgements first: `digest j useful`, `digest s time key fetched`.
 */
async function judgeNew(
  learning: Learning,
  sightings: LineSorter,
  all: LineSorter,
): Promise<LineSorter> {
  const { folder, harvest, day } = learning;
  const ordered = learning.sorter('ordered');
  const unjudged = learning.sorter('new');
  const known = await folder.book?.look('documents');
  try {
    let last = '';
    for await (const lines of sightings.sorted()) {
      for (const line of lines) {
        const [digest, time, key, place, fetched] = line.split('\t');
        await ordered.add(`${digest}\ts\t${time}\t${key}\t${fetched}`);
        if (digest === last || fetched === '0') continue;
        if (!(await known?.seek(digest))) await unjudged.add(`${place}\t${digest}\t${key}`);
        last = digest;
      }
    }
  } finally {
    await known?.abandon();
  }
  const unread: Record<string, number> = {};
  for await (const judged of harvest.judge(newDocuments(unjudged))) {
    await ordered.add(`${judged.digest}\tj\t${judged.useful ? 1 : 0}`);
    if (judged.unread !== undefined) unread[judged.unread] = (unread[judged.unread] ?? 0) + 1;
    if (!judged.useful) continue;
    for (const url of judged.references)
      if (url.length <= LONGEST_URL) await all.add(`${keyOf(url)}\tc\t${judged.digest}`);
  }
  day.unread = unread;
  return ordered;
}

async function* newDocuments(unjudged: LineSorter): AsyncGenerator<NewDocument> {
  for await (const lines of unjudged.sorted()) {
    for (const line of lines) {
      const [place, digest, key] = line.split('\t');
      yield { place, digest, url: urlIn(key) };
    }
  }
}

/** The lines of one digest after the other. */
class SightingGroup {
  readonly #learning: Learning;
  readonly #documents: RecordPass;
  readonly #urls: UrlLines;
  #digest = '';
  #value: DocumentValue | undefined;
  #isKnown = false;
  #isUseful = false;

  constructor(learning: Learning, documents: RecordPass, urls: UrlLines) {
    this.#learning = learning;
    this.#documents = documents;
    this.#urls = urls;
  }

  async add(line: string): Promise<void> {
    const [digest, kind, time, key, fetched] = line.split('\t');
    if (digest !== this.#digest) {
      await this.end();
      this.#digest = digest;
      this.#isKnown = await this.#documents.seek(digest);
      this.#value = this.#isKnown ? documentIn(this.#documents.value) : undefined;
      this.#isUseful = this.#value?.useful ?? false;
    }
    if (kind === 'j') this.#isUseful ||= time === '1';
    else await this.#see(key, Number(time), fetched === '1');
  }

  async end(): Promise<void> {
    const value = this.#value;
    if (!value) return;
    const { day, domains, source, again } = this.#learning;
    await this.#documents.put(documentText(value));
    if (value.source !== source) return;
    day.fresh++;
    if (value.useful) day.useful++;
    if (this.#isKnown) return;
    const useful = value.useful ? 1 : 0;
    const gained = again ? 0 : useful;
    await domains.add(domainIn(value.key), { documents: 1, useful, gained });
  }

  async #see(key: string, time: number, fetched: boolean): Promise<void> {
    const { source, day } = this.#learning;
    const digest = this.#digest;
    const useful = this.#isUseful;
    if (fetched) day.fetched++;
    else if (!this.#value) return; // a page that is no document was confirmed
    const old = this.#value ?? { key, first: time, last: time, useful, source };
    this.#value = { ...old, last: Math.max(old.last, time) };
    const domain = domainIn(this.#value.key);
    const value = addressText({ digest, domain, last: time, useful, source });
    const line = `${key}\ta\t${String(time).padStart(10, '0')}\t${value}`;
    await this.#urls.fresh.add(line);
    await this.#urls.all.add(line);
  }
}
