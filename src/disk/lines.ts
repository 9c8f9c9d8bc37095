/**
 * Lines of a text file, in batches, through one buffer.
 *
 * Requires  lines that end in `\n`; the last one may lack it.
 * Ensures   every line from byte `from` on, in order, without its line end. One byte is one
 *           character (Latin-1), so that comparing lines compares bytes.
 * Costs     two buffers and the lines of one.
 */
import type { Disk } from './disk.ts';
import { ReadAhead } from './read-ahead.ts';

const BUFFER_BYTES = 256 * 1024;

export async function* readLines(
  disk: Disk,
  path: string,
  from = 0,
  bufferBytes = BUFFER_BYTES,
): AsyncGenerator<string[]> {
  const file = await disk.open(path, 'read');
  const reader = new ReadAhead(file, from, await file.size(), bufferBytes);
  try {
    let rest = '';
    for (;;) {
      const bytes = await reader.peek(bufferBytes);
      if (bytes.length === 0) break;
      const text =
        rest + Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
      reader.skip(bytes.length);
      const lines = text.split('\n');
      rest = lines.pop() ?? '';
      if (lines.length > 0) yield lines;
    }
    if (rest !== '') yield [rest];
  } finally {
    await reader.end();
    await file.close();
  }
}
