/**
 * filters.txt, the filters of a crawl in its folder. It is written when the crawl starts, by
 * `drumlin filter set` and by users, and read while the crawl runs.
 *
 *   # a stage, a colon, an expression; lines that begin with blanks continue it
 *   schedule: HostEndsWith(.edu)
 *     and PathDepth < 8
 *   fetch: not InList(/lists/blocked.txt)
 *
 * Ensures   The file is complete at every moment, the old or the new one. A change touches no other
 *           filter and no comment. An error names the line.
 * Non-goal  Two commands at the same time: the last to write wins.
 */
import { join } from 'node:path';
import { DrumlinError } from '../../base/errors.ts';
import { nearest } from '../../base/nearest.ts';
import type { Disk } from '../../disk/disk.ts';
import { ANOTHER_PROGRAM, replaceFileBy, writerOf } from '../../disk/notes/written-by.ts';
import type { FilterTexts } from '../../filter/filter-set.ts';
import { STAGES, type Stage } from '../../filter/subject.ts';

export const FILTERS_FILE = 'filters.txt';

/** Lines of the file: one filter, or a comment or blank line. */
interface Block {
  readonly stage: Stage | undefined;
  readonly lines: string[];
}

const HEAD = /^([A-Za-z]+)\s*:/;

/** The filters of a crawl; undefined if there is no file. */
export async function readFilters(disk: Disk, dir: string): Promise<FilterTexts | undefined> {
  return (await filtersBy(disk, dir))?.texts;
}

/** The filters of a crawl, and who wrote them. */
export async function filtersBy(
  disk: Disk,
  dir: string,
): Promise<{ readonly texts: FilterTexts; readonly by: string } | undefined> {
  const text = await textOf(disk, dir);
  if (text === undefined) return undefined;
  const texts = parseFilters(text, join(dir, FILTERS_FILE));
  return { texts, by: await writerOf(disk, dir, FILTERS_FILE, text) };
}

/** Sets one filter; an empty one accepts everything. */
export async function setFilter(
  disk: Disk,
  dir: string,
  stage: Stage,
  expression: string,
  by = ANOTHER_PROGRAM,
): Promise<void> {
  const before = await textOf(disk, dir);
  const text = withFilter(before ?? '', stage, expression, join(dir, FILTERS_FILE));
  if (text !== before) await replaceFileBy(disk, dir, FILTERS_FILE, text, by);
}

/** The text of the file with another filter. */
export function withFilter(text: string, stage: Stage, expression: string, path: string): string {
  return printed(replaced(blocksOf(text, path), stage, expression));
}

/** Makes the file hold these filters; does not write it if it already does. */
export async function keepFilters(disk: Disk, dir: string, texts: FilterTexts): Promise<void> {
  const text = await textOf(disk, dir);
  if (text === undefined && STAGES.every((stage) => !texts[stage])) return;
  const path = join(dir, FILTERS_FILE);
  let blocks = blocksOf(text ?? '', path);
  for (const stage of STAGES) {
    if ((textsIn(blocks)[stage] ?? '') !== (texts[stage] ?? ''))
      blocks = replaced(blocks, stage, texts[stage] ?? '');
  }
  const kept = printed(blocks);
  if (kept !== text) await replaceFileBy(disk, dir, FILTERS_FILE, kept, 'drumlin crawl');
}

export function parseFilters(text: string, path: string): FilterTexts {
  return textsIn(blocksOf(text, path));
}

function textsIn(blocks: readonly Block[]): FilterTexts {
  const texts: { [stage in Stage]?: string } = {};
  for (const { stage, lines } of blocks) {
    if (stage === undefined) continue;
    const expression = lines.join('\n').replace(HEAD, '').trim();
    if (expression !== '') texts[stage] = expression;
  }
  return texts;
}

function blocksOf(text: string, path: string): Block[] {
  const blocks: Block[] = [];
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  for (const [i, line] of lines.entries()) {
    const refuse = (fact: string, remedy: string): never => {
      throw new DrumlinError('FILTER', `${path}:${i + 1}: ${fact}`, remedy);
    };
    const last = blocks.at(-1);
    if (line.trim() === '' || line.startsWith('#'))
      blocks.push({ stage: undefined, lines: [line] });
    else if (/^\s/.test(line) && last?.stage !== undefined) last.lines.push(line);
    else blocks.push({ stage: stageOf(line, blocks, refuse), lines: [line] });
  }
  return blocks;
}

function stageOf(
  line: string,
  blocks: readonly Block[],
  refuse: (fact: string, remedy: string) => never,
): Stage {
  const word = HEAD.exec(line)?.[1];
  if (word === undefined)
    return refuse('this is not a filter.', 'Write a stage, a colon and an expression.');
  const stage = STAGES.find((name) => name === word.toLowerCase());
  if (stage === undefined)
    return refuse(`there is no stage "${word}".`, `Did you mean "${nearest(word, STAGES)}"?`);
  if (blocks.some((block) => block.stage === stage)) {
    return refuse(`there is already a filter for ${stage}.`, 'Join them with "and".');
  }
  return stage;
}

function replaced(blocks: readonly Block[], stage: Stage, expression: string): Block[] {
  const block = expression === '' ? [] : [{ stage, lines: [`${stage}: ${expression}`] }];
  const at = blocks.findIndex((each) => each.stage === stage);
  return at < 0 ? [...blocks, ...block] : blocks.toSpliced(at, 1, ...block);
}

const printed = (blocks: readonly Block[]): string =>
  blocks.flatMap(({ lines }) => lines.map((line) => `${line}\n`)).join('');

async function textOf(disk: Disk, dir: string): Promise<string | undefined> {
  try {
    return await disk.readText(join(dir, FILTERS_FILE));
  } catch (error) {
    if (error instanceof DrumlinError && error.code === 'FILE_MISSING') return undefined;
    throw error;
  }
}
