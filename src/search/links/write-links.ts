/**
 * The links of all runs to the files `nodes`, `out` and `in` of a part.
 *
 *   lines by target ─► URLs in order get numbers ─► by source: `out` ─► by target: `in`, `nodes`
 *
 * Idea      A link has two ends, and both need the number of the other. Sorting by target numbers
 *           the targets; sorting by source, beside the list of all URLs, numbers the sources. Every
 *           pass reads and writes in order.
 * Format    `nodes`: URLs in the order of their keys: key (u64), bytes of its list in `out` and in
 *           `in`, number of epochs in which its links were read, then these epochs, each as the
 *           distance from the one before. `out` and `in`: for each link the distance of the other
 *           end from the one before, doubled, plus 1 if the epochs are those of the link before;
 *           otherwise the first epoch and the distance of the last follow.
 * Ensures   The files are a function of the lines, whatever runs they are in.
 * Cost      The memory given; three external sorts of the links.
 */
import { join } from 'node:path';
import type { Bytes } from '../../base/units.ts';
import type { Disk } from '../../disk/disk.ts';
import { LineSorter } from '../../disk/line-sort.ts';
import { readLines } from '../../disk/lines.ts';
import { type TextFile, writeText } from '../../disk/text-file.ts';
import { FORMATS } from '../store/formats.ts';
import { type Output, writeOutputs } from '../store/output.ts';
import { hex } from './link-lines.ts';

interface LinkSource {
  readonly disk: Disk;
  /** For temporary files. */
  readonly work: string;
  /** The files of all runs. */
  readonly runs: readonly string[];
  /** The number that each epoch gets, in the order of time; undefined if numbers stay. */
  readonly order: readonly number[] | undefined;
  readonly memory: Bytes;
}

interface LinkCounts {
  readonly nodes: number;
  readonly links: number;
}

/** Writes the three files into the folder of a part. */
export async function writeLinks(source: LinkSource, folder: string): Promise<LinkCounts> {
  const { disk, work } = source;
  const [named, measured] = [join(work, 'nodes.named'), join(work, 'nodes.measured')];
  const bySource = await numberTargets(source, named);
  const { byTarget, links } = await writeOut(source, bySource, named, measured, folder);
  const nodes = await writeIn(source, byTarget, measured, folder);
  for (const path of [named, measured]) await disk.remove(path);
  return { nodes, links };
}

const KEY = 16;
/** Lines that are written at once. */
const SLICE = 1024;

/** Lines that are gathered before they are written. */
class Lines {
  readonly #file: TextFile;
  #held: string[] = [];

  constructor(file: TextFile) {
    this.#file = file;
  }

  /** Await what it returns, if it returns anything. */
  add(line: string): Promise<void> | undefined {
    this.#held.push(line);
    return this.#held.length < SLICE ? undefined : this.end();
  }

  async end(): Promise<void> {
    const lines = this.#held;
    this.#held = [];
    if (lines.length > 0) await this.#file.write(Buffer.from(`${lines.join('\n')}\n`, 'latin1'));
  }
}

/** Writes every URL with its epochs, in order; returns the links by source, with target numbers. */
async function numberTargets(source: LinkSource, path: string): Promise<LineSorter> {
  const { disk, work, runs, order, memory } = source;
  const lines = new LineSorter(disk, work, 'link', memory / 2);
  for (const run of runs) await lines.addAll(readLines(disk, run));
  const bySource = new LineSorter(disk, work, 'source', memory / 2);
  await writeText(disk, path, async (file) => {
    const targets = new Targets(new Lines(file), bySource, order);
    for await (const batch of lines.sorted()) for (const line of batch) await targets.add(line);
    await targets.end();
  });
  return bySource;
}

/** Takes the lines of all links by target; gives each target a number. */
class Targets {
  readonly #urls: Lines;
  readonly #links: LineSorter;
  readonly #order: readonly number[] | undefined;
  #node = -1;
  #key = '';
  /** The source of the link that is being read, or ''. */
  #from = '';
  #epochs = new Set<number>();
  #first = 0;
  #last = 0;

  constructor(urls: Lines, links: LineSorter, order: readonly number[] | undefined) {
    this.#urls = urls;
    this.#links = links;
    this.#order = order;
  }

  async add(line: string): Promise<void> {
    const key = line.slice(0, KEY);
    if (key !== this.#key) await this.#begin(key);
    if (line[KEY + 1] === 'c') {
      this.#epochs.add(this.#epochOf(line.slice(KEY + 3)));
      return;
    }
    const from = line.slice(KEY + 3, 2 * KEY + 3);
    const epoch = this.#epochOf(line.slice(2 * KEY + 4));
    if (from === this.#from) {
      this.#first = Math.min(this.#first, epoch);
      this.#last = Math.max(this.#last, epoch);
      return;
    }
    await this.#endLink();
    this.#from = from;
    this.#first = epoch;
    this.#last = epoch;
  }

  async end(): Promise<void> {
    await this.#begin('');
    await this.#urls.end();
  }

  async #begin(key: string): Promise<void> {
    await this.#endLink();
    if (this.#key !== '')
      await this.#urls.add([this.#key, ...[...this.#epochs].sort((a, b) => a - b)].join(' '));
    this.#key = key;
    this.#epochs = new Set();
    this.#node++;
  }

  async #endLink(): Promise<void> {
    if (this.#from === '') return;
    const epochs = hex(this.#first, 6) + hex(this.#last, 6);
    await this.#links.add(this.#from + hex(this.#node, 8) + epochs);
    this.#from = '';
  }

  #epochOf(text: string): number {
    const epoch = Number.parseInt(text, 16);
    return this.#order ? this.#order[epoch] : epoch;
  }
}

/** A list of links, written in order. */
class ListWriter {
  readonly #out: Output;
  #start: number;
  #before = -1;
  #epochs = '';

