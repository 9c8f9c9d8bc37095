/** The log in pages, newest first: against the lines of the file, wherever pieces of it begin. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readLog } from '../../src/console/look/log.ts';
import { Disk } from '../../src/disk/disk.ts';
import { temporaryFolder } from '../disk/temporary-folder.ts';

const PIECE = 256 * 1024;
const disk = new Disk();

function folderWith(text: string): string {
  const dir = temporaryFolder();
  writeFileSync(join(dir, 'log.jsonl'), text);
  return dir;
}

async function allLines(
  dir: string,
  query: { contains?: string; event?: 'fetched' },
  count: number,
) {
  const numbers: unknown[] = [];
  let before: number | undefined;
  do {
    const page = await readLog(disk, dir, { ...query, count, ...(before && { before }) });
    numbers.push(...page.lines.map(({ n }) => n));
    expect(page.before).toBeLessThan(before ?? Number.MAX_SAFE_INTEGER);
    before = page.before;
  } while (before > 0);
  return numbers;
}

const line = (n: number, event: string) => `${JSON.stringify({ time: 't', event, n })}\n`;

test('gives every line once, also when a piece begins with a line end', async () => {
  const lines = Array.from({ length: 12_000 }, (_, n) => line(n, n % 500 === 0 ? 'rare' : 'often'));
  const text = lines.join('');
  const at = text.length - PIECE;
  const next = text.indexOf('\n', at) - at;
  // A line at the end moves the first byte of the last piece: onto a line end, before it, after it.
  for (const extra of [next - 1, next, next + 1]) {
    const last = `${JSON.stringify({ event: 'last', n: -1, pad: '' })}\n`;
    const padded = last.replace('""', `"${'x'.repeat(Math.max(0, 400 + extra - last.length))}"`);
    const cut = text.length + padded.length - PIECE;
    const dir = folderWith(text + padded);
    expect(cut).toBeGreaterThan(0);
    const model = [-1, ...lines.map((_, n) => 11_999 - n)];
    expect(await allLines(dir, {}, 999)).toEqual(model);
    const rare = model.filter((n) => n >= 0 && n % 500 === 0);
    expect(await allLines(dir, { contains: '"rare' }, 7)).toEqual([]);
    expect(await allLines(dir, { contains: 'rare' }, 7)).toEqual(rare);
  }
});

test('ends for every offset of a line end in a piece', async () => {
  const text = `${'y'.repeat(PIECE - 10)}\n`;
  for (let i = 0; i < 12; i++) {
    const dir = folderWith(`${line(1, 'a')}${text}${line(2, 'b')}${' '.repeat(i)}\n`);
    const { lines } = await readLog(disk, dir, { count: 10 });
    expect(lines.map(({ n }) => n)).toEqual([2, 1]);
  }
});

test('passes over a line that is none, and a log that is no text', async () => {
  const noise = Buffer.alloc(3 * 2 ** 20, 'z').toString();
  const dir = folderWith(`${line(1, 'a')}${noise}\n${line(2, 'b')}{"event":"cut`);
  expect((await readLog(disk, dir, { count: 10 })).lines.map(({ n }) => n)).toEqual([2, 1]);
});
