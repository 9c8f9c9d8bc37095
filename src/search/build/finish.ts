/**
 * Runs to a part: which versions are new, their numbers, then every file of the part in order.
 *
 *   sightings of all runs ─► sorted by page ─► first version of each text, unless an earlier part
 *   has it ─► new numbers ─► sightings, versions, names; runs ─► postings
 *
 * Idea      Sorting by page brings all captures of a page together. A text that several runs
 *           collected keeps the number of the first; the others are dropped in the last merge.
 * Ensures   The part is a function of the runs and the earlier parts. It does not count before
 *           index.json names it.
 * Cost      12 bytes of memory a version, what sorting may take, and the sightings of earlier
 *           parts.
 */
import { join } from 'node:path';
import type { Bytes } from '../../base/units.ts';
import { VarintReader } from '../../base/varint.ts';
import { openStateFile } from '../../disk/block-file.ts';
import { HEADER_BYTES } from '../../disk/format.ts';
import { LineSorter } from '../../disk/line-sort.ts';
import { readLines } from '../../disk/lines.ts';
import { writeText } from '../../disk/text-file.ts';
import { writeLinks } from '../links/write-links.ts';
import { FORMATS } from '../store/formats.ts';
import type { LinkInfo, PartInfo } from '../store/index-folder.ts';
import { type Output, writeOutputs } from '../store/output.ts';
import { NONE, PostingWriter } from '../store/posting-writer.ts';
import { type PageSightings, type SightingsReader, writeSightings } from '../store/sightings.ts';
import { writeVersion } from '../store/version-table.ts';
import { joinRuns, mergeRuns } from './merge-runs.ts';
import { byPage, type PageLines } from './sighting-lines.ts';
import type { IndexPlan, IndexWork, Progress } from './work.ts';
import { anchorsOf } from './write-anchors.ts';

/** Runs merged at once. */
const MOST_RUNS = 16;
/** Of the memory, what sorting may take: the last run was collected in the rest. */
const SORT_SHARE = 0.3;

interface FinishOptions {
  readonly memory: Bytes;
  /** Runs merged at once. Tests use fewer. */
  readonly mostRuns?: number | undefined;
  readonly onProgress: ((step: string, share: number) => void) | undefined;
}

/** Writes the files of a part to `folder`, which must be empty. */
export async function finishPart(
  work: IndexWork,
  plan: IndexPlan,
  progress: Progress,
  folder: string,
  earlier: readonly SightingsReader[],
  { memory: most, mostRuns = MOST_RUNS, onProgress }: FinishOptions,
): Promise<PartInfo> {
  const memory = SORT_SHARE * most;
  const { disk } = work;
  const sorted = join(work.path, 'sightings.sorted');
  onProgress?.('sorting', 0);
  const firsts = await sortSightings(work, progress, sorted, earlier, memory);
  const { renumbered, count } = numbersOf(firsts);
  await writeOutputs(disk, [[join(folder, 'sightings'), FORMATS.sightings]], async ([out]) => {
    for await (const page of byPage(readLines(disk, sorted))) {
      writeSightings(out, sightingsOf(page, renumbered));
      await out.settle();
    }
  });
  const lengths = await writeVersions(work, progress, folder, renumbered, count);
  const { settings } = plan;
  const anchors = settings.links
    ? await anchorsOf(work, progress.runs, folder, memory, mostRuns)
    : { count: undefined, runs: [] };
  onProgress?.('merging', 0.5);
  const allRuns = Array.from({ length: progress.runs }, (_, i) => work.run(i));
  const runs = await fewRuns(work, [...allRuns, ...anchors.runs], mostRuns);
  const names = ['terms', 'groups', 'postings', ...(settings.positions ? ['positions'] : [])];
  const files = names.map(
    (name) => [join(folder, name), FORMATS[name as keyof typeof FORMATS]] as const,
  );
  const written = await writeOutputs(disk, files, async ([terms, groups, postings, positions]) => {
    const outputs = { terms, groups, postings, positions };
    const numbers = { renumbered, ...lengths, anchors: anchors.count ?? 0 };
    const writer = new PostingWriter(outputs, numbers, settings.block);
    await mergeRuns(disk, runs, writer);
    return { terms: writer.terms, postings: writer.postings };
  });
  const links = settings.links && (await linksOf(work, plan, progress, folder, memory));
  return {
    ...(links && { links }),
    ...(anchors.count !== undefined && { anchors: anchors.count }),
    files: plan.files,
    ...{ languages: progress.languages, crawls: progress.crawls, versions: count, ...written },
  };
}

/** Writes the links of the part. */
async function linksOf(
  work: IndexWork,
  { files, settings }: IndexPlan,
  { runs, crawls }: Progress,
  folder: string,
  memory: Bytes,
): Promise<LinkInfo> {
  const inTime = [...crawls].sort((a, b) => a.last - b.last || (a.name < b.name ? -1 : 1));
  const names = settings.epoch === 'crawl' ? inTime.map(({ name }) => name) : [];
  const planned = [...new Set(files.map(({ crawl }) => crawl))];
  const order = planned.map((name) => names.indexOf(name));
  const source = {
    ...{ disk: work.disk, work: work.path, memory },
    runs: Array.from({ length: runs }, (_, run) => work.run(run, '.links')),
    order: settings.epoch === 'crawl' ? order : undefined,
  };
  return { ...(await writeLinks(source, folder)), crawls: names };
}

interface Lengths {
  readonly words: Uint32Array;
  readonly titleWords: Uint32Array;
}

