/** What the surveys of all files say together, and the lists of domains. */

import { DrumlinError } from '../base/errors.ts';
import type { Disk } from '../disk/disk.ts';
import { ReadAhead } from '../disk/read-ahead.ts';
import { writeText } from '../disk/text-file.ts';
import { readDomainValues } from '../filter/domain-values.ts';
import type { ListTable } from '../filter/list-table.ts';
import { RepeatCounter, RepeatTable } from '../text/repeats.ts';
import { repeatsPath } from './late-facts.ts';
import type { UsageRule } from './opt-out.ts';
import type { CorpusPlan, CorpusSettings } from './plan.ts';
import type { ReadingContext } from './read-segment.ts';
import type { Survey } from './survey.ts';
import type { WorkFolder } from './work-folder.ts';

export async function loadReadingContext(
  work: WorkFolder,
  plan: CorpusPlan,
): Promise<ReadingContext> {
  const usages = new Map<string, UsageRule[]>();
  let withRevisits = false;
  for (let i = 0; i < plan.inputs.length; i++) {
    const survey = await work.result<Survey>('survey', i);
    if (survey === undefined) continue;
    withRevisits ||= survey.revisits > 0;
    for (const [origin, rules] of survey.usages) {
      const known = usages.get(origin);
      if (known) for (const rule of rules) known.push(rule);
      else usages.set(origin, [...rules]);
    }
  }
  const { ranks, spam } = plan.settings;
  return {
    ...{ plan, usages, withRevisits, repeats: await loadRepeats(work) },
    ranks: await ranksOf(work, plan, await listOf(work.disk, ranks)),
    spam: await listOf(work.disk, spam),
  };
}

/** The ranks of domains for each file: of the list that was given, or of the crawl of the file. */
async function ranksOf(
  work: WorkFolder,
  { inputs }: CorpusPlan,
  given: ListTable | undefined,
): Promise<(ListTable | undefined)[]> {
  const tables: (ListTable | undefined)[] = [];
  for (const [i, { folder }] of inputs.entries()) {
    const first = inputs.findIndex((input) => input.folder === folder);
    if (given !== undefined || folder === undefined) tables.push(given);
    else tables.push(first < i ? tables[first] : await crawlRanks(work, i));
  }
  return tables;
}

async function crawlRanks(work: WorkFolder, index: number): Promise<ListTable | undefined> {
  try {
    return await listOf(work.disk, work.file('ranks', index, 'txt'));
  } catch (error) {
    if (error instanceof DrumlinError && error.code === 'FILE_MISSING') return undefined;
    throw error;
  }
}

/** The ranks of the domains of a crawl. */
export type RanksOf = (
  folder: string,
) => Promise<Iterable<readonly [domain: string, rank: number]>>;

/** Copies the ranks of all crawls once: a crawl that goes on does not change what is exported. */
export async function copyRanks(
  work: WorkFolder,
  { inputs, settings }: CorpusPlan,
  ranksOf: RanksOf,
  warn: ((sentence: string) => void) | undefined,
): Promise<void> {
  if (settings.ranks !== undefined) return;
  for (const [i, { folder }] of inputs.entries()) {
    if (folder === undefined) continue;
    if (inputs.findIndex((input) => input.folder === folder) < i) continue;
    const ranks = await ranksOf(folder).catch((error: unknown) => {
      if (!(error instanceof DrumlinError)) throw error;
      warn?.(`${error.fact} The pages of ${folder} have no domain_rank.`);
      return [];
    });
    await writeText(work.disk, work.file('ranks', i, 'txt'), async (file) => {
      let lines = '';
      for (const [domain, rank] of ranks) {
        lines += `${domain} ${rank}\n`;
        if (lines.length < LINES_LENGTH) continue;
        await file.write(Buffer.from(lines));
        lines = '';
      }
      await file.write(Buffer.from(lines));
    });
  }
}

/** Characters that are written together. */
const LINES_LENGTH = 2 ** 16;

/** Counts what repeats on sites, from all surveys. */
export async function countRepeats(
  work: WorkFolder,
  plan: CorpusPlan,
  surveys: readonly Survey[],
): Promise<void> {
  const counter = new RepeatCounter(work.disk, work.path, plan.settings.sizes.memory);
  let page = 0;
  for (let i = 0; i < surveys.length; i++) {
    for await (const keys of keysOf(work.disk, work.file('survey', i, 'keys')))
      await counter.add(page++, keys);
  }
  const { keys, counts } = await counter.finish();
  const path = repeatsPath(work);
  await work.write([`${path}.tmp`], async ([file]) => {
    await file.writeAll(new Uint8Array(Uint32Array.of(keys.length).buffer), 0);
    await file.writeAll(new Uint8Array(keys.buffer), 4);
    await file.writeAll(new Uint8Array(counts.buffer), 4 + keys.byteLength);
  });
  await work.disk.rename(`${path}.tmp`, path);
}

async function* keysOf(disk: Disk, path: string): AsyncGenerator<Uint32Array> {
  const file = await disk.open(path, 'read');
  const reader = new ReadAhead(file, 0, await file.size());
  try {
    for (;;) {
      const head = await reader.peek(4);
      if (head.length === 0) return;
      const length = 4 + 4 * new DataView(head.buffer, head.byteOffset).getUint32(0, true);
      const bytes = (await reader.peek(length)).slice(4);
      reader.skip(length);
      yield new Uint32Array(bytes.buffer);
    }
  } finally {
    await reader.end();
    await file.close();
  }
}

async function loadRepeats(work: WorkFolder): Promise<RepeatTable> {
  const file = await work.disk.open(repeatsPath(work), 'read');
  try {
    const bytes = new Uint8Array(await file.size());
    await file.readAll(bytes, 0);
    const [count] = new Uint32Array(bytes.buffer, 0, 1);
    const keys = new Uint32Array(bytes.buffer, 4, count);
    return new RepeatTable(keys, new Uint16Array(bytes.buffer, 4 + 4 * count, count));
  } finally {
    await file.close();
  }
}

/** Refuses lists that cannot be read, before anything else is. */
export async function checkLists(disk: Disk, { ranks, spam }: CorpusSettings): Promise<void> {
  await listOf(disk, ranks);
  await listOf(disk, spam);
}

async function listOf(disk: Disk, path: string | undefined): Promise<ListTable | undefined> {
  return path === undefined ? undefined : (await readDomainValues(disk, path)).values;
}
