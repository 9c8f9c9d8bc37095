/**
 * Writes long text to a file, which is complete or absent, or to standard output at the speed of
 * its reader.
 *
 * The file is opened before the text is computed: an hour of work must not end with a file that
 * cannot be written.
 */
import { once } from 'node:events';
import { basename, dirname, join } from 'node:path';
import type { Writable } from 'node:stream';
import { DrumlinError } from '../../base/errors.ts';
import { Disk } from '../../disk/disk.ts';
import { printableLines } from './printable.ts';

const BUFFER = 256 * 1024;

/** Writes what `make` yields to `file`, or to `output` if there is no file. */
export function writeText(
  file: string | undefined,
  output: Writable,
  make: () => AsyncIterable<string>,
  disk = new Disk(),
): Promise<void> {
  return file === undefined ? writeStream(output, make()) : writeFile(disk, file, make);
}

/** In a terminal, control characters are shown; a pipe gets the text as it is. */
async function writeStream(output: Writable, lines: AsyncIterable<string>): Promise<void> {
  const isTerminal = (output as { isTTY?: boolean }).isTTY === true;
  for await (const text of buffered(lines)) {
    if (!output.write(isTerminal ? printableLines(text) : text)) await once(output, 'drain');
  }
}

async function writeFile(
  disk: Disk,
  path: string,
  make: () => AsyncIterable<string>,
): Promise<void> {
  const draft = join(dirname(path), `.${basename(path)}.tmp`);
  const file = await disk.open(draft, 'create').catch((error) => {
    throw error instanceof DrumlinError && error.code === 'FILE_MISSING'
      ? noFolder(path, error)
      : error;
  });
  try {
    let at = 0;
    for await (const text of buffered(make())) {
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
  await disk.syncFolder(dirname(path));
}

function noFolder(path: string, cause: DrumlinError): DrumlinError {
  return new DrumlinError(
    'FILE_MISSING',
    `${path} cannot be written: there is no folder ${dirname(path)}.`,
    'Make the folder, or name a file in another one.',
    { cause },
  );
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
