/**
 * A ZIP file of stored entries, written sequentially, of any size.
 *
 * Idea      Nothing is compressed: the content is already compressed, and a reader finds it with a
 *           byte range. The checksum of an entry is known only after its content, so its header is
 *           then overwritten.
 * Requires  Different entry names; one entry at a time; lengths that are known in advance. Readers
 *           of WACZ (wabac) expect a header without extra fields if the directory has none, so no
 *           room can be reserved for a 64-bit length.
 * Ensures   A ZIP64 file exactly if the old fields do not suffice: entries or offsets from 4 GiB
 *           on, or 65,535 entries. The file exists completely, under its name, or not at all.
 * Cost      A pass over the bytes for SHA-256, one for CRC-32; memory for the latest piece and some
 *           100 bytes per entry.
 */
import { createHash } from 'node:crypto';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import { DrumlinError, EXIT } from '../../base/errors.ts';
import type { Bytes, Millis } from '../../base/units.ts';
import type { Disk, DiskFile } from '../../disk/disk.ts';

export interface ZipEntry {
  readonly name: string;
  readonly bytes: Bytes;
  /** `sha256:…` in hexadecimal. */
  readonly hash: string;
}

interface WrittenEntry extends ZipEntry {
  readonly offset: number;
  readonly crc: number;
}

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const END64 = 0x06064b50;
const END64_PLACE = 0x07064b50;
const VERSION = 20;
const VERSION_64 = 45;
/** Names are UTF-8. */
const FLAGS = 0x0800;
const MOST_32 = 0xffffffff;
const MOST_16 = 0xffff;

export class ZipWriter {
  readonly #disk: Disk;
  readonly #path: string;
  readonly #file: DiskFile;
  readonly #stamp: number;
  readonly #large: number;
  readonly #entries: WrittenEntry[] = [];
  #at = 0;

  private constructor(disk: Disk, path: string, file: DiskFile, at: Millis, large: number) {
    this.#disk = disk;
    this.#path = path;
    this.#file = file;
    this.#stamp = dosTime(at);
    this.#large = large;
  }

  /** `large` is for tests: 64 bits are used from this length or offset on. */
  static async create(disk: Disk, path: string, at: Millis, large = MOST_32): Promise<ZipWriter> {
    return new ZipWriter(disk, path, await disk.open(`${path}.tmp`, 'create'), at, large);
  }

