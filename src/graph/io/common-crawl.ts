/**
 * The graphs of Common Crawl: a list of vertices, `id⇥reversed.name` (in graphs of domains also
 * `⇥number of hosts`), and one of edges, `from⇥to`.
 *
 * Idea      Our graphs name a host as usual, `www.example.org`; only these files use
 *           `org.example.www`. Names are reversed on import and export, and nodes are renumbered,
 *           because the order changes.
 * Requires  vertices numbered 0, 1, 2, … in the order of the files, as Common Crawl publishes them.
 * Ensures   anything else is refused with the file and the line. Numbers of hosts stay with the
 *           graph, if every vertex has one.
 */
import { basename, dirname } from 'node:path';
import { DrumlinError } from '../../base/errors.ts';
import type { Disk } from '../../disk/disk.ts';
import {
  type LineChunk,
  malformed,
  malformedAt,
  type ReadProgress,
  readLines,
} from '../../disk/text-input.ts';
import type { IdArcs, NameBatch } from '../arcs.ts';
import type { GraphLevel } from '../graph-file.ts';
import { nameEnd, numberedEdges } from './edge-list.ts';

const LF = 10;
const TAB = 9;
const CR = 13;
const DOT = 46;

interface CommonCrawlFiles {
  readonly vertices: readonly string[];
  readonly edges: readonly string[];
}

/** Distinguishes vertices from edges by the names of the files or of their folders. */
export function sortFiles(files: readonly string[]): CommonCrawlFiles {
  const kinds = files.map((path) => {
    const kind = kindOf(basename(path)) ?? kindOf(basename(dirname(path)));
    if (kind === undefined) {
      throw new DrumlinError(
        'GRAPH_INPUT',
        `The name of ${path} does not tell whether it holds vertices or edges.`,
        'Name the files or their folders by their contents: vertices.txt.gz and edges.txt.gz.',
      );
    }
    return kind;
  });
  const vertices = files.filter((_, i) => kinds[i] === 'vertices');
  if (vertices.length > 0) return { vertices, edges: files.filter((_, i) => kinds[i] === 'edges') };
  throw new DrumlinError(
    'GRAPH_INPUT',
    'None of the files holds vertices.',
    'Name the file of vertices, too.',
  );
}

function kindOf(name: string): 'vertices' | 'edges' | undefined {
  if (/vert(?:ex|ices)/i.test(name)) return 'vertices';
  return /edge/i.test(name) ? 'edges' : undefined;
}

/** The level, which Common Crawl has in the names of its files or of their folders. */
export function levelOf(files: readonly string[]): GraphLevel | undefined {
  const named = (word: RegExp) =>
    files.some((path) => word.test(basename(dirname(path)) + basename(path)));
  if (named(/domain/i)) return 'domain';
  return named(/host/i) ? 'host' : undefined;
}

export class Vertices {
  readonly #disk: Disk;
  readonly #files: readonly string[];
  /** Vertices read so far. */
  count = 0;
  /** Whether the first vertex has a number of hosts. */
  #firstHasHosts = false;

  constructor(disk: Disk, files: readonly string[]) {
    this.#disk = disk;
    this.#files = files;
  }

  /** The names, in the usual order of labels, by id. */
  async *names(onRead?: ReadProgress): AsyncGenerator<NameBatch> {
    this.count = 0;
    for (const path of this.#files) {
      for await (const chunk of readLines(this.#disk, path, { onRead })) yield this.#parse(chunk);
    }
  }

  /** Edges between these vertices, all of which have been read. */
  edges(files: readonly string[], onRead?: ReadProgress): AsyncGenerator<IdArcs> {
    return numberedEdges(this.#disk, files, { onRead }, () => this.count);
  }

  /** The error with the line in which a name occurs for the second time. */
  async repeatOf(name: string): Promise<DrumlinError | undefined> {
    const wanted = Buffer.from(name);
    let first: string | undefined;
    this.count = 0;
    for (const path of this.#files) {
      for await (const chunk of readLines(this.#disk, path)) {
        const { bytes, spans, count } = this.#parse(chunk);
        for (let i = 0; i < count; i++) {
          const [start, end] = [spans[2 * i], spans[2 * i + 1]];
          const tab = bytes.subarray(start, end).indexOf(TAB);
          if (wanted.compare(bytes, start, tab < 0 ? end : start + tab) !== 0) continue;
          if (first !== undefined)
            return malformed(
              path,
              chunk.line + i,
              `names "${reversed(name)}" again, after ${first}`,
            );
          first = `line ${chunk.line + i}${this.#files.length > 1 ? ` of ${path}` : ''}`;
        }
      }
    }
    return undefined;
  }

  #parse(chunk: LineChunk): NameBatch {
    const { bytes } = chunk;
    const names = new Uint8Array(bytes.length);
    const spans = new Uint32Array(bytes.length);
    let count = 0;
    for (let at = 0; at < bytes.length; at++) {
      const line = at;
      let id = 0;
      for (; bytes[at] >= 48 && bytes[at] <= 57; at++) id = id * 10 + bytes[at] - 48;
      if (at === line || bytes[at] !== TAB)
        throw malformedAt(chunk, line, 'does not begin with an id and a tab');
      if (id !== this.count)
        throw malformedAt(chunk, line, `has the id ${id}; ${this.count} is expected`);
      const start = at + 1;
      at = nameEnd(chunk, start);
      if (at === start) throw malformedAt(chunk, line, 'has no name');
      reverseLabels(bytes, start, at, names);
      spans[2 * count] = start;
      const nameStop = at;
      at = numberEnd(bytes, nameStop);
      const hasHosts = this.#hasHosts(chunk, line, at > nameStop + 1);
      if (hasHosts) names.set(bytes.subarray(nameStop, at), nameStop);
      spans[2 * count++ + 1] = hasHosts ? at : nameStop;
      if (bytes[at] === CR) at++;
      if (bytes[at] !== LF)
        throw malformedAt(chunk, line, 'has something other than a number after the name');
      this.count++;
    }
    return { bytes: names, spans, count };
  }

  /** All vertices have a number of hosts, or none. */
  #hasHosts(chunk: LineChunk, line: number, has: boolean): boolean {
    if (this.count === 0) this.#firstHasHosts = has;
    if (has === this.#firstHasHosts) return has;
    const what = has ? 'a number of hosts' : 'no number of hosts';
    throw malformedAt(chunk, line, `has ${what}, unlike the first`);
  }
}

/** The end of the tab and the digits that may follow a name. */
function numberEnd(bytes: Uint8Array, nameEnd: number): number {
  let at = nameEnd;
  if (bytes[at] === TAB)
    do at++;
    while (bytes[at] >= 48 && bytes[at] <= 57);
  return at;
}

/**
 * Copies bytes[start .. end) to the same place of `into`, with the labels between dots in reverse
 * order. Applied twice, it changes nothing.
 */
function reverseLabels(bytes: Uint8Array, start: number, end: number, into: Uint8Array): void {
  let label = start;
  let out = end;
  for (let at = start; at <= end; at++) {
    if (at < end && bytes[at] !== DOT) continue;
    out -= at - label;
    for (let i = label; i < at; i++) into[out + i - label] = bytes[i];
    if (at < end) into[--out] = DOT;
    label = at + 1;
  }
}

/** Turns `www.example.org` into `org.example.www`, and back. */
export function reversed(name: string): string {
  return name.split('.').reverse().join('.');
}
