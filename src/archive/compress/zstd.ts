/**
 * zstd, by its reference implementation in WebAssembly.
 *
 * Idea      Loaded when the first archive asks for it: nobody else pays for it. One compressor and one decompressor serve a thread,
 *           and are used again for every record: making one costs more than a page does.
 * Requires  Frames are whole, as `measureFrame` measures them, before they are undone. Nobody else in the thread calls the library's `init`: it would begin
 *           anew, and what was made before would point nowhere.
 * Ensures   Every frame states its content's length and ends with a checksum, as warc-zstd asks, and needs a window of 8 MiB at most.
 *           What is damaged is told in words.
 * Cost      See docs/archive.md. Memory grows to the largest record, as it is and compressed, and stays.
 */
import { xxh64Bytes } from '../../base/xxh64.ts';
import { looksCompressed } from './gzip.ts';
import { type DataFrame, storedFrame, withChecksum } from './zstd-frame.ts';

type Library = typeof import('@bokuweb/zstd-wasm');

/** 1 is fastest, 19 smallest. */
export type ZstdLevel = number;

/** Codes of libzstd (`zstd_errors.h`) of which there is something better to say than that the data is damaged. */
const MEANINGS: Readonly<Record<number, string>> = {
  22: 'wrong zstd checksum',
  30: 'damaged zstd dictionary',
  32: 'made with a zstd dictionary that is not in the file',
  64: 'too large for the memory that is left',
};
const TOO_SMALL_A_PLACE = 70;
const NO_DICTIONARY = new Uint8Array(0);

export class Zstd {
  readonly #library: Library;
  readonly #compressor: number;
  readonly #decompressor: number;

  constructor(library: Library) {
    this.#library = library;
    this.#compressor = library.createCCtx();
    this.#decompressor = library.createDCtx();
  }

  /** What came compressed is framed as it is. */
  frame(content: Uint8Array, level: ZstdLevel): Uint8Array {
    if (looksCompressed(content)) return storedFrame(content, xxh64Bytes(content));
    const frame = this.#library.compressUsingDict(this.#compressor, content, NO_DICTIONARY, level);
    return withChecksum(frame, xxh64Bytes(content));
  }

  /** What the frame holds, if that is no more than `limit`; or what is wrong with it. */
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

/** The one of this thread. */
export function loadZstd(): Promise<Zstd> {
  loading ??= load();
  return loading;
}

async function load(): Promise<Zstd> {
  const library = await import('@bokuweb/zstd-wasm');
  await library.init();
  return new Zstd(library);
}
