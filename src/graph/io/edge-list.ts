/**
 * Edge lists: a line for each arc, `from` and `to` separated by spaces or tabs. Empty lines and
 * lines that begin with # are ignored.
 *
 * Ensures   any other line is refused with the file and the line number. Nodes are numbers if those
 *           of the first arc are, unless names are asked for; then every node must be a number.
 * Costs     about 1.5 ns a byte for numbers; nothing is allocated for a line.
 */
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

const LF = 10;
const HASH = 35;
const ZERO = 48;

/** Whether the nodes of the first arc are numbers. */
export async function holdsNumbers(disk: Disk, files: readonly string[]): Promise<boolean> {
  for (const path of files) {
    for await (const chunk of readLines(disk, path)) {
      const text = Buffer.from(chunk.bytes).toString('utf8');
      const arc = text.split('\n').find((line) => /^[ \t\r]*[^# \t\r]/.test(line));
      if (arc !== undefined) return /^\s*(?:0|[1-9]\d*)[ \t]+(?:0|[1-9]\d*)\s*$/.test(arc);
    }
  }
  return false;
}

/** Numbers below `limit()`, which is called when the first line is read. */
export async function* numberedEdges(
  disk: Disk,
  files: readonly string[],
  onRead?: ReadProgress,
  limit = () => MAX_NODES,
): AsyncGenerator<IdArcs> {
  const parser = new NumberParser(limit());
  for (const path of files) {
    for await (const chunk of readLines(disk, path, onRead)) yield parser.parse(chunk);
  }
}

export async function* namedEdges(
  disk: Disk,
  files: readonly string[],
  onRead?: ReadProgress,
): AsyncGenerator<NameArcs> {
  const parser = new NameParser();
  for (const path of files) {
    for await (const chunk of readLines(disk, path, onRead)) yield parser.parse(chunk);
  }
}

/** Space, tab, and the CR before an LF. */
const isBlank = (byte: number) => byte === 32 || byte === 9 || byte === 13;

class NumberParser {
  readonly #limit: number;
  #from = new Uint32Array(0);
  #to = new Uint32Array(0);

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Hot: one pass over the bytes. Every line ends with LF, which stops each loop. */
  parse(chunk: LineChunk): IdArcs {
    const { bytes } = chunk;
    if (this.#from.length < bytes.length / 4) {
      this.#from = new Uint32Array(Math.ceil(bytes.length / 4));
      this.#to = new Uint32Array(Math.ceil(bytes.length / 4));
    }
    const limit = this.#limit;
    let count = 0;
    for (let at = 0; at < bytes.length; ) {
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
      this.#from[count] = from;
      this.#to[count++] = to;
      at++;
    }
    return { from: this.#from.subarray(0, count), to: this.#to.subarray(0, count) };
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

class NameParser {
  #spans = new Uint32Array(0);

  parse(chunk: LineChunk): NameArcs {
    const { bytes } = chunk;
    if (this.#spans.length < bytes.length + 4) this.#spans = new Uint32Array(bytes.length + 4);
    const spans = this.#spans;
    let count = 0;
    for (let at = 0; at < bytes.length; ) {
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
          spans[4 * count + 2 * fields] = start;
          spans[4 * count + 2 * fields + 1] = at;
        }
        while (isBlank(bytes[at])) at++;
      }
      if (fields !== 2) throw malformedAt(chunk, line, fieldCount(fields));
      count++;
      at++;
    }
    return { bytes, spans, count };
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
