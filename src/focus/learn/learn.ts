/**
 * Learns a harvest: merges it into the files of the book and adds a day.
 *
 *   survey ─► sightings ─► judge the new ─► documents
 *          └► redirects ─────────┴────────► addresses, references
 *                              pages, links ─────► parents ─► domains ─► commit
 *
 * Idea      Everything is sorted on disk and merged in order, file after file.
 * Ensures   A document is one payload. It belongs to the URL at which it was seen first. A parent
 *           has the links of its last capture. Learning a harvest again changes no count. Nothing
 *           counts before the commit.
 * Cost      One read and one write of each file of the book; sorts of what the crawl found. Memory
 *           is fixed: `memory` for each sort, of which at most three are in use at a time.
 */
import { join } from 'node:path';
import { KeyFilter } from '../../archive/payloads/key-filter.ts';
import type { Bytes } from '../../base/units.ts';
import { xxh64 } from '../../base/xxh64.ts';
import type { Disk } from '../../disk/disk.ts';
import { LineSorter } from '../../disk/line-sort.ts';
import type { BookFolder, Rules } from '../book/book.ts';
import type { Day } from '../book/day.ts';
import { domainOf, keyOf, LONGEST_URL, urlIn } from '../book/keys.ts';
import { RecordReader } from '../book/record-file.ts';
import { mergeAddresses, resolveRedirects } from './addresses.ts';
import { mergeDocuments } from './documents.ts';
import { DomainChanges } from './domain-changes.ts';
import type { Harvest, Tried } from './harvest.ts';
import { inSeconds, type Learning } from './learning.ts';
import { mergeParents } from './parents.ts';

const SORT_MEMORY: Bytes = 1 * 2 ** 20;
const FILTER_MEMORY: Bytes = 62 * 2 ** 20;

interface LearnOptions {
  readonly rules: Rules;
  /** For each sort. */
  readonly memory?: Bytes;
}

/** Returns the day. */
export async function learn(
  disk: Disk,
  folder: BookFolder,
  harvest: Harvest,
  { rules, memory = SORT_MEMORY }: LearnOptions,
): Promise<Day> {
  const { book } = folder;
  const sources = [...(book?.sources ?? [])];
  const known = sources.findIndex(({ identity }) => identity === harvest.identity);
  const source = known < 0 ? sources.length : known;
  sources[source] = { identity: harvest.identity, folder: harvest.folder };
  return folder.withScratch(async (scratch) => {
    const sorters: LineSorter[] = [];
    const sorter = (name: string) => {
      const made = new LineSorter(disk, scratch, `${name}-${sorters.length}`, memory);
      sorters.push(made);
      return made;
    };
    const learning: Learning = {
      disk,
      folder,
      harvest,
      source,
      again: known >= 0,
      unanswered: new Set(),
      domains: new DomainChanges(sorter('domains')),
      sorter,
      day: emptyDay(source, harvest),
      written: {},
    };
    try {
      await mergeAll(learning, scratch);
    } catch (error) {
      for (const each of sorters) await each.close();
      throw error;
    }
    const days = (book?.days ?? []).filter((day) => day.source !== source);
    const round = Math.max(book?.round ?? 0, harvest.round ?? 0);
    await folder.commit(
      { rules, sources, days: [...days, learning.day].sort(byTime), round },
      learning.written,
    );
    return learning.day;
  });
}

async function mergeAll(learning: Learning, scratch: string): Promise<void> {
  const { folder, written } = learning;
  const { sightings, redirects } = await survey(learning);
  const { fresh, all } = await mergeDocuments(learning, sightings);
  await resolveRedirects(learning, redirects, fresh, all, join(scratch, 'fresh'));
  await mergeAddresses(learning, all);
  await mergeParents(learning, await filterOf(learning));
  const domains = await folder.rewrite('domains');
  try {
    await learning.domains.mergeInto(domains);
    written.domains = await domains.finish();
  } catch (error) {
    await domains.abandon();
    throw error;
  }
}

/**
 * Reads what the crawl requested and found. A seed without an answer is a request all the same, if
 * the crawl came to it.
 */
async function survey(learning: Learning) {
  const { harvest, domains, day, again, unanswered } = learning;
  const { tried } = harvest;
  const sightings = learning.sorter('sightings');
  const redirects = learning.sorter('redirects');
  let requests = 0;
  let last = 0;
  const seen = (time: number) => {
    if (time > last) last = time;
  };
  for (const url of tried?.urls ?? []) unanswered.add(url);
  await harvest.survey({
    request(url, time) {
      seen(time);
      unanswered.delete(url);
      requests++;
      return again ? undefined : domains.add(domainOf(url), { requests: 1 });
    },
    async document({ url, digest, time, place, fetched }) {
      if (url.length > LONGEST_URL) return;
      const kind = fetched ? '1' : '0';
      await sightings.add(`${digest}\t${inSeconds(time)}\t${keyOf(url)}\t${place}\t${kind}`);
    },
    async redirect(from, to, time) {
      if (from.length > LONGEST_URL || to.length > LONGEST_URL) return;
      await redirects.add(`${keyOf(to)}\t${keyOf(from)}\t${inSeconds(time)}`);
    },
  });
  if (tried && !again) await countTried(learning, tried);
  day.requests = Math.max(requests, harvest.requests ?? 0);
  day.time = new Date(Math.max(last, tried?.time ?? 0, harvest.began ?? 0)).toISOString();
  return { sightings, redirects };
}

/** Notes which domains were tried, and the requests that nobody answered. */
async function countTried({ domains, unanswered }: Learning, tried: Tried): Promise<void> {
  for (const url of tried.urls) {
    const isAnswered = !unanswered.has(url);
    if (!isAnswered && !tried.finished) continue;
    const requests = isAnswered ? 0 : 1;
    await domains.add(domainOf(url), { requests, tried: Math.floor(tried.time / 1000) });
  }
}

/** Which URLs may lead to a document, from the addresses just written. */
async function filterOf({ disk, folder, written }: Learning): Promise<(url: string) => boolean> {
  const filter = new KeyFilter(FILTER_MEMORY, written.addresses?.records ?? 0);
  const reader = await RecordReader.open(disk, folder.pathOfNext('addresses'));
  try {
    while (await reader.next()) filter.add(xxh64(urlIn(reader.keyText)));
  } finally {
    await reader.close();
  }
  return (url) => filter.has(xxh64(url));
}

function emptyDay(source: number, { policy = 'history', listed }: Harvest): Day {
  return {
    source,
    policy,
    time: '',
    requests: 0,
    fetched: 0,
    fresh: 0,
    useful: 0,
    parents: 0,
    usefulParents: 0,
    usefulLinked: 0,
    unread: {},
    ...(listed !== undefined && { listed }),
  };
}

const byTime = (a: Day, b: Day): number =>
  a.time < b.time ? -1 : a.time > b.time ? 1 : a.source - b.source;
