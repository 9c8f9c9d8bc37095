/**
 * The log of a crawl, newest lines first, in pages.
 *
 * Idea      The file is read backwards from where the last page ended, so a page costs what it
 *           shows. A filter that matches little reads at most `MOST_READ`, and pieces of the file
 *           without its words are not divided into lines.
 */
import { join } from 'node:path';
import { DrumlinError } from '../../base/errors.ts';
import type { Bytes } from '../../base/units.ts';
import type { Disk, DiskFile } from '../../disk/disk.ts';

const PIECE: Bytes = 256 * 1024;
const MOST_READ: Bytes = 32 * 2 ** 20;
/** What is longer is no line of a log: it is passed over. */
const LONGEST_LINE: Bytes = 2 ** 20;
const LINE_END = 10;

export interface LogLine {
  readonly time: string;
  readonly event: string;
  readonly [fact: string]: unknown;
}

interface LogPage {
  readonly lines: readonly LogLine[];
  /** Where the next page ends; 0 if there is none. */
  readonly before: number;
  /** Where the file ended: `linesAfter` gives what came since. */
  readonly end: number;
}

interface LogQuery {
  /** Only events with this name. */
  readonly event?: string | undefined;
  /** Only lines that contain this text. */
  readonly contains?: string | undefined;
  /** Only lines that begin before this byte. */
  readonly before?: number | undefined;
  readonly count: number;
}

export async function readLog(disk: Disk, dir: string, query: LogQuery): Promise<LogPage> {
  const file = await open(disk, dir);
  if (!file) return { lines: [], before: 0, end: 0 };
  try {
    const end = await file.size();
    const from = Math.min(query.before ?? end, end);
    const lines: LogLine[] = [];
    let before = from;
    for await (const { start, bytes } of backwards(file, from)) {
      if (lines.length === query.count || from - start > MOST_READ) break;
      const words = wordsOf(query);
      const isHere = words.every((word) => bytes.includes(word));
      for (const { at, line } of isHere ? linesOf(bytes) : []) {
        if (lines.length === query.count) return { lines, before, end };
        before = start + at;
        const parsed = matching(line, words, query);
        if (parsed) lines.push(parsed);
      }
      before = start;
    }
    return { lines, before, end };
  } finally {
    await file.close();
  }
}

/** The lines that were added since the file ended at `from`. */
export async function linesAfter(
  disk: Disk,
  dir: string,
  from: number,
): Promise<{ readonly lines: readonly LogLine[]; readonly end: number }> {
  const file = await open(disk, dir);
  if (!file) return { lines: [], end: 0 };
  try {
    const size = await file.size();
    if (size <= from) return { lines: [], end: size };
    const begin = Math.max(from, size - PIECE);
    const bytes = Buffer.alloc(size - begin);
    await file.readAll(bytes, begin);
    const whole = bytes.lastIndexOf(LINE_END) + 1;
    const lines: LogLine[] = [];
    for (const line of bytes.toString('utf8', 0, whole).split('\n')) {
      const parsed = parse(line);
      if (parsed) lines.push(parsed);
    }
    return { lines, end: begin + whole };
  } finally {
    await file.close();
  }
}

async function open(disk: Disk, dir: string): Promise<DiskFile | undefined> {
  try {
    return await disk.open(join(dir, 'log.jsonl'), 'read');
  } catch (error) {
    if (error instanceof DrumlinError && error.code === 'FILE_MISSING') return undefined;
    throw error;
  }
}

/** Whole lines in pieces, the last piece first. */
async function* backwards(
  file: DiskFile,
  from: number,
): AsyncGenerator<{ readonly start: number; readonly bytes: Buffer }> {
  let rest = Buffer.alloc(0);
  for (let end = from; end > 0; ) {
    const begin = Math.max(0, end - PIECE);
    const piece = Buffer.alloc(end - begin);
    await file.readAll(piece, begin);
    const bytes = Buffer.concat([piece, rest]);
    // The first line may begin in the piece before.
    const whole = begin === 0 ? 0 : bytes.indexOf(LINE_END) + 1;
    end = begin;
    const isPart = begin > 0 && (whole === 0 || whole === bytes.length);
    rest = isPart ? bytes : bytes.subarray(0, whole);
    if (rest.length > LONGEST_LINE) rest = Buffer.alloc(0);
    if (!isPart) yield { start: begin + whole, bytes: bytes.subarray(whole) };
  }
}

/** The lines of a piece, the last first, and where they begin. */
function* linesOf(bytes: Buffer): Generator<{ readonly at: number; readonly line: Buffer }> {
  for (let end = bytes.length; end > 0; ) {
    const at = end === 1 ? 0 : bytes.lastIndexOf(LINE_END, end - 2) + 1;
    yield { at, line: bytes.subarray(at, end) };
    end = at;
  }
}

/** What a line must contain. */
function wordsOf({ event = '', contains = '' }: LogQuery): string[] {
  const words = contains === '' ? [] : [quotable(contains)];
  return event === '' ? words : [...words, `"event":"${event}"`];
}

function matching(
  line: Buffer,
  words: readonly string[],
  { event }: LogQuery,
): LogLine | undefined {
  if (!words.every((word) => line.includes(word))) return undefined;
  const parsed = parse(line.toString('utf8'));
  const isIt = event === undefined || event === '' || parsed?.event === event;
  return isIt ? parsed : undefined;
}

/** The text as it stands within a JSON string. */
const quotable = (text: string): string => JSON.stringify(text).slice(1, -1);

function parse(line: string): LogLine | undefined {
  try {
    const value = JSON.parse(line);
    return typeof value?.event === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}
