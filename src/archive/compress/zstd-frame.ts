/**
 * Where a zstd frame ends and what its header states, without decompressing it (RFC 8878, 3.1).
 *
 * Idea      A frame is a header and blocks, each with its length in front: three bytes per block
 *           lead to the end. So a truncated file is distinguished from a damaged one, and a frame
 *           that is larger than allowed is never decompressed.
 * Requires  Bytes that begin where a frame should.
 * Ensures   The content of a frame is at most `mostContent` long, independent of the length that it
 *           states.
 * Cost      A step for every 128 KiB of content.
 */

/** A frame with content. */
export interface DataFrame {
  readonly kind: 'data';
  readonly length: number;
  /** The stated length; undefined if the frame states none. */
  readonly content: number | undefined;
  readonly mostContent: number;
}

/** A frame without content; `length` may exceed the given bytes. */
export interface SkippableFrame {
  readonly kind: 'skippable';
  readonly length: number;
  readonly isDictionary: boolean;
}

type FrameBeginning =
  | DataFrame
  | SkippableFrame
  /** The frame does not end within the bytes. */
  | { readonly kind: 'short' }
  | { readonly kind: 'wrong'; readonly fact: string };

const DATA_MAGIC = 0xfd2fb528;
const FIRST_SKIPPABLE = 0x184d2a50;
const LAST_SKIPPABLE = 0x184d2a5f;
/** The magic number that warc-zstd uses for dictionaries. */
const DICTIONARY_MAGIC = 0x184d2a5d;
export const SKIPPABLE_HEADER = 8;

const DESCRIPTOR = 4;
const HAS_CHECKSUM = 0b100;
const CHECKSUM_BYTES = 4;
const MOST_BLOCK = 128 * 1024;
/** Single segment, length in four bytes, checksum. */
const STORED_DESCRIPTOR = 0b1010_0100;
const STORED_HEADER = 9;
/** The limit of libzstd compiled for 32 bits. */
const MOST_WINDOW_LOG = 30;
const DICTIONARY_ID_BYTES = [0, 1, 2, 4];
const SHORT = { kind: 'short' } as const;

/** Whether a frame of any kind begins here. */
export function isZstd(bytes: Uint8Array): boolean {
  const magic = magicOf(bytes);
  return magic === DATA_MAGIC || isSkippable(magic);
}

export function measureFrame(bytes: Buffer): FrameBeginning {
  if (bytes.length < DESCRIPTOR) return SHORT;
  const magic = magicOf(bytes);
  if (isSkippable(magic)) {
    if (bytes.length < SKIPPABLE_HEADER) return SHORT;
    const length = SKIPPABLE_HEADER + bytes.readUInt32LE(4);
    return { kind: 'skippable', length, isDictionary: magic === DICTIONARY_MAGIC };
  }
  return magic === DATA_MAGIC ? measureData(bytes) : { kind: 'wrong', fact: 'not a zstd frame' };
}

function measureData(bytes: Buffer): FrameBeginning {
  if (bytes.length <= DESCRIPTOR) return SHORT;
  const descriptor = bytes[DESCRIPTOR];
  if (descriptor & 0b1000) return { kind: 'wrong', fact: 'a zstd frame of an unknown kind' };
  const isSingleSegment = (descriptor & 0b10_0000) !== 0;
  const windowAt = DESCRIPTOR + 1;
  const contentAt = windowAt + (isSingleSegment ? 0 : 1) + DICTIONARY_ID_BYTES[descriptor & 0b11];
  const contentBytes = [isSingleSegment ? 1 : 0, 2, 4, 8][descriptor >> 6];
  if (bytes.length < contentAt + contentBytes) return SHORT;
  const content = contentBytes === 0 ? undefined : statedContent(bytes, contentAt, contentBytes);
  if (!isSingleSegment && 10 + (bytes[windowAt] >> 3) > MOST_WINDOW_LOG) {
    return { kind: 'wrong', fact: 'a zstd frame that needs more than 1 GiB of memory' };
  }
  const window = isSingleSegment ? (content ?? 0) : windowBytes(bytes[windowAt]);
  const end = measureBlocks(bytes, contentAt + contentBytes, Math.min(window, MOST_BLOCK));
  if ('kind' in end) return end;
  const length = end.at + (descriptor & HAS_CHECKSUM ? CHECKSUM_BYTES : 0);
  if (bytes.length < length) return SHORT;
  return { kind: 'data', length, content, mostContent: end.most };
}

