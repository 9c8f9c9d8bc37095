/**
 * The first eight bytes of every binary file: `DRML`, one byte of version, three letters of type.
 * `head -c 8` shows what a file is; a file of another type or version is refused.
 */
import { DrumlinError, EXIT } from '../base/errors.ts';
import type { DiskFile } from './disk.ts';

export const HEADER_BYTES = 8;
const MAGIC = 'DRML';

export interface Format {
  /** Three letters that name the kind of file. */
  readonly type: string;
  readonly version: number;
}

export function formatHeader({ type, version }: Format): Uint8Array {
  return Uint8Array.from(Buffer.from(`${MAGIC}${String.fromCharCode(version)}${type}`, 'latin1'));
}

export async function requireFormat(file: DiskFile, format: Format): Promise<void> {
  const header = new Uint8Array(HEADER_BYTES);
  const n = await file.readUpTo(header, 0);
  const text = Buffer.from(header.buffer, 0, n).toString('latin1');
  if (!text.startsWith(MAGIC) || n < HEADER_BYTES || text.slice(5) !== format.type) {
    throw new DrumlinError(
      'FILE_FORMAT',
      `${file.path} is not a file of the type "${format.type}".`,
      'Choose another --dir, or restore the file from a copy.',
      { exitCode: EXIT.folder },
    );
  }
  if (header[4] !== format.version) throw versionMismatch(file.path, header[4], format.version);
}

export function versionMismatch(path: string, found: unknown, expected: number): DrumlinError {
  return new DrumlinError(
    'FILE_VERSION',
    `${path} holds format v${found}; this build reads v${expected}.`,
    'Use the release of drumlin that wrote it, or choose an empty --dir.',
    { exitCode: EXIT.folder },
  );
}
