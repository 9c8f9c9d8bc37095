/**
 * Graphs in WebGraph's compressed format (Boldi and Vigna, "The WebGraph framework I: compression
 * techniques", WWW 2004): `.graph`, a stream of bits; `.properties`, how to read it; `.offsets`,
 * where each list begins.
 *
 * Idea      A list is described by its length, by blocks copied from a list shortly before it, by
 *           intervals of consecutive targets, and by the remaining targets as gaps. Lists are
 *           decoded in order, so the last few are enough to copy from, and offsets serve only as a
 *           check.
 * Ensures   lists strictly increasing and within the graph, as many arcs as the properties say,
 *           each list where the offsets (if they are there) say; anything else is refused with the
 *           file and the node.
 * Costs     some 50 ns an arc.
 */

import { DrumlinError } from '../../base/errors.ts';
import type { Disk } from '../../disk/disk.ts';
import { ReadAhead } from '../../disk/read-ahead.ts';
import { openInput, type ReadProgress } from '../../disk/text-input.ts';
import type { IdArcs } from '../arcs.ts';
import { MAX_NODES } from '../list-format.ts';
import { BitReader, NoSuchNumber, OutOfBits, WIDEST } from './bit-reader.ts';

/** The most lists kept to copy from; WebGraph's default is 7. */
const MOST_WINDOW = 65_536;

type Code = (bits: BitReader) => number;

interface BvProperties {
  readonly nodes: number;
  readonly arcs: number;
  readonly window: number;
  /** Least length of an interval; 0 means no intervals. */
  readonly minInterval: number;
  readonly codes: Readonly<Record<Coded, Code>>;
}

/** The parts that have a code of their own. */
type Coded = 'outdegrees' | 'references' | 'blockCounts' | 'blocks' | 'residuals' | 'offsets';

/** The common base name of the files; each argument is one of them, or the base name itself. */
export function baseName(paths: readonly string[]): string {
  const bases = new Set(paths.map((path) => path.replace(/\.(?:graph|offsets|properties)$/, '')));
  if (bases.size === 1) return [...bases][0];
  throw new DrumlinError(
    'GRAPH_INPUT',
    `${[...bases].join(' and ')} are different graphs.`,
    'Name one graph: its three files, or the common part of their names.',
  );
}

