/**
 * Reads a file of zstd frames according to warc-zstd 1.0: a record is one frame or several, and a
 * dictionary for all of them may come first.
 *
 * Idea      Frames are measured before they are decompressed. Skippable frames are skipped, except
 *           a dictionary. A frame in which a record does not end is joined with the frames after
 *           it.
 * Ensures   A frame counts only if it is complete and its checksum, if it has one, is correct. At
 *           most `limit` bytes are decompressed for a record. The dictionary is read even if
 *           reading starts in the middle of the file.
 * Cost      A frame that does not fit the window is measured again with one twice as wide, and
 *           decompressed once. A dictionary is loaded again for every frame, about a millisecond:
 *           only files of other tools have one.
 */

import { loadZstd, type Zstd } from '../compress/zstd.ts';
import {
  type DataFrame,
  measureFrame,
  SKIPPABLE_HEADER,
  type SkippableFrame,
} from '../compress/zstd-frame.ts';
import { type FileWindow, INITIAL_WIDTH } from './file-window.ts';
import {
  fault,
  type NextStep,
  NO_HEADER_END,
  parseRecord,
  recordsOf,
  type Step,
  skipLineEnds,
  type WarcFault,
} from './warc-parse.ts';

/** The largest dictionary that readers must support, compressed or not. */
const MOST_DICTIONARY = 8 * 2 ** 20;
/** The longest record header. */
const MOST_HEADER = 2 ** 20;

export function zstdReading(window: FileWindow): NextStep {
  let frames: Frames | undefined;
  return async (offset, limit) => {
    frames ??= await Frames.open(window);
    const records = new Gathered(offset, limit);
    let at = offset;
    do {
      const frame = await frames.at(at, records.room);
      if ('fact' in frame) return fault(offset, frame.kind, factOf(frame, limit));
      at += frame.length;
      const step = records.add(frame.content, at);
      if (step) return step;
    } while (at < window.fileLength);
    return fault(offset, 'truncated', 'the last record is cut off');
  };
}

/**
 * A record is too large as a whole, so the message names the limit of the record, not that of its
 * last frame.
 */
function factOf({ kind, fact }: WarcFault, limit: number): string {
  return kind === 'too-large' ? `larger than ${limit} bytes` : fact;
}

/** A frame of the file and its content, which is empty for a skippable frame. */
interface Frame {
  readonly length: number;
  readonly content: Uint8Array;
}

const NOTHING = new Uint8Array(0);

class Frames {
  readonly #window: FileWindow;
  readonly #zstd: Zstd;
  /** The dictionary, or what is wrong with it. */
  readonly #dictionary: Uint8Array | string;

  private constructor(window: FileWindow, zstd: Zstd, dictionary: Uint8Array | string) {
    this.#window = window;
    this.#zstd = zstd;
    this.#dictionary = dictionary;
  }

  static async open(window: FileWindow): Promise<Frames> {
    const zstd = await loadZstd();
    return new Frames(window, zstd, await dictionaryOf(window, zstd));
  }

  async at(offset: number, limit: number): Promise<Frame | WarcFault> {
    const found = await wholeFrame(this.#window, offset, limit);
    if ('fact' in found) return found;
    const { bytes, frame } = found;
    if (frame.kind === 'skippable') return { length: frame.length, content: NOTHING };
    if (typeof this.#dictionary === 'string') return fault(offset, 'corrupt', this.#dictionary);
    const content = this.#zstd.content(bytes, frame, limit, this.#dictionary);
    if (typeof content !== 'string') return { length: frame.length, content };
    return fault(offset, content.startsWith('larger') ? 'too-large' : 'corrupt', content);
  }
}

interface WholeFrame {
  readonly bytes: Buffer;
  readonly frame: DataFrame | SkippableFrame;
}

async function wholeFrame(
  window: FileWindow,
  offset: number,
  limit: number,
): Promise<WholeFrame | WarcFault> {
  for (let width = INITIAL_WIDTH; ; width *= 2) {
    const bytes = await window.at(offset, width);
    const frame = measureFrame(bytes);
    if (frame.kind === 'wrong') return fault(offset, 'corrupt', frame.fact);
    if (frame.kind !== 'short' && offset + frame.length <= window.fileLength) {
      return { bytes: bytes.subarray(0, frame.length), frame };
    }
    if (frame.kind === 'skippable' || bytes.length < width) {
      return fault(offset, 'truncated', 'the last zstd frame is cut off');
    }
    // Content that does not compress grows by three bytes in 128 KiB: twice the limit is always
    // enough.
    if (width > 2 * limit && width > 2 * INITIAL_WIDTH) {
      return fault(offset, 'too-large', `larger than ${limit} bytes`);
    }
  }
}

/** Collects the content of frames until it is a record. */
class Gathered {
  readonly #offset: number;
  readonly #limit: number;
  readonly #pieces: Uint8Array[] = [];
  #length = 0;
  /** The least length of a complete record; 0 until its header was seen. */
  #wanted = 0;

  constructor(offset: number, limit: number) {
    this.#offset = offset;
    this.#limit = limit;
  }

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  get room(): number {
    return this.#limit - this.#length;
  }

  /**
   * Adds a piece whose frame ends at `end`; returns the records, or undefined if more is needed.
   */
  add(piece: Uint8Array, end: number): Step | WarcFault | undefined {
    if (this.isEmpty && skipLineEnds(piece, 0) === piece.length) return { records: [], end };
    this.#pieces.push(piece);
    this.#length += piece.length;
    if (this.#length < this.#wanted) return undefined;
    const content = this.#pieces.length === 1 ? piece : Buffer.concat(this.#pieces);
    const parsed = parseRecord(content);
    if (parsed === NO_HEADER_END && this.#length < MOST_HEADER) return undefined;
    if (typeof parsed === 'object' && parsed.missing > 0) {
      this.#wanted = parsed.end;
      if (parsed.end <= this.#limit) return undefined;
      return fault(this.#offset, 'too-large', `larger than ${this.#limit} bytes`);
    }
    return recordsOf(content, this.#offset, end - this.#offset, 'zstd frame');
  }
}

/**
 * The dictionary in front of the first record; empty if there is none; or what is wrong with it.
 */
async function dictionaryOf(window: FileWindow, zstd: Zstd): Promise<Uint8Array | string> {
  const beginning = measureFrame(await window.at(0, SKIPPABLE_HEADER));
  if (beginning.kind !== 'skippable' || !beginning.isDictionary) return NOTHING;
  const { length } = beginning;
  if (length > SKIPPABLE_HEADER + MOST_DICTIONARY) return 'a zstd dictionary larger than 8 MiB';
  const bytes = (await window.at(0, length)).subarray(SKIPPABLE_HEADER);
  if (bytes.length < length - SKIPPABLE_HEADER) return 'the zstd dictionary is cut off';
  const frame = measureFrame(bytes);
  // Copied if it is in the window's memory, which is reused.
  const dictionary =
    frame.kind === 'data' ? zstd.content(bytes, frame, MOST_DICTIONARY) : Buffer.from(bytes);
  if (typeof dictionary === 'string') return `damaged zstd dictionary: ${dictionary}`;
  return isDictionary(dictionary) ? dictionary : 'a zstd dictionary of an unknown form';
}

function isDictionary(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.subarray(0, 4)).toString('hex') === '37a430ec';
}