/** Steps from block to block; `most` is what they can hold together. */
function measureBlocks(
  bytes: Buffer,
  from: number,
  mostBlock: number,
): { at: number; most: number } | Exclude<FrameBeginning, DataFrame> {
  let at = from;
  let most = 0;
  for (;;) {
    if (bytes.length < at + 3) return SHORT;
    const header = bytes.readUIntLE(at, 3);
    const kind = (header >> 1) & 0b11;
    const size = header >> 3;
    if (kind === 3 || size > mostBlock)
      return { kind: 'wrong', fact: 'damaged zstd data (a block header)' };
    const isRepetition = kind === 1;
    const isCompressed = kind === 2;
    at += 3 + (isRepetition ? 1 : size);
    most += isCompressed ? mostBlock : size;
    if (header & 1) return { at, most };
  }
}

function statedContent(bytes: Buffer, at: number, length: number): number {
  if (length === 8) return Number(bytes.readBigUInt64LE(at));
  return bytes.readUIntLE(at, length) + (length === 2 ? 256 : 0);
}

function windowBytes(descriptor: number): number {
  const base = 2 ** (10 + (descriptor >> 3));
  return base + (base / 8) * (descriptor & 0b111);
}

function magicOf(bytes: Uint8Array): number {
  return bytes.length < 4
    ? 0
    : (bytes[0] | (bytes[1] << 8) | (bytes[2] << 16) | (bytes[3] << 24)) >>> 0;
}

function isSkippable(magic: number): boolean {
  return magic >= FIRST_SKIPPABLE && magic <= LAST_SKIPPABLE;
}

/**
 * A frame of raw blocks, for content that does not compress: three bytes of framing for every 128
 * KiB.
 */
export function storedFrame(content: Uint8Array, xxh64: bigint): Buffer {
  const blocks = Math.max(1, Math.ceil(content.length / MOST_BLOCK));
  const frame = Buffer.allocUnsafe(STORED_HEADER + 3 * blocks + content.length + CHECKSUM_BYTES);
  frame.writeUInt32LE(DATA_MAGIC);
  frame[DESCRIPTOR] = STORED_DESCRIPTOR;
  let at = frame.writeUInt32LE(content.length, DESCRIPTOR + 1);
  for (let block = 0; block < blocks; block++) {
    const piece = content.subarray(block * MOST_BLOCK, (block + 1) * MOST_BLOCK);
    at = frame.writeUIntLE((piece.length << 3) | (block === blocks - 1 ? 1 : 0), at, 3);
    frame.set(piece, at);
    at += piece.length;
  }
  writeChecksum(frame, xxh64);
  return frame;
}

/**
 * Adds a checksum to the frame: the lower half of the content's XXH64. Archives require one, and
 * the library that makes our frames has no option for it. A bit of the header announces it, and it
 * goes to the end.
 */
export function withChecksum(frame: Uint8Array, xxh64: bigint): Buffer {
  const whole = Buffer.allocUnsafe(frame.length + CHECKSUM_BYTES);
  whole.set(frame);
  whole[DESCRIPTOR] |= HAS_CHECKSUM;
  writeChecksum(whole, xxh64);
  return whole;
}

function writeChecksum(frame: Buffer, xxh64: bigint): void {
  frame.writeUInt32LE(Number(xxh64 & 0xffff_ffffn), frame.length - CHECKSUM_BYTES);
}