  /** `pieces` have `bytes` bytes in total. */
  async add(
    name: string,
    bytes: Bytes,
    pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  ): Promise<ZipEntry> {
    const offset = this.#at;
    const hash = createHash('sha256');
    let crc = 0;
    await this.#write(this.#localHeader(name, bytes, crc));
    const start = this.#at;
    for await (const piece of pieces) {
      await this.#write(piece);
      hash.update(piece);
      crc = crc32(piece, crc);
    }
    if (this.#at - start !== bytes) throw changed(name);
    await this.#file.writeAll(this.#localHeader(name, bytes, crc), offset);
    const entry = { name, bytes, hash: `sha256:${hash.digest('hex')}`, offset, crc };
    this.#entries.push(entry);
    return entry;
  }

  /** Writes the directory and gives the file its final name. */
  async finish(): Promise<Bytes> {
    const start = this.#at;
    for (const entry of this.#entries) await this.#write(this.#centralHeader(entry));
    const size = this.#at - start;
    const count = this.#entries.length;
    const large = count >= MOST_16 || start >= this.#large || size >= this.#large;
    if (large) await this.#write(end64(count, size, start, this.#at));
    const end = Buffer.alloc(22);
    end.writeUInt32LE(END, 0);
    end.writeUInt16LE(large ? MOST_16 : count, 8);
    end.writeUInt16LE(large ? MOST_16 : count, 10);
    end.writeUInt32LE(large ? MOST_32 : size, 12);
    end.writeUInt32LE(large ? MOST_32 : start, 16);
    await this.#write(end);
    await this.#file.sync();
    await this.#file.close();
    await this.#disk.rename(`${this.#path}.tmp`, this.#path);
    await this.#disk.syncFolder(dirname(this.#path));
    return this.#at;
  }

  async abandon(): Promise<void> {
    await this.#file.close();
    await this.#disk.remove(`${this.#path}.tmp`);
  }

  async #write(piece: Uint8Array): Promise<void> {
    await this.#file.writeAll(piece, this.#at);
    this.#at += piece.length;
  }

  #localHeader(name: string, bytes: Bytes, crc: number): Buffer {
    const large = bytes >= this.#large;
    const nameBytes = Buffer.from(name);
    const extra = large ? extra64([bytes, bytes]) : Buffer.alloc(0);
    const header = Buffer.alloc(30);
    header.writeUInt32LE(LOCAL, 0);
    header.writeUInt16LE(large ? VERSION_64 : VERSION, 4);
    header.writeUInt16LE(FLAGS, 6);
    header.writeUInt32LE(this.#stamp, 10);
    header.writeUInt32LE(crc, 14);
    header.writeUInt32LE(large ? MOST_32 : bytes, 18);
    header.writeUInt32LE(large ? MOST_32 : bytes, 22);
    header.writeUInt16LE(nameBytes.length, 26);
    header.writeUInt16LE(extra.length, 28);
    return Buffer.concat([header, nameBytes, extra]);
  }

  #centralHeader({ name, bytes, crc, offset }: WrittenEntry): Buffer {
    const long = bytes >= this.#large;
    const far = offset >= this.#large;
    const extra =
      long || far
        ? extra64([...(long ? [bytes, bytes] : []), ...(far ? [offset] : [])])
        : Buffer.alloc(0);
    const nameBytes = Buffer.from(name);
    const header = Buffer.alloc(46);
    header.writeUInt32LE(CENTRAL, 0);
    header.writeUInt16LE(VERSION_64, 4);
    header.writeUInt16LE(extra.length > 0 ? VERSION_64 : VERSION, 6);
    header.writeUInt16LE(FLAGS, 8);
    header.writeUInt32LE(this.#stamp, 12);
    header.writeUInt32LE(crc, 16);
    header.writeUInt32LE(long ? MOST_32 : bytes, 20);
    header.writeUInt32LE(long ? MOST_32 : bytes, 24);
    header.writeUInt16LE(nameBytes.length, 28);
    header.writeUInt16LE(extra.length, 30);
    header.writeUInt32LE(far ? MOST_32 : offset, 42);
    return Buffer.concat([header, nameBytes, extra]);
  }
}

function extra64(values: readonly number[]): Buffer {
  const extra = Buffer.alloc(4 + 8 * values.length);
  extra.writeUInt16LE(1, 0);
  extra.writeUInt16LE(8 * values.length, 2);
  for (const [i, value] of values.entries()) extra.writeBigUInt64LE(BigInt(value), 4 + 8 * i);
  return extra;
}

function end64(count: number, size: number, start: number, at: number): Buffer {
  const end = Buffer.alloc(56 + 20);
  end.writeUInt32LE(END64, 0);
  end.writeBigUInt64LE(44n, 4);
  end.writeUInt16LE(VERSION_64, 12);
  end.writeUInt16LE(VERSION_64, 14);
  end.writeBigUInt64LE(BigInt(count), 24);
  end.writeBigUInt64LE(BigInt(count), 32);
  end.writeBigUInt64LE(BigInt(size), 40);
  end.writeBigUInt64LE(BigInt(start), 48);
  end.writeUInt32LE(END64_PLACE, 56);
  end.writeBigUInt64LE(BigInt(at), 64);
  end.writeUInt32LE(1, 72);
  return end;
}

function changed(name: string): DrumlinError {
  return new DrumlinError(
    'FILE_CHANGED',
    `${name} changed while it was copied.`,
    'Wait until no process writes to it, then run the same command again.',
    { exitCode: EXIT.folder },
  );
}

/** ZIP times have a resolution of two seconds and begin in 1980. */
function dosTime(at: Millis): number {
  const date = new Date(Math.max(at, Date.UTC(1980, 0, 1)));
  const day =
    ((date.getUTCFullYear() - 1980) << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate();
  const time =
    (date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1);
  return ((day << 16) | time) >>> 0;
}
