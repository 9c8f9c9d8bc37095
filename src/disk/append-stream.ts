/**
 * A stream to the end of a file, a pipe or a device, for logs that may lose lines: nothing is made
 * durable, and a failure is an event of the stream.
 */
import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';

export type AppendStream = WriteStream;

/** Opens the stream, and creates the file if there is none. Throws the system's error. */
export async function openAppendStream(path: string): Promise<AppendStream> {
  const stream = createWriteStream(path, { flags: 'a' });
  await once(stream, 'open');
  return stream;
}
