/** `drumlin search` and `drumlin search index`. */
import { DrumlinError, EXIT } from '../../../base/errors.ts';
import { counted, parseBytes } from '../../../base/units.ts';
import { Disk } from '../../../disk/disk.ts';
import { type IndexSummary, indexArchives } from '../../../search/build/build-index.ts';
import { priorOf } from '../../../search/query/prior.ts';
import { describe, type SearchResult } from '../../../search/query/results.ts';
import { SearchIndex, type SearchOptions } from '../../../search/query/search-index.ts';
import { timelineOf } from '../../../search/query/timeline.ts';
import { rangeOf } from '../../../search/query/times.ts';
import type { Epoch } from '../../../search/store/index-folder.ts';
import { type Screen, watched } from '../graph.ts';

export interface SearchFlags {
  readonly at?: string;
  readonly from?: string;
  readonly to?: string;
  readonly site?: string;
  readonly language?: string;
  readonly any?: boolean;
  readonly top: number;
  readonly timeline?: boolean;
  readonly snippets: boolean;
  readonly k1: number;
  readonly b: number;
  readonly titleWeight: number;
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
  readonly memory: string;
  readonly maxPage: string;
}

type Output = Pick<NodeJS.WritableStream, 'write'>;

export async function index(
  places: readonly string[],
  { out, epoch, positions, memory, maxPage }: IndexFlags,
  screen: Screen,
): Promise<void> {
  await watched(screen, async (meter, signal) => {
    const summary = await indexArchives(places, out, {
      ...(epoch !== undefined && { epoch }),
      ...(!positions && { positions }),
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
  if (skippedFiles > 0) lines.push(`${counted(skippedFiles, 'file')} were in the index already.`);
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
    const isFound = flags.timeline
      ? await printTimeline(opened, query, options, flags, out)
      : await printResults(opened, query, options, flags, out);
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
  const { site, language, any, top, k1, b, titleWeight, variantWeight } = flags;
  const weights = { k1, b, title: titleWeight, variant: variantWeight };
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

const iso = (time: number): string => new Date(time).toISOString();
const day = (time: number): string => iso(time).slice(0, 10);

const asJson = (result: SearchResult) => ({
  ...result,
  ...{ first: iso(result.first), last: iso(result.last), stored: iso(result.stored) },
  get: commandOf(result),
});

function asText(result: SearchResult, rank: number): string {
  const { url, title, first, last, captures, versions, score, snippet } = result;
  const [from, to] = [day(first), day(last)];
  const times = from === to ? from : `${from} to ${to}`;
  const counts = `${counted(captures, 'capture')}, ${counted(versions, 'version')} of the page`;
  const lines = [
    `${rank}. ${printable(title) || url}`,
    `   ${url}`,
    `   ${times}: ${counts}; score ${score.toFixed(3)}`,
    ...(snippet === '' ? [] : [`   ${printable(snippet)}`]),
    `   ${commandOf(result)}`,
  ];
  return `${lines.join('\n')}\n\n`;
}

/** Without control characters: titles and texts are written by strangers. */
const printable = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim();

/** The command that prints the page. */
function commandOf({ place, url, stored }: SearchResult): string {
  const at = iso(stored).replace(/\D/g, '').slice(0, 14);
  return `drumlin archive get ${quoted(place)} ${quoted(url)} --at ${at}`;
}

const quoted = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

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
