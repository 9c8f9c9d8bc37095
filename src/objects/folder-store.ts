/**
 * Objects as files of a folder: for a cluster on one machine, on a shared file system, and in
 * tests.
 *
 *   <root>/<key>            the objects
 *   <root>/.new/            objects being written
 *   <root>/.uploads/<id>/   the parts of multipart uploads
 *   <root>/.lock/           held while a condition is decided
 *
 * Ensures   What `ObjectStore` asks for. An object is written beside its place, made durable, and
 *           renamed. Conditions are decided under a lock that all processes of this machine see.
 * Limits    Machines that share the folder over a network are not kept apart by that lock.
 */
import { createHash, randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import { type Clock, systemClock } from '../base/clock.ts';
import { DrumlinError, systemCode } from '../base/errors.ts';
import type { Bytes, Millis } from '../base/units.ts';
import { Disk } from '../disk/disk.ts';
import type { Held } from '../disk/file-system.ts';
import {
  type ByteRange,
  checkKey,
  conflict,
  type ListedObject,
  type ObjectStore,
  type PutCondition,
  type StoredObject,
  type Tag,
  type UploadedPart,
  uploadGone,
} from './object-store.ts';

const OWN = new Set(['.new', '.uploads', '.lock']);
/** Bytes read at once for a tag. */
const READ_BYTES: Bytes = 2 ** 20;
const LOCK_RETRY: Millis = 5;
const LOCK_TRIES = 2000;

interface FolderStoreOptions {
  readonly disk?: Disk;
  readonly clock?: Clock;
  /** Default 1: a folder needs no minimum. */
  readonly leastPart?: Bytes;
}

export class FolderStore implements ObjectStore {
  readonly place: string;
  readonly leastPart: Bytes;
  readonly #disk: Disk;
  readonly #clock: Clock;
  /** Callers of this process that wait for the lock. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(root: string, options: FolderStoreOptions = {}) {
    this.place = root;
    this.#disk = options.disk ?? new Disk();
    this.#clock = options.clock ?? systemClock;
    this.leastPart = options.leastPart ?? 1;
  }

  async put(key: string, bytes: Uint8Array, condition?: PutCondition): Promise<Tag> {
    checkKey(key);
    const written = await this.#write([bytes]);
    try {
      if (!condition) await this.#moveTo(written, key);
      else
        await this.#alone(async () => {
          const present = await this.look(key);
          const holds =
            'ifAbsent' in condition ? present === undefined : present?.tag === condition.ifMatch;
          if (!holds) throw conflict(this.place, key);
          await this.#moveTo(written, key);
        });
    } catch (error) {
      await this.#disk.remove(written);
      throw error;
    }
    return tagOf(bytes);
  }

  async get(key: string, range?: ByteRange): Promise<Buffer | undefined> {
    checkKey(key);
    const file = await orMissing(this.#disk.open(join(this.place, key), 'read'));
    if (!file) return undefined;
    try {
      const { from, length } = range ?? { from: 0, length: await file.size() };
      const bytes = Buffer.alloc(length);
      await file.readAll(bytes, from);
      return bytes;
    } finally {
      await file.close();
    }
  }

  async look(key: string): Promise<StoredObject | undefined> {
    checkKey(key);
    const file = await orMissing(this.#disk.open(join(this.place, key), 'read'));
    if (!file) return undefined;
    try {
      const bytes = await file.size();
      const hash = createHash('sha256');
      for (let at = 0; at < bytes; at += READ_BYTES) {
        const some = Buffer.allocUnsafe(Math.min(READ_BYTES, bytes - at));
        await file.readAll(some, at);
        hash.update(some);
      }
      return { key, bytes, tag: hash.digest('hex') };
    } finally {
      await file.close();
    }
  }

  async *list(prefix: string): AsyncIterable<ListedObject> {
    const keys: string[] = [];
    await this.#collect('', prefix, keys);
    keys.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    for (const key of keys) {
      const file = await orMissing(this.#disk.open(join(this.place, key), 'read'));
      if (!file) continue;
      const bytes = await file.size().finally(() => file.close());
      yield { key, bytes };
    }
  }

  async delete(key: string): Promise<void> {
    checkKey(key);
    await orMissing(this.#disk.remove(join(this.place, key)));
  }

  async begin(key: string): Promise<string> {
    checkKey(key);
    const id = randomUUID();
    await this.#disk.makeFolder(this.#uploadOf(id));
    return id;
  }

  async putPart(
    key: string,
    upload: string,
    number: number,
    bytes: Uint8Array,
  ): Promise<UploadedPart> {
    const folder = this.#uploadOf(upload);
    if ((await orMissing(this.#disk.list(folder))) === undefined) throw uploadGone(this.place, key);
    const written = await this.#write([bytes]);
    await this.#disk.rename(written, join(folder, String(number)));
    await this.#disk.syncFolder(folder);
    return { number, tag: tagOf(bytes), bytes: bytes.length };
  }

  async complete(key: string, upload: string, parts: readonly UploadedPart[]): Promise<void> {
    const folder = this.#uploadOf(upload);
    const bytes = parts.reduce((sum, part) => sum + part.bytes, 0);
    if ((await orMissing(this.#disk.list(folder))) === undefined) {
      if ((await this.look(key))?.bytes === bytes) return;
      throw uploadGone(this.place, key);
    }
    await this.#moveTo(await this.#write(this.#parts(key, folder, parts)), key);
    await this.#disk.removeFolder(folder);
  }

  async abort(_key: string, upload: string): Promise<void> {
    await this.#disk.removeFolder(this.#uploadOf(upload));
  }

  /** One part at a time: an object may be larger than memory. */
  async *#parts(
    key: string,
    folder: string,
    parts: readonly UploadedPart[],
  ): AsyncIterable<Uint8Array> {
    for (const part of parts) {
      const bytes = await this.#part(folder, part);
      if (!bytes) throw uploadGone(this.place, key);
      yield bytes;
    }
  }

  /** The part as it was named; undefined if it is missing or was replaced. */
  async #part(folder: string, { number, tag }: UploadedPart): Promise<Buffer | undefined> {
    const file = await orMissing(this.#disk.open(join(folder, String(number)), 'read'));
    if (!file) return undefined;
    try {
      const bytes = Buffer.alloc(await file.size());
      await file.readAll(bytes, 0);
      return tagOf(bytes) === tag ? bytes : undefined;
    } finally {
      await file.close();
    }
  }

  #uploadOf(id: string): string {
    checkKey(id);
    return join(this.place, '.uploads', id);
  }

  /** Writes a new file, durably; returns its path. */
  async #write(pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Promise<string> {
    const folder = join(this.place, '.new');
    await this.#disk.makeFolder(folder);
    const path = join(folder, randomUUID());
    const file = await this.#disk.open(path, 'exclusive');
    try {
      let at = 0;
      for await (const piece of pieces) {
        await file.writeAll(piece, at);
        at += piece.length;
      }
      await file.sync();
    } catch (error) {
      await this.#disk.remove(path);
      throw error;
    } finally {
      await file.close();
    }
    return path;
  }

  async #moveTo(written: string, key: string): Promise<void> {
    const path = join(this.place, key);
    await this.#disk.makeFolder(dirname(path));
    await this.#disk.rename(written, path);
    await this.#disk.syncFolder(dirname(path));
  }

  async #collect(folder: string, prefix: string, into: string[]): Promise<void> {
    for (const name of (await listOrNone(this.#disk, join(this.place, folder))) ?? []) {
      if (folder === '' && OWN.has(name)) continue;
      const key = folder === '' ? name : `${folder}/${name}`;
      const leads = prefix.startsWith(`${key}/`) || `${key}/`.startsWith(prefix);
      if (!leads && !key.startsWith(prefix)) continue;
      if ((await listOrNone(this.#disk, join(this.place, key))) !== undefined)
        await this.#collect(key, prefix, into);
      else if (key.startsWith(prefix)) into.push(key);
    }
  }

  /** Runs while no other caller decides a condition. */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(async () => {
      const folder = join(this.place, '.lock');
      await this.#disk.makeFolder(folder);
      const lock = await this.#lock(folder);
      try {
        return await work();
      } finally {
        lock.release();
      }
    });
    this.#turn = result.catch(() => {});
    return result;
  }

  async #lock(folder: string): Promise<Held> {
    for (let tries = 1; ; tries++) {
      try {
        return this.#disk.lock(folder);
      } catch (error) {
        if (tries === LOCK_TRIES) throw error;
        await new Promise<void>((resolve) => this.#clock.after(LOCK_RETRY, resolve));
      }
    }
  }
}

const tagOf = (bytes: Uint8Array): Tag => createHash('sha256').update(bytes).digest('hex');

async function orMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof DrumlinError && error.code === 'FILE_MISSING') return undefined;
    const code = systemCode((error as Error).cause);
    if (code === 'ENOTDIR' || code === 'EISDIR') return undefined;
    throw error;
  }
}

const listOrNone = (disk: Disk, folder: string): Promise<string[] | undefined> =>
  orMissing(disk.list(folder));