/** Writes the sightings in order; returns 1 for each version of the runs that stays. */
async function sortSightings(
  work: IndexWork,
  { runs, versions }: Progress,
  path: string,
  earlier: readonly SightingsReader[],
  memory: Bytes,
): Promise<Uint8Array> {
  const { disk } = work;
  const sorter = new LineSorter(disk, work.path, 'sighting', memory / 2);
  for (let run = 0; run < runs; run++)
    await sorter.addAll(readLines(disk, work.run(run, '.sightings')));
  await writeText(disk, path, async (file) => {
    for await (const lines of sorter.sorted())
      await file.write(Buffer.from(`${lines.join('\n')}\n`, 'latin1'));
  });
  const firsts = new Uint8Array(versions);
  const known = earlier.map((reader) => new KnownPages(reader));
  for await (const { key, lines } of byPage(readLines(disk, path))) {
    const texts = new Set(known.flatMap((pages) => pages.textsOf(key)));
    for (const [text, version] of firstVersions(lines)) if (!texts.has(text)) firsts[version] = 1;
  }
  return firsts;
}

/** The least version of each text of a page. */
function firstVersions(lines: PageLines['lines']): Map<bigint, number> {
  const versions = new Map<bigint, number>();
  for (const { text, version } of lines) {
    if (text === undefined) continue;
    const known = versions.get(text);
    if (known === undefined || version < known) versions.set(text, version);
  }
  return versions;
}

/** The pages of an earlier part, asked for in the order of their keys. */
class KnownPages {
  readonly #reader: SightingsReader;
  #page: PageSightings | undefined;

  constructor(reader: SightingsReader) {
    this.#reader = reader;
    this.#page = reader.next();
  }

  textsOf(key: bigint): bigint[] {
    while (this.#page !== undefined && this.#page.key < key) this.#page = this.#reader.next();
    return this.#page?.key === key ? this.#page.versions.map(({ text }) => text) : [];
  }
}

function numbersOf(firsts: Uint8Array): { renumbered: Uint32Array; count: number } {
  const renumbered = new Uint32Array(firsts.length).fill(NONE);
  let count = 0;
  for (let i = 0; i < firsts.length; i++) if (firsts[i] === 1) renumbered[i] = count++;
  return { renumbered, count };
}

function sightingsOf({ key, lines }: PageLines, renumbered: Uint32Array): PageSightings {
  const firsts = [...firstVersions(lines)];
  const places = new Map(firsts.map(([text], place) => [text, place]));
  const versions = firsts.map(([text, version]) => {
    const local = renumbered[version];
    return { text, local: local === NONE ? -1 : local };
  });
  const captures = lines.map(({ time, text, refersTo }) => ({
    ...{ time, refersTo, version: text === undefined ? -1 : (places.get(text) ?? -1) },
  }));
  return { key, versions, captures };
}

/** Writes `versions` and `names`, of the versions that stay. */
async function writeVersions(
  work: IndexWork,
  { runs }: Progress,
  folder: string,
  renumbered: Uint32Array,
  count: number,
): Promise<Lengths> {
  const lengths = { words: new Uint32Array(count), titleWords: new Uint32Array(count) };
  const files = [
    [join(folder, 'versions'), FORMATS.versions],
    [join(folder, 'names'), FORMATS.names],
  ] as const;
  await writeOutputs(work.disk, files, async ([table, names]) => {
    let version = 0;
    for (let run = 0; run < runs; run++) {
      const reader = await contentOf(work, run);
      while (reader.at < reader.bytes.length) {
        const id = renumbered[version++];
        if (id === NONE) skipTemporary(reader);
        else copyVersion(reader, id, lengths, table, names);
        await table.settle();
        await names.settle();
      }
    }
  });
  return lengths;
}

async function contentOf(work: IndexWork, run: number): Promise<VarintReader> {
  const file = await openStateFile(work.disk, work.run(run, '.versions'), FORMATS.versions);
  try {
    const bytes = new Uint8Array(await file.size());
    await file.readAll(bytes, 0);
    return new VarintReader(bytes, HEADER_BYTES);
  } finally {
    await file.close();
  }
}

/** Reads a version as collect.ts writes it, and writes it to the part. */
function copyVersion(
  reader: VarintReader,
  id: number,
  lengths: Lengths,
  table: Output,
  names: Output,
): void {
  const [words, titleWords] = [reader.next(), reader.next()];
  const [language, file, offset] = [reader.next(), reader.next(), reader.next()];
  lengths.words[id] = words;
  lengths.titleWords[id] = Math.min(0xffff, titleWords);
  writeVersion(table, { words, titleWords, language, file, offset, name: names.length });
  for (let text = 0; text < 2; text++) {
    const length = reader.next();
    names.varint(length);
    names.bytes(reader.take(length));
  }
}

function skipTemporary(reader: VarintReader): void {
  for (let i = 0; i < 5; i++) reader.next();
  for (let text = 0; text < 2; text++) reader.skip(reader.next());
}

/** Joins runs, in order, until few enough are left. */
async function fewRuns(
  work: IndexWork,
  all: readonly string[],
  most: number,
): Promise<readonly string[]> {
  let runs = all;
  for (let level = 0; runs.length > most; level++) {
    const joined: string[] = [];
    for (let at = 0; at < runs.length; at += most) {
      const path = join(work.path, `joined-${level}-${joined.length}`);
      await joinRuns(work.disk, runs.slice(at, at + most), path);
      joined.push(path);
    }
    runs = joined;
  }
  return runs;
}
