/**
 * Imports a graph from other formats: which files there are, how far they were read, and what is
 * wrong with them.
 */

import { DrumlinError } from '../../base/errors.ts';
import { Disk } from '../../disk/disk.ts';
import { inputBytes, inputFiles, type ReadProgress } from '../../disk/text-input.ts';
import { packNameArcs } from '../arcs.ts';
import { type BuildOptions, buildGraph, RepeatedNameError } from '../build.ts';
import type { GraphFacts } from '../graph-file.ts';
import { baseName, bvArcs, readProperties } from './bv.ts';
import { levelOf, sortFiles, Vertices } from './common-crawl.ts';
import { DebianPackages } from './debian.ts';
import { holdsNumbers, namedEdges, numberedEdges } from './edge-list.ts';

export type ImportFormat = 'edges' | 'common-crawl' | 'bv' | 'debian';

export interface ImportOptions extends BuildOptions {
  readonly format: ImportFormat;
  /** In edge lists, nodes are names even if they look like numbers. */
  readonly names?: boolean | undefined;
  /** In edge lists, this separates the nodes of a line, beside spaces and tabs. */
  readonly separator?: string | undefined;
  /** In edge lists, called with each line that is no arc; without it such a line is an error. */
  readonly onBad?: ((error: DrumlinError) => void) | undefined;
  /** Called with a sentence about input that is left out as the format asks. */
  readonly onNote?: ((sentence: string) => void) | undefined;
}

/** Imports files, or folders of files; they are read as one, in the order given. */
export async function importGraph(
  paths: readonly string[],
  folder: string,
  options: ImportOptions,
): Promise<GraphFacts> {
  const disk = options.disk ?? new Disk();
  requireEdges(options);
  if (options.format === 'bv') return importBv(disk, paths, folder, options);
  const files = await inputFiles(disk, paths);
  if (files.length === 0)
    throw new DrumlinError(
      'GRAPH_INPUT',
      `There are no files in ${paths.join(' and ')}.`,
      'Name the files to import.',
    );
  const onRead = await progressOf(disk, files, options);
  const importFormat = {
    edges: importEdges,
    'common-crawl': importCommonCrawl,
    debian: importDebian,
  };
  return importFormat[options.format](disk, files, folder, options, onRead);
}

/** What only edge lists can have. */
function requireEdges({ format, separator, onBad }: ImportOptions): void {
  if (separator !== undefined && !/^[!-"$-/:-@[-`{-~ \t]$/.test(separator))
    throw new DrumlinError(
      'GRAPH_INPUT',
      `"${separator}" cannot separate nodes.`,
      'Give one ASCII character that is no letter, digit or #, for example --separator ,',
    );
  if (format === 'edges' || (separator === undefined && onBad === undefined)) return;
  throw new DrumlinError(
    'GRAPH_INPUT',
    `--${separator === undefined ? 'skip-bad' : 'separator'} is for edge lists only.`,
    `Leave it out for --format ${format}.`,
  );
}

async function importEdges(
  disk: Disk,
  files: readonly string[],
  folder: string,
  options: ImportOptions,
  onRead: ReadProgress,
): Promise<GraphFacts> {
  const { separator, onBad } = options;
  const lists = { onRead, separator, onBad };
  const numbers = !options.names && (await holdsNumbers(disk, files, lists));
  const source = numbers
    ? { ids: numberedEdges(disk, files, lists) }
    : { names: namedEdges(disk, files, lists) };
  return buildGraph(folder, source, options);
}

async function importCommonCrawl(
  disk: Disk,
  files: readonly string[],
  folder: string,
  options: ImportOptions,
  onRead: ReadProgress,
): Promise<GraphFacts> {
  const { vertices, edges } = sortFiles(files);
  const reader = new Vertices(disk, vertices);
  const source = { numbered: reader.names(onRead), arcs: reader.edges(edges, onRead) };
  try {
    return await buildGraph(folder, source, { ...options, level: options.level ?? levelOf(files) });
  } catch (error) {
    throw error instanceof RepeatedNameError
      ? ((await reader.repeatOf(error.repeated)) ?? error)
      : error;
  }
}

/** The files are read twice: who is there, then who needs whom. */
async function importDebian(
  disk: Disk,
  files: readonly string[],
  folder: string,
  options: ImportOptions,
  onRead: ReadProgress,
): Promise<GraphFacts> {
  const packages = new DebianPackages(disk, files);
  const half: ReadProgress = (bytes) => onRead(bytes / 2);
  await packages.readNames(half);
  const facts = await buildGraph(folder, { names: packNameArcs(packages.arcs(half)) }, options);
  const note = packages.leftOut();
  if (note !== undefined) options.onNote?.(note);
  return facts;
}

async function importBv(
  disk: Disk,
  paths: readonly string[],
  folder: string,
  options: ImportOptions,
): Promise<GraphFacts> {
  const base = baseName(paths);
  const properties = await readProperties(disk, base);
  const onRead = await progressOf(disk, [`${base}.graph`], options);
  return buildGraph(
    folder,
    { ids: bvArcs(disk, base, properties, onRead), nodes: properties.nodes },
    options,
  );
}

async function progressOf(
  disk: Disk,
  files: readonly string[],
  options: BuildOptions,
): Promise<ReadProgress> {
  const total = await inputBytes(disk, files);
  let done = 0;
  return (bytes) => {
    done += bytes;
    options.onProgress?.('reading', done / total);
  };
}
