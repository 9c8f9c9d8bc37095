/** Long text to a file, which is there whole or not at all, or to standard output at the pace it is read. */
import { once } from 'node:events';
import { basename, dirname, join } from 'node:path';
import type { Writable } from 'node:stream';
import { Disk } from '../disk/disk.ts';

const BUFFER = 256 * 1024;

export async function writeText(
  lines: AsyncIterable<string>,
  file: string | undefined,
  output: Writable,
): Promise<void> {
  if (file !== undefined) return writeFile(lines, file);
  for await (const text of buffered(lines)) if (!output.write(text)) await once(output, 'drain');
}

async function writeFile(lines: AsyncIterable<string>, path: string): Promise<void> {
  const disk = new Disk();
  const draft = join(dirname(path), `.${basename(path)}.tmp`);
  const file = await disk.open(draft, 'create');
  try {
    let at = 0;
    for await (const text of buffered(lines)) {
      const bytes = Buffer.from(text);
      await file.writeAll(bytes, at);
      at += bytes.length;
    }
    await file.sync();
  } catch (error) {
    await file.close();
    await disk.remove(draft);
    throw error;
  }
  await file.close();
  await disk.rename(draft, path);
}

async function* buffered(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let text = '';
  for await (const line of lines) {
    text += line;
    if (text.length < BUFFER) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}
