/**
 * Reads a file of zstd frames, as warc-zstd 1.0 has them: a record is one frame or several, and a dictionary for all of them may stand
 * in front.
 *
 * Idea      Frames are measured before they are undone. What is skippable and no dictionary is passed over. A frame in which a record
 *           does not end is taken together with those that follow.
 * Ensures   A frame counts only if it is whole and, where it has a checksum, that is right. No more than `limit` is undone for a record.
 *           The dictionary is read also by whoever begins in the middle of the file.
 * Cost      A frame that does not fit the window is measured again with one twice as wide, and undone once. A dictionary is read anew for every
 *           frame, a millisecond or so: files of other tools have them, ours have none.
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

/** The largest dictionary that readers are asked to support, compressed or not. */
const MOST_DICTIONARY = 8 * 2 ** 20;
/** A header that does not end within this many bytes is none. */
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

/** What was too large was so for the record, not for the room that was left to its last frame. */
function factOf({ kind, fact }: WarcFault, limit: number): string {
  return kind === 'too-large' ? `larger than ${limit} bytes` : fact;
}

/** A frame of the file, and what it holds: nothing where it was made to be skipped. */
interface Frame {
  readonly length: number;
  readonly content: Uint8Array;
}

const NOTHING = new Uint8Array(0);

class Frames {
  readonly #window: FileWindow;
  readonly #zstd: Zstd;
  /** Or what is wrong with it. */
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
    // What cannot be made smaller grows by three bytes in 128 KiB: nobody needs twice the room.
    if (width > 2 * limit && width > 2 * INITIAL_WIDTH) {
      return fault(offset, 'too-large', `larger than ${limit} bytes`);
    }
  }
}

/** The content of frames until it is a record. */
class Gathered {
  readonly #offset: number;
  readonly #limit: number;
  readonly #pieces: Uint8Array[] = [];
  #length = 0;
  /** Below this there is no whole record; unknown until its header has been seen. */
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

  /** What a further piece makes of it, `end` being where its frame ends; undefined where more is needed. */
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

/** What stands in front of the first record, for all of them: empty where there is none; or what is wrong with it. */
async function dictionaryOf(window: FileWindow, zstd: Zstd): Promise<Uint8Array | string> {
  const beginning = measureFrame(await window.at(0, SKIPPABLE_HEADER));
  if (beginning.kind !== 'skippable' || !beginning.isDictionary) return NOTHING;
  const { length } = beginning;
  if (length > SKIPPABLE_HEADER + MOST_DICTIONARY) return 'a zstd dictionary larger than 8 MiB';
  const bytes = (await window.at(0, length)).subarray(SKIPPABLE_HEADER);
  if (bytes.length < length - SKIPPABLE_HEADER) return 'the zstd dictionary is cut off';
  const frame = measureFrame(bytes);
  // It may lie in the window's memory, which is used again.
  const dictionary =
    frame.kind === 'data' ? zstd.content(bytes, frame, MOST_DICTIONARY) : Buffer.from(bytes);
  if (typeof dictionary === 'string') return `damaged zstd dictionary: ${dictionary}`;
  return isDictionary(dictionary) ? dictionary : 'a zstd dictionary of a form that is not known';
}

function isDictionary(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.subarray(0, 4)).toString('hex') === '37a430ec';
}
