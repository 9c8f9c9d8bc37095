/**
 * The log of a crawl, newest lines first, in pages.
 *
 * Idea      The file is read backwards from where the last page ended, so a page costs what it
 *           shows; a filter that matches little reads at most `MOST_READ`.
 */
import { join } from 'node:path';
import { DrumlinError } from '../../base/errors.ts';
import type { Bytes } from '../../base/units.ts';
import type { Disk, DiskFile } from '../../disk/disk.ts';

const PIECE: Bytes = 256 * 1024;
const MOST_READ: Bytes = 64 * 2 ** 20;
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
    for await (const { at, bytes } of backwards(file, from)) {
      if (lines.length === query.count || from - at > MOST_READ) break;
      before = at;
      const line = matching(bytes, query);
      if (line) lines.push(line);
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

async function* backwards(
  file: DiskFile,
  from: number,
): AsyncGenerator<{ readonly at: number; readonly bytes: Buffer }> {
  let rest = Buffer.alloc(0);
  for (let end = from; end > 0; ) {
    const start = Math.max(0, end - PIECE);
    const piece = Buffer.alloc(end - start);
    await file.readAll(piece, start);
    const bytes = Buffer.concat([piece, rest]);
    let to = bytes.length;
    for (;;) {
      const newline = to > 0 ? bytes.lastIndexOf(LINE_END, to - 2) : -1;
      if (newline < 0) break;
      if (to > newline + 1)
        yield { at: start + newline + 1, bytes: bytes.subarray(newline + 1, to) };
      to = newline + 1;
    }
    rest = bytes.subarray(0, to);
    end = start;
    if (start === 0 && rest.length > 0) yield { at: 0, bytes: rest };
  }
}

function matching(bytes: Buffer, { event, contains }: LogQuery): LogLine | undefined {
  if (contains !== undefined && contains !== '' && !bytes.includes(quotable(contains)))
    return undefined;
  const line = parse(bytes.toString('utf8'));
  return line && (event === undefined || event === '' || line.event === event) ? line : undefined;
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
