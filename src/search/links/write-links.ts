/**
 * The links of all runs to the files `nodes`, `out` and `in` of a part.
 *
 *   records by target ─► URLs in order get numbers ─► by source: `out` ─► by target: `in`, `nodes`
 *
 * Idea      A link has two ends, and both need the number of the other. Sorting by target numbers
 *           the targets; sorting by source, beside the list of all URLs, numbers the sources. Every
 *           pass reads and writes in order.
 * Format    `nodes`: URLs in the order of their keys: key (u64), bytes of its list in `out` and in
 *           `in`, number of epochs in which its links were read, then these epochs, each as the
 *           distance from the one before. `out` and `in`: for each link the distance of the other
 *           end from the one before, doubled, plus 1 if the epochs are those of the link before;
 *           otherwise the first epoch and the distance of the last follow.
 * Ensures   The files are a function of the records, whatever runs they are in.
 * Cost      The memory given; three external sorts of the links.
 */
import { join } from 'node:path';
import type { Bytes } from '../../base/units.ts';
import type { Disk } from '../../disk/disk.ts';
import { readLines } from '../../disk/lines.ts';
import { type TextFile, writeText } from '../../disk/text-file.ts';
import { FORMATS } from '../store/formats.ts';
import { type Output, writeOutputs } from '../store/output.ts';
import { LINK_WIDTH } from './link-records.ts';
import { RecordCursor, RecordSorter, readRecords } from './record-sort.ts';

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
/** Numbers of a link with the key of its source; and with the number of it. */
const [BY_SOURCE, BY_TARGET] = [5, 4];
/** Lines that are written at once. */
const SLICE = 1024;

const hex = (value: number): string => value.toString(16).padStart(8, '0');

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
async function numberTargets(source: LinkSource, path: string): Promise<RecordSorter> {
  const { disk, work, runs, order, memory } = source;
  const links = new RecordSorter(disk, work, 'link', LINK_WIDTH, memory / 2);
  for (const run of runs)
    for await (const { words, count } of readRecords(disk, run, LINK_WIDTH))
      for (let at = 0; at < count * LINK_WIDTH; at += LINK_WIDTH) {
        const wait = links.add(
          words[at],
          words[at + 1],
          words[at + 2],
          words[at + 3],
          words[at + 4],
        );
        if (wait) await wait;
      }
  const bySource = new RecordSorter(disk, work, 'source', BY_SOURCE, memory / 2);
  await writeText(disk, path, async (file) => {
    const targets = new Targets(new Lines(file), bySource, order);
    for await (const { words, count } of links.sorted())
      for (let at = 0; at < count * LINK_WIDTH; at += LINK_WIDTH) {
        const wait = targets.add(words, at);
        if (wait) await wait;
      }
    await targets.end();
  });
  return bySource;
}

/** Takes the records of all links by target; gives each target a number. */
class Targets {
  readonly #urls: Lines;
  readonly #links: RecordSorter;
  readonly #order: readonly number[] | undefined;
  #node = -1;
  /** The target: high and low. */
  #high = 0;
  #low = 0;
  /** Whether a link is being read, and its source. */
  #hasLink = false;
  #fromHigh = 0;
  #fromLow = 0;
  #first = 0;
  #last = 0;
  #epochs = new Set<number>();

  constructor(urls: Lines, links: RecordSorter, order: readonly number[] | undefined) {
    this.#urls = urls;
    this.#links = links;
    this.#order = order;
  }

  /** Adds the record at a place. Await what it returns, if it returns anything. */
  add(words: Uint32Array, at: number): Promise<void> | undefined {
    const high = words[at];
    const low = words[at + 1];
    const fromHigh = words[at + 2];
    const fromLow = words[at + 3];
    const epoch = this.#order ? this.#order[words[at + 4]] : words[at + 4];
    const isNew = this.#node < 0 || high !== this.#high || low !== this.#low;
    if (!isNew && this.#hasLink && fromHigh === this.#fromHigh && fromLow === this.#fromLow) {
      this.#first = Math.min(this.#first, epoch);
      this.#last = Math.max(this.#last, epoch);
      return undefined;
    }
    const ended = this.#endLink();
    const written = isNew ? this.#begin(high, low) : undefined;
    if (fromHigh === high && fromLow === low) this.#epochs.add(epoch);
    else {
      this.#hasLink = true;
      this.#fromHigh = fromHigh;
      this.#fromLow = fromLow;
      this.#first = epoch;
      this.#last = epoch;
    }
    return ended && written ? Promise.all([ended, written]).then(() => {}) : (ended ?? written);
  }

