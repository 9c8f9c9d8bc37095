/**
 * Edge lists: a line for each arc, `from` and `to` separated by spaces or tabs. Empty lines and
 * lines that begin with # are ignored.
 *
 * Ensures   any other line is refused with the file and the line number, or reported to `onBad` and
 *           skipped. Nodes are numbers if those of the first arc are, unless names are asked for;
 *           then every node must be a number.
 * Costs     about 1.5 ns a byte for numbers; nothing is allocated for a line.
 */
import { DrumlinError } from '../../base/errors.ts';
import type { Disk } from '../../disk/disk.ts';
import {
  type LineChunk,
  malformedAt,
  type ReadProgress,
  readLines,
} from '../../disk/text-input.ts';
import type { IdArcs, NameArcs } from '../arcs.ts';
import { MAX_NODES } from '../list-format.ts';
import { MAX_NAME_BYTES } from '../name-format.ts';

const TAB = 9;
const LF = 10;
const HASH = 35;
const ZERO = 48;

/** How edge lists differ from what is usual. */
interface EdgeListOptions {
  readonly onRead?: ReadProgress | undefined;
  /** Separates the nodes of a line, beside spaces and tabs: one ASCII character. */
  readonly separator?: string | undefined;
  /** Called with each line that is no arc; without it such a line is an error. */
  readonly onBad?: ((error: DrumlinError) => void) | undefined;
}

/** The lines of the files, with tabs for separators. */
async function* linesOf(
  disk: Disk,
  files: readonly string[],
  { onRead, separator, onBad }: EdgeListOptions,
): AsyncGenerator<LineChunk> {
  const mark = separator?.charCodeAt(0);
  for (const path of files) {
    for await (const chunk of readLines(disk, path, { onRead, onBad })) {
      if (mark !== undefined) {
        const { bytes } = chunk;
        for (let at = bytes.indexOf(mark); at >= 0; at = bytes.indexOf(mark, at)) bytes[at] = TAB;
      }
      yield chunk;
    }
  }
}