export async function readProperties(disk: Disk, base: string): Promise<BvProperties> {
  const path = `${base}.properties`;
  await (await openInput(disk, path)).close();
  const lines = (await disk.readText(path))
    .split(/\r?\n/)
    .filter((line) => !/^\s*(?:[#!]|$)/.test(line));
  const found = new Map(
    lines.map((line) => {
      const [key, ...value] = line.split('=');
      return [key.trim(), value.join('=').trim()];
    }),
  );
  const number = (key: string, fallback?: number): number => {
    const text = found.get(key) ?? fallback?.toString();
    if (text !== undefined && /^\d{1,15}$/.test(text)) return Number(text);
    throw wrong(
      path,
      text === undefined ? `has no ${key}` : `says ${key}=${text}, which is not a number`,
    );
  };
  if (!/(?:^|\.)BVGraph$/.test(found.get('graphclass') ?? ''))
    throw wrong(path, `describes no BVGraph (graphclass=${found.get('graphclass') ?? ''})`);
  if (number('version', 0) !== 0 || (found.get('endianness') ?? 'big') !== 'big')
    throw wrong(
      path,
      'describes a variant of the format that is not supported (version or endianness)',
    );
  const nodes = number('nodes');
  if (nodes > MAX_NODES)
    throw wrong(path, `has ${nodes} nodes; a graph can have at most ${MAX_NODES} here`);
  const within = (key: string, least: number, most: number, fallback?: number): number => {
    const value = number(key, fallback);
    if (value >= least && value <= most) return value;
    throw wrong(path, `says ${key}=${value}, which is not from ${least} to ${most}`);
  };
  return {
    nodes,
    arcs: number('arcs'),
    window: within('windowsize', 0, MOST_WINDOW),
    minInterval: number('minintervallength'),
    codes: codesOf(path, found.get('compressionflags') ?? '', within('zetak', 1, WIDEST, 3)),
  };
}

const COMPONENTS: Readonly<Record<string, Coded>> = {
  OUTDEGREES: 'outdegrees',
  REFERENCES: 'references',
  BLOCK_COUNT: 'blockCounts',
  BLOCKS: 'blocks',
  RESIDUALS: 'residuals',
  OFFSETS: 'offsets',
};

function codesOf(path: string, flags: string, zetaK: number): Record<Coded, Code> {
  const byName: Readonly<Record<string, Code>> = {
    UNARY: (bits) => bits.unary(),
    GAMMA: (bits) => bits.gamma(),
    DELTA: (bits) => bits.delta(),
    ZETA: (bits) => bits.zeta(zetaK),
  };
  const codes: Record<Coded, Code> = {
    outdegrees: byName.GAMMA,
    references: byName.UNARY,
    blockCounts: byName.GAMMA,
    blocks: byName.GAMMA,
    residuals: byName.ZETA,
    offsets: byName.GAMMA,
  };
  for (const flag of flags.split('|').map((text) => text.trim())) {
    if (flag === '') continue;
    const [, component = '', name = ''] = /^(.*)_([A-Z]+)$/.exec(flag) ?? [];
    const [coded, code] = [COMPONENTS[component], byName[name]];
    if (coded === undefined || code === undefined)
      throw wrong(path, `asks for ${flag}, which is not supported`);
    codes[coded] = code;
  }
  return codes;
}

const BATCH_ARCS = 32_768;
/** Enough bytes for nearly every list; a longer one is decoded again with more. */
const USUAL_BYTES = 4096;
const OFFSET_BYTES = 16;
/** The most bytes of a target in any code, including how to copy and where intervals begin. */
const NUMBER_BYTES = 64;

export async function* bvArcs(
  disk: Disk,
  base: string,
  properties: BvProperties,
  onRead: ReadProgress = () => {},
): AsyncGenerator<IdArcs> {
  const file = await openInput(disk, `${base}.graph`);
  let offsets: OffsetCheck | undefined;
  let reader: ReadAhead | undefined;
  try {
    offsets = await OffsetCheck.open(disk, base, properties.codes.offsets);
    reader = new ReadAhead(file, 0, await file.size());
    const bits = new BitReader(reader);
    const lists = new BvLists(bits, properties);
    const longestList = NUMBER_BYTES * (properties.nodes + USUAL_BYTES);
    const [from, to] = [new Uint32Array(BATCH_ARCS), new Uint32Array(BATCH_ARCS)];
    let [count, arcs, reported] = [0, 0, 0];
    for (let node = 0; node < properties.nodes; node++) {
      await offsets?.expect(node, bits.position);
      if (!bits.isReady(USUAL_BYTES)) await bits.ready(USUAL_BYTES);
      const targets = await decodeSafely(
        file.path,
        bits,
        () => lists.next(node),
        node,
        longestList,
      );
      arcs += targets.length;
      for (let at = 0; at < targets.length; ) {
        const n = Math.min(targets.length - at, BATCH_ARCS - count);
        from.fill(node, count, count + n);
        to.set(targets.subarray(at, at + n), count);
        at += n;
        count += n;
        if (count < BATCH_ARCS) continue;
        yield { from, to };
        count = 0;
        onRead((bits.position - reported) / 8);
        reported = bits.position;
      }
    }
    if (arcs !== properties.arcs)
      throw wrong(file.path, `has ${arcs} arcs, but its properties say ${properties.arcs}`);
    yield { from: from.subarray(0, count), to: to.subarray(0, count) };
  } finally {
    await reader?.end();
    await offsets?.close();
    await file.close();
  }
}

/**
 * Decodes a list. If the bytes are not enough, tries again with more, up to the most that it can
 * take.
 */
async function decodeSafely<T>(
  path: string,
  bits: BitReader,
  decode: () => T,
  node: number,
  mostBytes: number,
): Promise<T> {
  const start = bits.position;
  const noList = () => wrong(path, `has no valid list at node ${node}, bit ${start}`);
  for (let bytes = 2 * USUAL_BYTES; ; bytes *= 2) {
    try {
      return decode();
    } catch (error) {
      if (error instanceof NoSuchNumber) throw noList();
      if (!(error instanceof OutOfBits)) throw error;
      if (bits.sawEnd) throw wrong(path, `ends at node ${node}, bit ${start}`);
      if (bytes > 2 * mostBytes) throw noList();
      bits.goBack(start);
      await bits.ready(bytes);
    }
  }
}

/**
 * Compares where lists begin with `.offsets`, if it is there. So the graph file of another graph is
 * detected at once.
 */
class OffsetCheck {
  readonly #bits: BitReader;
  readonly #code: Code;
  readonly #path: string;
  #offset = 0;
  readonly close: () => Promise<void>;

  private constructor(path: string, bits: BitReader, code: Code, close: () => Promise<void>) {
    this.#path = path;
    this.#bits = bits;
    this.#code = code;
    this.close = close;
  }

  static async open(disk: Disk, base: string, code: Code): Promise<OffsetCheck | undefined> {
    const path = `${base}.offsets`;
    const file = await openInput(disk, path).catch((error) => {
      if (error instanceof DrumlinError && error.code === 'INPUT_MISSING') return undefined;
      throw error;
    });
    if (file === undefined) return undefined;
    const reader = new ReadAhead(file, 0, await file.size());
    return new OffsetCheck(path, new BitReader(reader), code, async () => {
      await reader.end();
      await file.close();
    });
  }

  async expect(node: number, position: number): Promise<void> {
    if (!this.#bits.isReady(OFFSET_BYTES)) await this.#bits.ready(USUAL_BYTES);
    this.#offset += await decodeSafely(
      this.#path,
      this.#bits,
      () => this.#code(this.#bits),
      node,
      USUAL_BYTES,
    );
    if (this.#offset !== position)
      throw wrong(
        this.#path,
        `says that the list of node ${node} begins at bit ${this.#offset}, but it begins at ${position}`,
      );
  }
}

class BvLists {
  readonly #bits: BitReader;
  readonly #properties: BvProperties;
  /** The last lists, by node modulo their number. */
  readonly #recent: Uint32Array[];

  constructor(bits: BitReader, properties: BvProperties) {
    this.#bits = bits;
    this.#properties = properties;
    this.#recent = Array.from({ length: properties.window + 1 }, () => new Uint32Array(0));
  }

  /** The list of the next node: 0, 1, 2, … */
  next(node: number): Uint32Array {
    const { codes, window, nodes } = this.#properties;
    const bits = this.#bits;
    const length = codes.outdegrees(bits);
    if (length > nodes) throw new NoSuchNumber();
    const list = new Uint32Array(length);
    if (length > 0) {
      const reference = window > 0 ? codes.references(bits) : 0;
      if (reference > window || reference > node) throw new NoSuchNumber();
      const copied =
        reference > 0 ? this.#copied(this.#recent[(node - reference) % (window + 1)]) : [];
      const extra = this.#extra(node, length - copied.length);
      mergeInto(list, copied, extra, nodes);
    }
    this.#recent[node % (window + 1)] = list;
    return list;
  }

  /**
   * Blocks of the list referred to are copied and skipped in turn; the rest after the last block
   * continues the alternation.
   */
  #copied(list: Uint32Array): number[] {
    const { codes } = this.#properties;
    const count = codes.blockCounts(this.#bits);
    if (count > list.length + 1) throw new NoSuchNumber();
    const copied: number[] = [];
    let at = 0;
    for (let block = 0; block < count; block++) {
      const length = codes.blocks(this.#bits) + (block === 0 ? 0 : 1);
      if (at + length > list.length) throw new NoSuchNumber();
      if (block % 2 === 0) for (let i = at; i < at + length; i++) copied.push(list[i]);
      at += length;
    }
    if (count % 2 === 0) for (let i = at; i < list.length; i++) copied.push(list[i]);
    return copied;
  }

  /** Targets that are not copied: intervals, then single ones, unsorted. */
  #extra(node: number, count: number): number[] {
    const { codes, minInterval, nodes } = this.#properties;
    if (count < 0) throw new NoSuchNumber();
    const extra: number[] = [];
    if (count === 0) return extra;
    const intervals = minInterval > 0 ? this.#bits.gamma() : 0;
    if (intervals > count) throw new NoSuchNumber();
    for (let i = 0, end = 0; i < intervals; i++) {
      const left = i === 0 ? node + unfold(this.#bits.gamma()) : end + 1 + this.#bits.gamma();
      const length = this.#bits.gamma() + minInterval;
      end = left + length;
      if (extra.length + length > count || end > nodes) throw new NoSuchNumber();
      for (let target = left; target < end; target++) extra.push(target);
    }
    for (let last = node, first = true; extra.length < count; first = false) {
      last = first
        ? node + unfold(codes.residuals(this.#bits))
        : last + 1 + codes.residuals(this.#bits);
      extra.push(last);
    }
    return extra;
  }
}

/** Maps 0, 1, 2, 3, … to 0, -1, 1, -2, … */
function unfold(value: number): number {
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}

function mergeInto(
  list: Uint32Array,
  copied: readonly number[],
  extra: readonly number[],
  nodes: number,
): void {
  const all = [...copied, ...extra];
  if (all.some((target) => !(target >= 0 && target < nodes))) throw new NoSuchNumber();
  list.set(all);
  list.sort();
  for (let i = 1; i < list.length; i++) if (list[i] === list[i - 1]) throw new NoSuchNumber();
}

function wrong(path: string, what: string): DrumlinError {
  return new DrumlinError(
    'GRAPH_INPUT',
    `${path} ${what}.`,
    'No graph was written. Download the files again.',
  );
}