  constructor(out: Output) {
    this.#out = out;
    this.#start = out.length;
  }

  add(other: number, epochs: string): void {
    const distance = other - this.#before - 1;
    this.#before = other;
    const isSame = epochs === this.#epochs;
    this.#out.varint(2 * distance + (isSame ? 1 : 0));
    if (isSame) return;
    this.#epochs = epochs;
    const first = Number.parseInt(epochs.slice(0, 6), 16);
    this.#out.varint(first);
    this.#out.varint(Number.parseInt(epochs.slice(6), 16) - first);
  }

  /** The bytes of the list; the next one begins. */
  end(): Bytes {
    const bytes = this.#out.length - this.#start;
    this.#start = this.#out.length;
    this.#before = -1;
    this.#epochs = '';
    return bytes;
  }
}

/** Lines one at a time, of which the next can be looked at. */
class Cursor {
  readonly #batches: AsyncIterator<readonly string[]>;
  #batch: readonly string[] = [];
  #at = 0;

  constructor(batches: AsyncIterable<readonly string[]>) {
    this.#batches = batches[Symbol.asyncIterator]();
  }

  /** The next line, or undefined; await `fill` first. */
  get line(): string | undefined {
    return this.#batch[this.#at];
  }

  skip(): void {
    this.#at++;
  }

  /** Await what it returns, if it returns anything. */
  fill(): Promise<void> | undefined {
    return this.#at < this.#batch.length ? undefined : this.#more();
  }

  async #more(): Promise<void> {
    const { value = [] } = await this.#batches.next();
    this.#batch = value;
    this.#at = 0;
  }
}

/** Writes `out`, and every URL with the bytes of its list; returns the links by target number. */
async function writeOut(
  { disk, work, memory }: LinkSource,
  bySource: LineSorter,
  named: string,
  measured: string,
  folder: string,
): Promise<{ byTarget: LineSorter; links: number }> {
  const byTarget = new LineSorter(disk, work, 'target', memory / 2);
  const links = new Cursor(bySource.sorted());
  let [node, count] = [0, 0];
  await writeOutputs(disk, [[join(folder, 'out'), FORMATS.out]], async ([out]) => {
    const list = new ListWriter(out);
    await writeText(disk, measured, async (file) => {
      const lines = new Lines(file);
      for await (const batch of readLines(disk, named)) {
        for (const line of batch) {
          const key = line.slice(0, KEY);
          for (;;) {
            await links.fill();
            const link = links.line;
            if (link === undefined || !link.startsWith(key)) break;
            links.skip();
            const target = link.slice(KEY, KEY + 8);
            list.add(Number.parseInt(target, 16), link.slice(KEY + 8));
            await byTarget.add(target + hex(node, 8) + link.slice(KEY + 8));
            count++;
          }
          await lines.add(`${key} ${list.end()}${line.slice(KEY)}`);
          await out.settle();
          node++;
        }
      }
      await lines.end();
    });
  });
  return { byTarget, links: count };
}

/** Writes `in` and `nodes`; returns the number of URLs. */
async function writeIn(
  { disk }: LinkSource,
  byTarget: LineSorter,
  measured: string,
  folder: string,
): Promise<number> {
  const links = new Cursor(byTarget.sorted());
  const files = [
    [join(folder, 'in'), FORMATS.in],
    [join(folder, 'nodes'), FORMATS.nodes],
  ] as const;
  let node = 0;
  await writeOutputs(disk, files, async ([into, nodes]) => {
    const list = new ListWriter(into);
    for await (const batch of readLines(disk, measured)) {
      for (const line of batch) {
        const number = hex(node, 8);
        for (;;) {
          await links.fill();
          const link = links.line;
          if (link === undefined || !link.startsWith(number)) break;
          links.skip();
          list.add(Number.parseInt(link.slice(8, 16), 16), link.slice(16));
          await into.settle();
        }
        writeNode(nodes, line, list.end());
        await nodes.settle();
        node++;
      }
    }
  });
  return node;
}

/** A line `KEY BYTES EPOCH…` as a record of `nodes`. */
function writeNode(nodes: Output, line: string, inBytes: Bytes): void {
  const [key, outBytes, ...epochs] = line.split(' ');
  nodes.u64(BigInt(`0x${key}`));
  nodes.varint(Number(outBytes));
  nodes.varint(inBytes);
  nodes.varint(epochs.length);
  let before = 0;
  for (const epoch of epochs) {
    nodes.varint(Number(epoch) - before);
    before = Number(epoch);
  }
}
