/**
 * `graph.json`: the description of a graph's folder. It is written last: a folder without it holds
 * no graph.
 */
import { join } from 'node:path';
import { DrumlinError, EXIT } from '../base/errors.ts';
import type { Disk } from '../disk/disk.ts';
import { versionMismatch } from '../disk/format.ts';

export const GRAPH_FILE = 'graph.json';
export const GRAPH_FORMAT = 1;

const LEVELS = ['page', 'host', 'domain'] as const;
/** What the nodes are. */
export type GraphLevel = (typeof LEVELS)[number];

export interface GraphFacts {
  readonly nodes: number;
  readonly arcs: number;
  /** Whether nodes have names; without names, the name of a node is its number. */
  readonly named: boolean;
  /** What the nodes are, if known. */
  readonly level?: GraphLevel;
  /** Whether the number of hosts of each node is known. */
  readonly hosts?: boolean;
}

export async function readGraphFile(disk: Disk, folder: string): Promise<GraphFacts> {
  const path = join(folder, GRAPH_FILE);
  const text = await disk.readText(path).catch((error) => {
    if (error instanceof DrumlinError && error.code === 'FILE_MISSING')
      throw noGraph(folder, error);
    throw error;
  });
  const found = parse(text);
  if (found?.drumlin !== 'graph') throw noGraph(folder);
  if (found.format !== GRAPH_FORMAT) throw versionMismatch(path, found.format, GRAPH_FORMAT);
  const { nodes, arcs, named, level, hosts } = found;
  if (!isCount(nodes) || !isCount(arcs) || typeof named !== 'boolean') throw noGraph(folder);
  return {
    ...{ nodes, arcs, named },
    ...(isLevel(level) && { level }),
    ...(hosts === true && { hosts }),
  };
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isLevel(value: unknown): value is GraphLevel {
  return LEVELS.some((level) => level === value);
}

function noGraph(folder: string, cause?: unknown): DrumlinError {
  return new DrumlinError(
    'GRAPH_MISSING',
    `${folder} holds no graph.`,
    'Make one with "drumlin graph import" or "drumlin graph build", or check the name.',
    { exitCode: EXIT.folder, cause },
  );
}
