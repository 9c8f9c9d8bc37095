/**
 * A pack: the changed pieces of a checkpoint, collected in a local file and uploaded as one object.
 *
 * Idea      The agent continues, and writes below the lengths of its checkpoint, while a slow store
 *           takes the bytes. So they are copied first, before the next checkpoint, and only once.
 * Cost      a local write of what is uploaded; memory of one part.
 */

import type { Bytes } from '../../base/units.ts';
import { xxh64Bytes } from '../../base/xxh64.ts';
import type { Disk, DiskFile } from '../../disk/disk.ts';
import type { ObjectStore, UploadedPart } from '../../objects/object-store.ts';
import type { Piece } from './manifest.ts';

export const hashOf = (bytes: Uint8Array): string =>
  xxh64Bytes(bytes).toString(16).padStart(16, '0');

/** What is added is written in steps of this many bytes. */
const BUFFER_BYTES: Bytes = 2 ** 20;

export class Pack {
  readonly name: string;
  readonly #disk: Disk;
  readonly #file: DiskFile;
  #length: Bytes = 0;
  #waiting: Uint8Array[] = [];
  #waitingBytes: Bytes = 0;

  private constructor(name: string, disk: Disk, file: DiskFile) {
    this.name = name;
    this.#disk = disk;
    this.#file = file;
  }

  /** `path` is the local file; what is there is replaced. */
  static async create(disk: Disk, path: string, name: string): Promise<Pack> {
    return new Pack(name, disk, await disk.open(path, 'create'));
  }

  get length(): Bytes {
    return this.#length;
  }

  /** The bytes must not change until the next `flush`. */
  async add(bytes: Uint8Array, sum: string): Promise<Piece> {
    const at = this.#length;
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    this.#length += bytes.length;
    if (this.#waitingBytes >= BUFFER_BYTES) await this.flush();
    return { object: this.name, at, sum };
  }

  /** Writes what was added: its memory may be used again. */
  async flush(): Promise<void> {
    const bytes = Buffer.concat(this.#waiting);
    this.#waiting = [];
    this.#waitingBytes = 0;
    await this.#file.writeAll(bytes, this.#length - bytes.length);
  }

  /** Uploads what was added, in parts if it is long; an upload that fails is aborted. */
  async send(store: ObjectStore, partBytes: Bytes): Promise<void> {
    if (this.#length === 0) return;
    if (this.#length <= partBytes) {
      await store.put(this.name, await readPart(this.#file, 0, this.#length));
      return;
    }
    const upload = await store.begin(this.name);
    try {
      const parts: UploadedPart[] = [];
      for (let at = 0; at < this.#length; at += partBytes) {
        const bytes = await readPart(this.#file, at, Math.min(partBytes, this.#length - at));
        parts.push(await store.putPart(this.name, upload, parts.length + 1, bytes));
      }
      await store.complete(this.name, upload, parts);
    } catch (error) {
      await store.abort(this.name, upload).catch(() => {});
      throw error;
    }
  }

  /** Deletes the local file. */
  async discard(): Promise<void> {
    await this.#file.close();
    await this.#disk.remove(this.#file.path);
  }
}

export async function readPart(
  file: Pick<DiskFile, 'readAll'>,
  at: number,
  length: Bytes,
): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  await file.readAll(bytes, at);
  return bytes;
}
