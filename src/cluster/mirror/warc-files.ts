/**
 * The WARC files of an agent on their way to the archive.
 *
 * Idea      A WARC file only grows at its end, so its full parts go to the store once, as parts of
 *           a multipart upload. What follows the last full part travels in the packs of checkpoints
 *           until the file is finished. The commit of a manifest says how long a finished file is;
 *           only then is it put together, by its owner or by an heir, and both make the same bytes.
 * Requires  that a file was begun in one run of the agent and never continued by another: an heir
 *           finds its predecessor's file at exactly the committed length.
 * Ensures   The last part of a file has the number 10,000, which no owner uses for a full part. So
 *           a stopped owner that still uploads parts changes nothing that an heir names. No object
 *           of the archive is ever replaced. An upload that the store has dropped is made again
 *           while the file is on this disk.
 */
import { join } from 'node:path';
import { archiveDir } from '../../archive/index/index-merge.ts';
import type { WholeLength } from '../../archive/write/warc-writer.ts';
import type { Bytes } from '../../base/units.ts';
import type { Disk, DiskFile } from '../../disk/disk.ts';
import {
  isConflict,
  isUploadGone,
  type ObjectStore,
  type UploadedPart,
} from '../../objects/object-store.ts';
import { exists } from './covered-files.ts';
import {
  archiveKey,
  damagedObject,
  type Manifest,
  type MirroredWarc,
  missingObject,
  type Piece,
} from './manifest.ts';
import { hashOf, type Pack, readPart } from './pack.ts';

const LAST_PART = 10_000;

interface Progress {
  upload: string | undefined;
  parts: UploadedPart[];
  isDone: boolean;
  /** It was begun in an earlier run of the agent, so it does not grow. */
  readonly isEarlier: boolean;
}

interface WarcFilesOptions {
  readonly store: ObjectStore;
  readonly disk: Disk;
  readonly dir: string;
  readonly partBytes: Bytes;
  readonly tailBytes: Bytes;
}

export class WarcFiles {
  readonly #options: WarcFilesOptions;
  readonly #progress = new Map<string, Progress>();

  /** `before` is the manifest that the agent continues from. */
  constructor(options: WarcFilesOptions, before: Manifest | undefined) {
    this.#options = options;
    for (const { file, upload, parts, state } of before?.archive ?? []) {
      const isDone = state === 'done';
      this.#progress.set(file, { upload, parts: [...parts], isDone, isEarlier: true });
    }
  }

  /** Puts the files of a predecessor that are not on this disk into the archive. */
  async adopt({ archive, tailBytes }: Manifest): Promise<void> {
    const { store, disk, dir } = this.#options;
    for (const warc of archive) {
      if (warc.state === 'done' || (await exists(disk, join(archiveDir(dir), warc.file)))) continue;
      await putTogether(store, warc, tailBytes);
      this.#of(warc.file).isDone = true;
    }
  }

