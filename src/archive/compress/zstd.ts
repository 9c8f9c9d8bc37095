/**
 * zstd, by its reference implementation in WebAssembly, or compressed by Node where it can.
 *
 * Idea      It is loaded when an archive first needs it, so other crawls do not pay for it. One
 *           compressor and one decompressor serve a thread and are reused for every record:
 *           creating one costs more than compressing a page. Node's own compressor (22.15 and
 *           later) takes half the time. Reading always uses the library: it knows limits and
 *           dictionaries.
 * Requires  A frame is complete, according to `measureFrame`, before it is decompressed. No other
 *           code in the thread calls the library's `init`: it would start over and invalidate
 *           earlier objects.
 * Ensures   Every frame states the length of its content, ends with a checksum, as warc-zstd
 *           requires, and needs a window of at most 8 MiB. Damage is reported as a sentence.
 * Cost      See docs/archive.md. Memory grows to the size of the largest record, plain and
 *           compressed, and stays.
 */
import zlib from 'node:zlib';
import { xxh64Bytes } from '../../base/xxh64.ts';
import { looksCompressed } from './gzip.ts';
import { type DataFrame, storedFrame, withChecksum } from './zstd-frame.ts';

type Library = typeof import('@bokuweb/zstd-wasm');

/** 1 is fastest, 19 smallest. */
export type ZstdLevel = number;

/** Codes of libzstd (`zstd_errors.h`) with a more precise meaning than damaged data. */
const MEANINGS: Readonly<Record<number, string>> = {
  22: 'wrong zstd checksum',
  30: 'damaged zstd dictionary',
  32: 'compressed with a zstd dictionary that is not in the file',
  64: 'too large for the available memory',
};
const TOO_SMALL_A_PLACE = 70;
const NO_DICTIONARY = new Uint8Array(0);

/** The part of newer versions of `node:zlib` that the types of Node 20 lack. */
interface ZstdOfNode {
  zstdCompressSync(content: Uint8Array, options: { params: Record<number, number> }): Uint8Array;
  readonly constants: { ZSTD_c_compressionLevel: number; ZSTD_c_checksumFlag: number };
}

/** Compresses with Node's zstd; undefined if this version has none. */
const inNode = compressorOfNode(zlib as unknown as Partial<ZstdOfNode>);

function compressorOfNode({ zstdCompressSync, constants }: Partial<ZstdOfNode>) {
  if (!zstdCompressSync || !constants) return undefined;
  const { ZSTD_c_compressionLevel: ofLevel, ZSTD_c_checksumFlag: ofChecksum } = constants;
  return (content: Uint8Array, level: ZstdLevel): Uint8Array =>
    zstdCompressSync(content, { params: { [ofLevel]: level, [ofChecksum]: 1 } });
}

export class Zstd {
  readonly #library: Library;
  readonly #compressor: number;
  readonly #decompressor: number;

  constructor(library: Library) {
    this.#library = library;
    this.#compressor = library.createCCtx();
    this.#decompressor = library.createDCtx();
  }

  /** Content that is already compressed is framed without compression. */
  frame(content: Uint8Array, level: ZstdLevel): Uint8Array {
    if (looksCompressed(content)) return storedFrame(content, xxh64Bytes(content));
    if (inNode) return inNode(content, level);
    const frame = this.#library.compressUsingDict(this.#compressor, content, NO_DICTIONARY, level);
    return withChecksum(frame, xxh64Bytes(content));
  }

  /**
   * Decompresses the frame if its content has at most `limit` bytes; otherwise states what is
   * wrong.
   */
  content(
    bytes: Uint8Array,
    { content, mostContent }: DataFrame,
    limit: number,
    dictionary: Uint8Array = NO_DICTIONARY,
  ): Uint8Array | string {
    const tooLarge = `larger than ${limit} bytes`;
    if (content !== undefined && content > mostContent) return 'damaged zstd data (its length)';
    if (content !== undefined && content > limit) return tooLarge;
    const room = { defaultHeapSize: Math.min(mostContent, limit) };
    try {
      return this.#library.decompressUsingDict(this.#decompressor, bytes, dictionary, room);
    } catch (error) {
      const code = Number(/with code -(\d+)$/.exec(String(error))?.[1]);
      if (code === TOO_SMALL_A_PLACE && content === undefined) return tooLarge;
      return MEANINGS[code] ?? `damaged zstd data (${code})`;
    }
  }
}

let loading: Promise<Zstd> | undefined;

/** The instance of this thread. */
export function loadZstd(): Promise<Zstd> {
  loading ??= load();
  return loading;
}

async function load(): Promise<Zstd> {
  const library = await import('@bokuweb/zstd-wasm');
  await library.init();
  return new Zstd(library);
}