/** Whether the nodes of the first arc are numbers; lines that are no arcs do not decide it. */
export async function holdsNumbers(
  disk: Disk,
  files: readonly string[],
  options: EdgeListOptions = {},
): Promise<boolean> {
  const ignored = { ...options, onRead: undefined, onBad: options.onBad && (() => {}) };
  for await (const chunk of linesOf(disk, files, ignored)) {
    const text = Buffer.from(chunk.bytes).toString('utf8');
    const isArc = options.onBad
      ? /^[ \t\r]*[^# \t\r]+[ \t]+[^ \t\r]+[ \t\r]*$/
      : /^[ \t\r]*[^# \t\r]/;
    const arc = text.split('\n').find((line) => isArc.test(line));
    if (arc !== undefined) return /^\s*(?:0|[1-9]\d*)[ \t]+(?:0|[1-9]\d*)\s*$/.test(arc);
  }
  return false;
}

/** Numbers below `limit()`, which is called when the first line is read. */
export async function* numberedEdges(
  disk: Disk,
  files: readonly string[],
  options: EdgeListOptions = {},
  limit = () => MAX_NODES,
): AsyncGenerator<IdArcs> {
  const parser = new NumberParser(limit(), options.onBad);
  for await (const chunk of linesOf(disk, files, options)) yield parser.parse(chunk);
}

export async function* namedEdges(
  disk: Disk,
  files: readonly string[],
  options: EdgeListOptions = {},
): AsyncGenerator<NameArcs> {
  const parser = new NameParser(options.onBad);
  for await (const chunk of linesOf(disk, files, options)) yield parser.parse(chunk);
}

/** Space, tab, and the CR before an LF. */
const isBlank = (byte: number) => byte === 32 || byte === 9 || byte === 13;

/** The lines of a chunk; `parseFrom` throws at a bad one, which `onBad` may excuse. */
abstract class LineParser {
  readonly #onBad: EdgeListOptions['onBad'];
  /** Arcs read from this chunk. */
  protected count = 0;
  /** Where the line begins that is being read. */
  protected line = 0;

  constructor(onBad: EdgeListOptions['onBad']) {
    this.#onBad = onBad;
  }

  protected abstract parseFrom(chunk: LineChunk, start: number): void;

  protected parseLines(chunk: LineChunk): void {
    this.count = 0;
    for (let start = 0; start < chunk.bytes.length; ) {
      try {
        this.parseFrom(chunk, start);
        return;
      } catch (error) {
        if (!this.#onBad || !(error instanceof DrumlinError)) throw error;
        this.#onBad(error);
        start = chunk.bytes.indexOf(LF, this.line) + 1;
      }
    }
  }
}

class NumberParser extends LineParser {
  readonly #limit: number;
  #from = new Uint32Array(0);
  #to = new Uint32Array(0);

  constructor(limit: number, onBad: EdgeListOptions['onBad']) {
    super(onBad);
    this.#limit = limit;
  }

  parse(chunk: LineChunk): IdArcs {
    const { bytes } = chunk;
    if (this.#from.length < bytes.length / 4) {
      this.#from = new Uint32Array(Math.ceil(bytes.length / 4));
      this.#to = new Uint32Array(Math.ceil(bytes.length / 4));
    }
    this.parseLines(chunk);
    return { from: this.#from.subarray(0, this.count), to: this.#to.subarray(0, this.count) };
  }

  /** Hot: one pass over the bytes. Every line ends with LF, which stops each loop. */
  protected parseFrom(chunk: LineChunk, begin: number): void {
    const { bytes } = chunk;
    const limit = this.#limit;
    for (let at = begin; at < bytes.length; ) {
      this.line = at;
      while (isBlank(bytes[at])) at++;
      if (bytes[at] === HASH) at = bytes.indexOf(LF, at);
      if (bytes[at] === LF) {
        at++;
        continue;
      }
      let start = at;
      let from = 0;
      for (let digit = bytes[at] - ZERO; digit >>> 0 < 10; digit = bytes[++at] - ZERO)
        from = from * 10 + digit;
      if (!isBlank(bytes[at]) || isWrong(bytes, start, at, from, limit))
        throw this.#wrong(chunk, start);
      while (isBlank(bytes[at])) at++;
      start = at;
      let to = 0;
      for (let digit = bytes[at] - ZERO; digit >>> 0 < 10; digit = bytes[++at] - ZERO)
        to = to * 10 + digit;
      if (isWrong(bytes, start, at, to, limit)) throw this.#wrong(chunk, start);
      while (isBlank(bytes[at])) at++;
      if (bytes[at] !== LF) throw this.#wrong(chunk, start);
      this.#from[this.count] = from;
      this.#to[this.count++] = to;
      at++;
    }
  }

  #wrong(chunk: LineChunk, at: number): Error {
    const start = chunk.bytes.lastIndexOf(LF, at) + 1;
    const line = Buffer.from(chunk.bytes.subarray(start, chunk.bytes.indexOf(LF, start))).toString(
      'utf8',
    );
    const fields = line.trim().split(/[ \t\r]+/);
    return malformedAt(
      chunk,
      start,
      fields.length === 2 ? notNumbers(fields, this.#limit) : fieldCount(fields.length),
    );
  }
}

/** Whether it has no digits, leading zeros, or is too large for the number of a node. */
function isWrong(
  bytes: Uint8Array,
  start: number,
  end: number,
  value: number,
  limit: number,
): boolean {
  return end === start || value >= limit || (bytes[start] === ZERO && end > start + 1);
}

function notNumbers(fields: readonly string[], limit: number): string {
  const wrong =
    fields.find((field) => !/^(?:0|[1-9]\d*)$/.test(field) || Number(field) >= limit) ?? '';
  const hint = limit === MAX_NODES ? ', like the first one (use --names if these are names)' : '';
  return `"${brief(wrong)}" is not a number from 0 to ${limit - 1}${hint}`;
}

function fieldCount(fields: number): string {
  return `has ${fields} field${fields === 1 ? '' : 's'} instead of two, "from to"`;
}

function brief(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

class NameParser extends LineParser {
  #spans = new Uint32Array(0);

  parse(chunk: LineChunk): NameArcs {
    const { bytes } = chunk;
    if (this.#spans.length < bytes.length + 4) this.#spans = new Uint32Array(bytes.length + 4);
    this.parseLines(chunk);
    return { bytes, spans: this.#spans, count: this.count };
  }

  protected parseFrom(chunk: LineChunk, begin: number): void {
    const { bytes } = chunk;
    const spans = this.#spans;
    for (let at = begin; at < bytes.length; ) {
      this.line = at;
      while (isBlank(bytes[at])) at++;
      if (bytes[at] === HASH) at = bytes.indexOf(LF, at);
      if (bytes[at] === LF) {
        at++;
        continue;
      }
      const line = at;
      let fields = 0;
      for (; bytes[at] !== LF; fields++) {
        const start = at;
        at = nameEnd(chunk, at);
        if (fields < 2) {
          spans[4 * this.count + 2 * fields] = start;
          spans[4 * this.count + 2 * fields + 1] = at;
        }
        while (isBlank(bytes[at])) at++;
      }
      if (fields !== 2) throw malformedAt(chunk, line, fieldCount(fields));
      this.count++;
      at++;
    }
  }
}

/** The end of the name that begins at `start`; refuses bytes that are no name. */
export function nameEnd(chunk: LineChunk, start: number): number {
  const { bytes } = chunk;
  let at = start;
  while (bytes[at] > 32 && bytes[at] !== 127) at++;
  if (!isBlank(bytes[at]) && bytes[at] !== LF)
    throw malformedAt(chunk, at, 'holds a control character');
  if (at - start > MAX_NAME_BYTES)
    throw malformedAt(chunk, start, `has a name longer than ${MAX_NAME_BYTES} bytes`);
  return at;
}
