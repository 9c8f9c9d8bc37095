/**
 * What is known of each version of a part besides its words: 24 bytes a version, in their order.
 *
 * Format    words of the text (u32), words of the title (u16, at most 65,535), language (u16, a
 *           place in the list of the part), file (u16, likewise), record offset (u48), place of the
 *           name in `names` (u48), 2 bytes that are 0.
 */
import { HEADER_BYTES } from '../../disk/format.ts';
import type { Output } from './output.ts';

interface VersionRecord {
  readonly words: number;
  readonly titleWords: number;
  readonly language: number;
  readonly file: number;
  readonly offset: number;
  readonly name: number;
}

const BYTES = 24;

export function writeVersion(out: Output, version: VersionRecord): void {
  const bytes = Buffer.alloc(BYTES);
  bytes.writeUInt32LE(version.words, 0);
  bytes.writeUInt16LE(Math.min(0xffff, version.titleWords), 4);
  bytes.writeUInt16LE(version.language, 6);
  bytes.writeUInt16LE(version.file, 8);
  bytes.writeUIntLE(version.offset, 10, 6);
  bytes.writeUIntLE(version.name, 16, 6);
  out.bytes(bytes);
}

export class VersionTable {
  readonly count: number;
  /** Words of each version's text, and of its title. */
  readonly words: Uint32Array;
  readonly titleWords: Uint32Array;
  readonly #bytes: Buffer;

  /** Takes the content of the file. */
  constructor(content: Uint8Array) {
    const { buffer, byteOffset, length } = content;
    this.#bytes = Buffer.from(buffer, byteOffset + HEADER_BYTES, length - HEADER_BYTES);
    this.count = Math.floor(this.#bytes.length / BYTES);
    this.words = new Uint32Array(this.count);
    this.titleWords = new Uint32Array(this.count);
    for (let i = 0; i < this.count; i++) {
      this.words[i] = this.#bytes.readUInt32LE(i * BYTES);
      this.titleWords[i] = this.#bytes.readUInt16LE(i * BYTES + 4);
    }
  }

  at(version: number): VersionRecord {
    const at = version * BYTES;
    const bytes = this.#bytes;
    return {
      words: this.words[version],
      titleWords: this.titleWords[version],
      language: bytes.readUInt16LE(at + 6),
      file: bytes.readUInt16LE(at + 8),
      offset: bytes.readUIntLE(at + 10, 6),
      name: bytes.readUIntLE(at + 16, 6),
    };
  }
}