  /** Puts what follows the full parts into the pack; nothing is sent yet. */
  async stage(
    files: readonly WholeLength[],
    isFinal: boolean,
    pack: Pack,
  ): Promise<readonly MirroredWarc[]> {
    const staged: MirroredWarc[] = [];
    for (const [i, { file, length }] of files.entries()) {
      const progress = this.#of(file);
      if (progress.isDone) {
        staged.push({ file, length, state: 'done', parts: [], tail: [] });
        continue;
      }
      const path = join(archiveDir(this.#options.dir), file);
      if (!(await exists(this.#options.disk, path))) continue;
      const isLast = i === files.length - 1;
      const state = isLast && !isFinal && !progress.isEarlier ? 'open' : 'finished';
      const tail = await this.#tail(path, this.#inParts(progress, length), length, pack);
      const { upload, parts } = progress;
      staged.push({ file, length, state, upload, parts: [...parts], tail });
    }
    return staged;
  }

  /** Sends the full parts, and of finished files the rest; returns how the files are now. */
  async send(staged: readonly MirroredWarc[]): Promise<readonly MirroredWarc[]> {
    const sent: MirroredWarc[] = [];
    for (const each of staged) sent.push(each.state === 'done' ? each : await this.#sendOne(each));
    return sent;
  }

  /** After the commit: puts finished files into the archive. */
  async finish({ archive, tailBytes }: Manifest): Promise<void> {
    for (const warc of archive) {
      if (warc.state !== 'finished') continue;
      await putTogether(this.#options.store, warc, tailBytes).catch(async (error) => {
        if (!isUploadGone(error)) throw error;
        await this.#uploadAgain(warc);
      });
      this.#of(warc.file).isDone = true;
    }
  }

  /** The file as it is on this disk, by an upload of its own. */
  async #uploadAgain({ file: name, length }: MirroredWarc): Promise<void> {
    const { store, disk, dir, partBytes } = this.#options;
    const key = archiveKey(name);
    const file = await disk.open(join(archiveDir(dir), name), 'read');
    try {
      const upload = await store.begin(key);
      const parts: UploadedPart[] = [];
      for (let at = 0; at < length; at += partBytes) {
        const bytes = await readPart(file, at, Math.min(partBytes, length - at));
        parts.push(await store.putPart(key, upload, parts.length + 1, bytes));
      }
      await store.complete(key, upload, parts);
    } finally {
      await file.close();
    }
  }

  #of(file: string): Progress {
    const known = this.#progress.get(file);
    if (known) return known;
    const begun = { upload: undefined, parts: [], isDone: false, isEarlier: false };
    this.#progress.set(file, begun);
    return begun;
  }

  /** Bytes that full parts cover when they are sent. */
  #inParts({ parts }: Progress, length: Bytes): Bytes {
    const { partBytes } = this.#options;
    const sent = bytesOf(parts);
    return sent + Math.floor((length - sent) / partBytes) * partBytes;
  }

  async #tail(path: string, start: Bytes, length: Bytes, pack: Pack): Promise<Piece[]> {
    const { disk, tailBytes } = this.#options;
    const pieces: Piece[] = [];
    const file = await disk.open(path, 'read');
    try {
      for (let at = start; at < length; at += tailBytes) {
        const bytes = await readPart(file, at, Math.min(tailBytes, length - at));
        pieces.push(await pack.add(bytes, hashOf(bytes)));
      }
    } finally {
      await file.close();
    }
    return pieces;
  }

  async #sendOne(warc: MirroredWarc): Promise<MirroredWarc> {
    const { disk, dir } = this.#options;
    const progress = this.#of(warc.file);
    const full = this.#inParts(progress, warc.length);
    if (full === 0) return warc;
    const file = await disk.open(join(archiveDir(dir), warc.file), 'read');
    try {
      await this.#sendParts(warc, file, full, progress).catch(async (error) => {
        if (!isUploadGone(error)) throw error;
        // All its parts are gone with it.
        progress.upload = undefined;
        progress.parts = [];
        await this.#sendParts(warc, file, full, progress);
      });
    } finally {
      await file.close();
    }
    return { ...warc, upload: progress.upload, parts: [...progress.parts] };
  }

  async #sendParts(
    { file: name }: MirroredWarc,
    file: DiskFile,
    full: Bytes,
    progress: Progress,
  ): Promise<void> {
    const { store, partBytes } = this.#options;
    const key = archiveKey(name);
    progress.upload ??= await store.begin(key);
    for (let at = bytesOf(progress.parts); at < full; at += partBytes) {
      const bytes = await readPart(file, at, partBytes);
      const number = progress.parts.length + 1;
      progress.parts.push(await store.putPart(key, progress.upload, number, bytes));
    }
  }
}

const bytesOf = (parts: readonly UploadedPart[]): Bytes =>
  parts.reduce((sum, { bytes }) => sum + bytes, 0);

/** Makes the object of a finished WARC file, from what its manifest names. Can be repeated. */
async function putTogether(
  store: ObjectStore,
  { file, length, upload, parts, tail }: MirroredWarc,
  tailBytes: Bytes,
): Promise<void> {
  const key = archiveKey(file);
  if ((await store.look(key))?.bytes === length) return;
  const rest = await readPieces(store, tail, length - bytesOf(parts), tailBytes);
  if (upload === undefined) {
    await store.put(key, rest, { ifAbsent: true }).catch(async (error) => {
      if (!isConflict(error)) throw error;
      // All owners make the same bytes: a shorter object is an upload that broke off, which some
      // stores keep.
      if ((await store.look(key))?.bytes !== length) await store.put(key, rest);
    });
    return;
  }
  const last = rest.length > 0 ? [await store.putPart(key, upload, LAST_PART, rest)] : [];
  await store.complete(key, upload, [...parts, ...last]);
}

/** The bytes of pieces that follow each other; throws if one is not what was uploaded. */
async function readPieces(
  store: ObjectStore,
  pieces: readonly Piece[],
  length: Bytes,
  tailBytes: Bytes,
): Promise<Buffer> {
  const whole = Buffer.alloc(length);
  for (const [i, { object, at, sum }] of pieces.entries()) {
    const from = i * tailBytes;
    const n = Math.min(tailBytes, length - from);
    const bytes = await store.get(object, { from: at, length: n });
    if (!bytes) throw missingObject(`${store.place}/${object}`);
    if (hashOf(bytes) !== sum) throw damagedObject(`${store.place}/${object}`);
    whole.set(bytes, from);
  }
  return whole;
}
