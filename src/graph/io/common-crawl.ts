/**
 * The graphs of Common Crawl: a list of vertices, `id⇥reversed.name` (in graphs of domains `⇥number
 * of hosts` too), and one of edges, `from⇥to`.
 *
 * Idea      inside a graph of ours a host is called as everywhere else, `www.example.org`; only
 *           these files say `org.example.www`. Names are turned round on the way in and on the way
 *           out, and nodes are numbered anew, because the order changes.
 * Requires  vertices numbered 0, 1, 2, … in the order of the files, as Common Crawl hands them out.
 * Ensures   what is otherwise is refused by file and line.
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

export interface CommonCrawlFiles {
  readonly vertices: readonly string[];
  readonly edges: readonly string[];
}

/** Tells vertices from edges by the names of the files or of their folders. */
export function sortFiles(files: readonly string[]): CommonCrawlFiles {
  const kinds = files.map((path) => {
    const kind = kindOf(basename(path)) ?? kindOf(basename(dirname(path)));
    if (kind === undefined) {
      throw new DrumlinError(
        'GRAPH_INPUT',
        `Nothing in its name says whether ${path} holds vertices or edges.`,
        'Call the files, or their folders, by what they hold: vertices.txt.gz and edges.txt.gz.',
      );
    }
    return kind;
  });
  const vertices = files.filter((_, i) => kinds[i] === 'vertices');
  if (vertices.length > 0) return { vertices, edges: files.filter((_, i) => kinds[i] === 'edges') };
  throw new DrumlinError(
    'GRAPH_INPUT',
    'None of the files holds vertices.',
    'Name the file of vertices too.',
  );
}

function kindOf(name: string): 'vertices' | 'edges' | undefined {
  if (/vert(?:ex|ices)/i.test(name)) return 'vertices';
  return /edge/i.test(name) ? 'edges' : undefined;
}

/** Common Crawl says it in the names of its files, or of their folders. */
export function levelOf(files: readonly string[]): GraphLevel | undefined {
  const named = (word: RegExp) =>
    files.some((path) => word.test(basename(dirname(path)) + basename(path)));
  if (named(/domain/i)) return 'domain';
  return named(/host/i) ? 'host' : undefined;
}

export class Vertices {
  readonly #disk: Disk;
  readonly #files: readonly string[];
  /** Read so far. */
  count = 0;

  constructor(disk: Disk, files: readonly string[]) {
    this.#disk = disk;
    this.#files = files;
  }

  /** The names, turned round, in the order of their ids. */
  async *names(onRead?: ReadProgress): AsyncGenerator<NameBatch> {
    this.count = 0;
    for (const path of this.#files) {
      for await (const chunk of readLines(this.#disk, path, onRead)) yield this.#parse(chunk);
    }
  }

  /** Edges between these vertices, all of which have been read. */
  edges(files: readonly string[], onRead?: ReadProgress): AsyncGenerator<IdArcs> {
    return numberedEdges(this.#disk, files, onRead, () => this.count);
  }

  /** Which line a name stands in for the second time. */
  async repeatOf(name: string): Promise<DrumlinError | undefined> {
    const wanted = Buffer.from(name);
    let first: string | undefined;
    this.count = 0;
    for (const path of this.#files) {
      for await (const chunk of readLines(this.#disk, path)) {
        const { bytes, spans, count } = this.#parse(chunk);
        for (let i = 0; i < count; i++) {
          if (wanted.compare(bytes, spans[2 * i], spans[2 * i + 1]) !== 0) continue;
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
        throw malformedAt(chunk, line, `has the id ${id}, ${this.count} is its turn`);
      const start = at + 1;
      at = nameEnd(chunk, start);
      if (at === start) throw malformedAt(chunk, line, 'has no name');
      reverseLabels(bytes, start, at, names);
      spans[2 * count] = start;
      spans[2 * count++ + 1] = at;
      if (bytes[at] === TAB)
        do at++;
        while (bytes[at] >= 48 && bytes[at] <= 57);
      if (bytes[at] === CR) at++;
      if (bytes[at] !== LF)
        throw malformedAt(chunk, line, 'goes on after the name with something else than a number');
      this.count++;
    }
    return { bytes: names, spans, count };
  }
}

/**
 * Puts bytes[start .. end) into the same place of `into`, what is between dots in reverse order.
 * Twice is nothing.
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

/** `www.example.org` and `org.example.www` are each other's. */
export function reversed(name: string): string {
  return name.split('.').reverse().join('.');
}