  async end(): Promise<void> {
    await this.#endLink();
    await this.#endTarget();
    await this.#urls.end();
  }

  #begin(high: number, low: number): Promise<void> | undefined {
    const written = this.#endTarget();
    this.#node++;
    this.#high = high;
    this.#low = low;
    return written;
  }

  #endTarget(): Promise<void> | undefined {
    if (this.#node < 0) return undefined;
    const epochs = [...this.#epochs].sort((a, b) => a - b);
    if (epochs.length > 0) this.#epochs = new Set();
    return this.#urls.add([hex(this.#high) + hex(this.#low), ...epochs].join(' '));
  }

  #endLink(): Promise<void> | undefined {
    if (!this.#hasLink) return undefined;
    this.#hasLink = false;
    return this.#links.add(this.#fromHigh, this.#fromLow, this.#node, this.#first, this.#last);
  }
}

/** A list of links, written in order. */
class ListWriter {
  readonly #out: Output;
  #start: number;
  #before = -1;
  #first = -1;
  #last = -1;

  constructor(out: Output) {
    this.#out = out;
    this.#start = out.length;
  }

  /** A link to a URL, or from it, with its first and last epoch. */
  add(other: number, first: number, last: number): void {
    const distance = other - this.#before - 1;
    this.#before = other;
    const isSame = first === this.#first && last === this.#last;
    this.#out.varint(2 * distance + (isSame ? 1 : 0));
    if (isSame) return;
    this.#first = first;
    this.#last = last;
    this.#out.varint(first);
    this.#out.varint(last - first);
  }

  /** The bytes of the list; the next one begins. */
  end(): Bytes {
    const bytes = this.#out.length - this.#start;
    this.#start = this.#out.length;
    this.#before = -1;
    this.#first = -1;
    this.#last = -1;
    return bytes;
  }
}

/** Writes `out`, and every URL with the bytes of its list; returns the links by target number. */
async function writeOut(
  { disk, work, memory }: LinkSource,
  bySource: RecordSorter,
  named: string,
  measured: string,
  folder: string,
): Promise<{ byTarget: RecordSorter; links: number }> {
  const byTarget = new RecordSorter(disk, work, 'target', BY_TARGET, memory / 2);
  const links = new RecordCursor(bySource.sorted(), BY_SOURCE);
  let [node, count] = [0, 0];
  /** The links of the current URL. */
  const copy = async (list: ListWriter, high: number, low: number): Promise<void> => {
    for (;;) {
      const more = links.fill();
      if (more) await more;
      const { words, at } = links;
      if (!links.hasOne || words[at] !== high || words[at + 1] !== low) return;
      const [target, first, last] = [words[at + 2], words[at + 3], words[at + 4]];
      list.add(target, first, last);
      const wait = byTarget.add(target, node, first, last);
      if (wait) await wait;
      links.skip();
      count++;
    }
  };
  await writeOutputs(disk, [[join(folder, 'out'), FORMATS.out]], async ([out]) => {
    const list = new ListWriter(out);
    await writeText(disk, measured, async (file) => {
      const lines = new Lines(file);
      for await (const batch of readLines(disk, named)) {
        for (const line of batch) {
          const [high, low] = [line.slice(0, 8), line.slice(8, KEY)];
          await copy(list, Number.parseInt(high, 16), Number.parseInt(low, 16));
          await lines.add(`${high}${low} ${list.end()}${line.slice(KEY)}`);
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
  byTarget: RecordSorter,
  measured: string,
  folder: string,
): Promise<number> {
  const links = new RecordCursor(byTarget.sorted(), BY_TARGET);
  const files = [
    [join(folder, 'in'), FORMATS.in],
    [join(folder, 'nodes'), FORMATS.nodes],
  ] as const;
  let node = 0;
  await writeOutputs(disk, files, async ([into, nodes]) => {
    const list = new ListWriter(into);
    for await (const batch of readLines(disk, measured)) {
      for (const line of batch) {
        for (;;) {
          const more = links.fill();
          if (more) await more;
          const { words, at } = links;
          if (!links.hasOne || words[at] !== node) break;
          list.add(words[at + 1], words[at + 2], words[at + 3]);
          links.skip();
          const wait = into.settle();
          if (wait) await wait;
        }
        writeNode(nodes, line, list.end());
        const wait = nodes.settle();
        if (wait) await wait;
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
