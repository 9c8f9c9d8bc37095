/**
 * The first eight bytes of every binary file: a magic word, one byte of version, three letters of
 * type. `head -c 8` shows what a file is; a file of another type or version is refused.
 *
 * The magic word is `DRMS` for a file of blocks with checksums (`block-sums.ts`), `DRML` for one
 * without. The two differ in five bits, so that no single wrong bit turns one into the other.
 */
import { DrumlinError, EXIT } from '../base/errors.ts';
import { damaged } from './damage.ts';
import type { DiskFile } from './disk.ts';

export const HEADER_BYTES = 8;
const PLAIN = 'DRML';
const SUMMED = 'DRMS';

export interface Format {
  /** Three letters that name the kind of file. */
  readonly type: string;
  readonly version: number;
  /** New files have checksums. Files without are still read: 0.1.0 wrote them. */
  readonly summed?: boolean;
}

export function formatHeader({ type, version, summed }: Format): Uint8Array {
  const text = `${summed ? SUMMED : PLAIN}${String.fromCharCode(version)}${type}`;
  return Uint8Array.from(Buffer.from(text, 'latin1'));
}

/** Whether the file has checksums, by its magic word; damage if it has neither word. */
export async function isSummed(file: DiskFile): Promise<boolean> {
  const header = new Uint8Array(HEADER_BYTES);
  const n = await file.readUpTo(header, 0);
  const magic = Buffer.from(header.buffer, 0, Math.min(n, 4)).toString('latin1');
  if (n < HEADER_BYTES || (magic !== PLAIN && magic !== SUMMED))
    throw damaged(file.path, 'is damaged at byte 0: it does not begin as a file of drumlin');
  return magic === SUMMED;
}

type HeaderFile = Pick<DiskFile, 'path' | 'readUpTo'>;

export async function requireFormat(file: HeaderFile, format: Format): Promise<void> {
  const header = new Uint8Array(HEADER_BYTES);
  const n = await file.readUpTo(header, 0);
  const text = Buffer.from(header.buffer, 0, n).toString('latin1');
  const isOurs = text.startsWith(PLAIN) || (format.summed && text.startsWith(SUMMED));
  if (!isOurs || n < HEADER_BYTES || text.slice(5) !== format.type) {
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
