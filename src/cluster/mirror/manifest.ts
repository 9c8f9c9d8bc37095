/**
 * The manifest of a checkpoint in the object store: which files the checkpoint covers, and which
 * bytes of which objects they are.
 *
 *   agents/<n>/<epoch>/<sequence>-<nonce>.json   a manifest
 *   agents/<n>/<epoch>/<sequence>-<nonce>.pack   pieces of files, one after the other
 *   archive/<file>                               a finished WARC file
 *
 * Idea      A file is pieces of a fixed length, each with its hash. A checkpoint uploads the pieces
 *           that changed in one pack, and its manifest refers to older packs for the others.
 * Ensures   The epoch and a nonce are in every name but those of WARC files, so no owner of an
 *           agent ever writes over an object of another. A WARC file gets its name in the archive
 *           only after the commit of a manifest that says how long it is.
 */
import { DrumlinError, EXIT } from '../../base/errors.ts';
import type { Bytes } from '../../base/units.ts';
import { sumOf, withSum } from '../../disk/summed-json.ts';
import type { ObjectStore, UploadedPart } from '../../objects/object-store.ts';

/**
 * A piece of a file: where it is, and its xxHash64 in hexadecimal digits. A piece of zeros (the
 * room that DRUM leaves) is in no object.
 */
export interface Piece {
  readonly object: string;
  readonly at: number;
  readonly sum: string;
}

export interface MirroredFile {
  /** As stored on disk, with checksums of blocks. */
  readonly length: Bytes;
  readonly pieceBytes: Bytes;
  /** Each of `pieceBytes` bytes, the last of what remains. */
  readonly pieces: readonly Piece[];
}

/** A WARC file: its parts so far, the bytes after them, and whether it is in the archive. */
export interface MirroredWarc {
  readonly file: string;
  readonly length: Bytes;
  /** `open`: it grows. `finished`: to be completed at `length`. `done`: it is in the archive. */
  readonly state: 'open' | 'finished' | 'done';
  /** The multipart upload, if one was begun. */
  readonly upload?: string | undefined;
  readonly parts: readonly UploadedPart[];
  /** Pieces of what follows the parts. */
  readonly tail: readonly Piece[];
}

export interface Manifest {
  readonly agent: number;
  readonly epoch: number;
  /** Of the checkpoint. */
  readonly sequence: number;
  /** Of the tails of WARC files. */
  readonly tailBytes: Bytes;
  /** By path below the folder of the crawl. */
  readonly files: ReadonlyMap<string, MirroredFile>;
  readonly archive: readonly MirroredWarc[];
  /** The packs that are referred to, and how long they are. */
  readonly packs: ReadonlyMap<string, Bytes>;
}

/** A piece of zeros. */
export const ZEROS: Piece = { object: '', at: 0, sum: '0' };

export const archiveKey = (file: string): string => `archive/${file}`;

const KIND = 'mirror';
const VERSION = 1;

/** Pieces are written as [number of the pack, place, hash], or 0 for zeros. */
type Row = readonly [number, number, string] | 0;

export function encodeManifest(manifest: Manifest): Buffer {
  const names = [...manifest.packs.keys()];
  const numbers = new Map(names.map((name, i) => [name, i]));
  const rows = (pieces: readonly Piece[]): Row[] =>
    pieces.map((piece) =>
      piece.object === '' ? 0 : [numbers.get(piece.object) as number, piece.at, piece.sum],
    );
  const text = JSON.stringify({
    drumlin: KIND,
    version: VERSION,
    agent: manifest.agent,
    epoch: manifest.epoch,
    sequence: manifest.sequence,
    tailBytes: manifest.tailBytes,
    packs: [...manifest.packs],
    files: [...manifest.files].map(([path, { length, pieceBytes, pieces }]) => [
      path,
      length,
      pieceBytes,
      rows(pieces),
    ]),
    archive: manifest.archive.map((each) => ({ ...each, tail: rows(each.tail) })),
  });
  return Buffer.from(withSum(text));
}

function decodeManifest(text: string, name: string): Manifest {
  if (sumOf(text) !== 'right') throw damagedObject(name);
  const stored = JSON.parse(text);
  if (stored.drumlin !== KIND || stored.version !== VERSION) throw otherVersion(name);
  const packs = stored.packs as [string, Bytes][];
  const pieces = (rows: readonly Row[]): Piece[] =>
    rows.map((row) => (row === 0 ? ZEROS : { object: packs[row[0]][0], at: row[1], sum: row[2] }));
  const files = stored.files as [string, Bytes, Bytes, Row[]][];
  const archive = stored.archive as (Omit<MirroredWarc, 'tail'> & { tail: Row[] })[];
  return {
    agent: stored.agent,
    epoch: stored.epoch,
    sequence: stored.sequence,
    tailBytes: stored.tailBytes,
    packs: new Map(packs),
    files: new Map(
      files.map(([path, length, pieceBytes, rows]) => [
        path,
        { length, pieceBytes, pieces: pieces(rows) },
      ]),
    ),
    archive: archive.map((each) => ({ ...each, tail: pieces(each.tail) })),
  };
}

export async function readManifest(store: ObjectStore, key: string): Promise<Manifest> {
  const bytes = await store.get(key);
  if (!bytes) throw missingObject(`${store.place}/${key}`);
  return decodeManifest(bytes.toString('utf8'), `${store.place}/${key}`);
}

export function missingObject(name: string): DrumlinError {
  return new DrumlinError(
    'OBJECT_MISSING',
    `${name} is missing, but a committed checkpoint needs it.`,
    'Something else deleted it: restore it from a version of the bucket, or start a new crawl.',
    { exitCode: EXIT.damaged },
  );
}

export function damagedObject(name: string): DrumlinError {
  return new DrumlinError(
    'OBJECT_DAMAGED',
    `${name} is not what was uploaded: its checksum is wrong.`,
    'Restore it from a version of the bucket, or start a new crawl.',
    { exitCode: EXIT.damaged },
  );
}

function otherVersion(name: string): DrumlinError {
  return new DrumlinError(
    'OBJECT_FORMAT',
    `${name} is not a manifest that this version reads.`,
    'Use the release of drumlin that wrote it.',
    { exitCode: EXIT.folder },
  );
}
