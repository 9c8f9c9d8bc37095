/**
 * The URLs that wait while a crawl is stopped: one a line, `depth redirects url`.
 *
 * Ensures   the file is the old or the new, never a mixture, whatever its length: it is written and read in pieces.
 */
import { join } from 'node:path';
import type { Disk, DiskFile } from '../disk/disk.ts';
import type { Discovery } from '../frontier/discovery.ts';
import type { Bytes } from '../units.ts';

const PIECE: Bytes = 1 << 20;

export async function saveWaiting(
  disk: Disk,
  dir: string,
  name: string,
  waiting: Iterable<Discovery>,
): Promise<void> {
  const draft = join(dir, `${name}.tmp`);
  const file = await disk.open(draft, 'create');
  try {
    let position = 0;
    let lines = '';
    const writeLines = async () => {
      const bytes = Buffer.from(lines);
      await file.writeAll(bytes, position);
      position += bytes.length;
      lines = '';
    };
    for (const { url, depth, redirects } of waiting) {
      lines += `${depth} ${redirects} ${url}\n`;
      if (lines.length >= PIECE) await writeLines();
    }
    await writeLines();
    await file.sync();
  } finally {
    await file.close();
  }
  await disk.rename(draft, join(dir, name));
  await disk.syncFolder(dir);
}

export async function* readWaiting(disk: Disk, path: string): AsyncGenerator<Discovery> {
  const file = await disk.open(path, 'read');
  try {
    let begun = '';
    for await (const piece of pieces(file)) {
      const lines = (begun + piece).split('\n');
      begun = lines.pop() ?? '';
      for (const line of lines) yield parseLine(line);
    }
  } finally {
    await file.close();
  }
}

/** URLs are ASCII, so that no character is cut in two. */
async function* pieces(file: DiskFile): AsyncGenerator<string> {
  const buffer = Buffer.alloc(PIECE);
  for (let position = 0; ; ) {
    const length = await file.readUpTo(buffer, position);
    if (length === 0) return;
    position += length;
    yield buffer.toString('latin1', 0, length);
  }
}

function parseLine(line: string): Discovery {
  const [depth, redirects, url] = line.split(' ');
  return { url, depth: Number(depth), redirects: Number(redirects) };
}
