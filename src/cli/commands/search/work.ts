/** `drumlin search` and `drumlin search index`. */
import { DrumlinError, EXIT } from '../../../base/errors.ts';
import { counted, parseBytes } from '../../../base/units.ts';
import { Disk } from '../../../disk/disk.ts';
import { type IndexSummary, indexArchives } from '../../../search/build/build-index.ts';
import type { Order } from '../../../search/changed/order.ts';
import { priorOf } from '../../../search/query/prior.ts';
import { describe } from '../../../search/query/results.ts';
import { SearchIndex, type SearchOptions } from '../../../search/query/search-index.ts';
import { timelineOf } from '../../../search/query/timeline.ts';
import { iso, rangeOf } from '../../../search/query/times.ts';
import type { Epoch } from '../../../search/store/index-folder.ts';
import { type Screen, watched } from '../graph.ts';
import { printChanged } from './changed.ts';
import { asJson, asText, printable, quoted } from './print.ts';

export interface SearchFlags {
  readonly at?: string;
  readonly from?: string;
  readonly to?: string;
  readonly site?: string;
  readonly language?: string;
  readonly any?: boolean;
  readonly top: number;
  readonly timeline?: boolean;
  readonly changed?: boolean;
  readonly by: Order;
  readonly alpha: number;
  readonly seeds: number;
  readonly expand: number;
  readonly explain?: boolean;
  readonly snippets: boolean;
  readonly k1: number;
  readonly b: number;
  readonly titleWeight: number;
  readonly anchorWeight: number;
  readonly variantWeight: number;
  readonly ranks?: string;
  readonly rankWeight: number;
  readonly spam?: string;
  readonly spamWeight: number;
  readonly json?: boolean;
}

export interface IndexFlags {
  readonly out: string;
  readonly epoch?: Epoch;
  readonly positions: boolean;
  readonly links: boolean;
  readonly memory: string;
  readonly maxPage: string;
}

export type Output = Pick<NodeJS.WritableStream, 'write'>;

export async function index(
  places: readonly string[],
  { out, epoch, positions, links, memory, maxPage }: IndexFlags,
  screen: Screen,
): Promise<void> {
  await watched(screen, async (meter, signal) => {
    const summary = await indexArchives(places, out, {
      ...(epoch !== undefined && { epoch }),
      ...(!positions && { positions }),
      ...(!links && { links }),
      ...{ memory: parseBytes(memory), maxPage: parseBytes(maxPage), signal },
      ...{ onProgress: meter.show, onWarning: meter.note },
    });
    for (const line of sentences(out, summary)) meter.note(line);
  });
}

function sentences(out: string, summary: IndexSummary): string[] {
  const { pages, revisits, versions, allVersions, copies, undated, skippedFiles } = summary;
  const lines = [
    `${out}: ${counted(versions, 'new version')} from ${counted(pages, 'capture')} and ` +
      `${counted(revisits, 'revisit')}; ${counted(allVersions, 'version')} in all.`,
  ];
  if (copies > 0)
    lines.push(`${counted(copies, 'revisit')} of other URLs: these copies are not in the index.`);
  if (undated > 0)
    lines.push(`${counted(undated, 'record')} without a date from 1970 on: not in the index.`);
  if (skippedFiles > 0) {
    const were = skippedFiles === 1 ? 'was' : 'were';
    lines.push(`${counted(skippedFiles, 'file')} ${were} in the index already.`);
  }
  return lines;
}

export async function search(
  what: readonly string[],
  flags: SearchFlags,
  out: Output,
): Promise<void> {
  const [folders, query] = [what.slice(0, -1), what.at(-1)];
  if (query === undefined || folders.length === 0)
    throw new DrumlinError(
      'USAGE',
      'A search needs an index and a query.',
      'Write them like: drumlin search my-index "arab spring".',
    );
  const asked = optionsOf(flags);
  const opened = await open(folders, query);
  try {
    const options = { ...asked, prior: await priorOf(opened, new Disk(), flags) };
    const print = flags.changed ? printChanged : flags.timeline ? printTimeline : printResults;
    const isFound = await print(opened, query, options, { ...flags, folders }, out);
    if (!isFound)
      throw new DrumlinError(
        'NOT_FOUND',
        'No page matches.',
        'Use fewer words, --any, or another time.',
        { exitCode: EXIT.damaged },
      );
  } finally {
    await opened.close();
  }
}

/** Opens indexes; a word of a query that lacks its quotation marks is no index. */
async function open(folders: readonly string[], query: string): Promise<SearchIndex> {
  try {
    return await SearchIndex.open(folders);
  } catch (error) {
    const [first, ...words] = folders;
    if (!(error instanceof DrumlinError) || error.code !== 'NO_INDEX') throw error;
    if (error.fact.startsWith(`${first} `)) throw error;
    throw new DrumlinError(
      error.code,
      error.fact,
      `If it is a word of the query, put the query in quotation marks: drumlin search ${quoted(first)} ${quoted([...words, query].join(' '))}.`,
      { exitCode: error.exitCode },
    );
  }
}

function optionsOf(flags: SearchFlags): SearchOptions {
  const { site, language, any, top, k1, b, titleWeight, anchorWeight, variantWeight } = flags;
  const weights = { k1, b, title: titleWeight, anchor: anchorWeight, variant: variantWeight };
  return { ...rangeOf(flags), site, language, any, top, weights };
}

async function printResults(
  opened: SearchIndex,
  query: string,
  options: SearchOptions,
  { json, snippets }: SearchFlags,
  out: Output,
): Promise<boolean> {
  const found = await opened.search(query, options);
  const results = await describe(opened, found, { snippets });
  for (const [i, result] of results.entries())
    out.write(json ? `${JSON.stringify(asJson(result))}\n` : asText(result, i + 1));
  return results.length > 0;
}

const WIDEST = 50;

async function printTimeline(
  opened: SearchIndex,
  query: string,
  options: SearchOptions,
  { json }: SearchFlags,
  out: Output,
): Promise<boolean> {
  const entries = await timelineOf(opened, query, options);
  const most = Math.max(0, ...entries.map(({ pages }) => pages));
  if (most === 0) return false;
  const width = Math.max(...entries.map(({ epoch }) => epoch.length));
  for (const { epoch, end, pages } of entries) {
    const bar = '█'.repeat(Math.ceil((WIDEST * pages) / most));
    out.write(
      json
        ? `${JSON.stringify({ epoch, end: iso(end), pages })}\n`
        : `${printable(epoch).padEnd(width)}  ${String(pages).padStart(String(most).length)}  ${bar}\n`,
    );
  }
  return true;
}
