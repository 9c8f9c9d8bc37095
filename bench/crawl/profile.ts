/**
 * What each part of a page costs Drumlin, from profiles that V8 writes (`node --cpu-prof`).
 *
 * Every sample counts for the nearest source file of ours on the stack; source maps name it. The
 * first half of each profile is left out: compiling is over then. V8's own threads are not in it.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Which files are which part: the first pattern that matches counts. */
const PARTS: readonly (readonly [string, RegExp])[] = [
  ['deflate', /src\/archive\/compress\//],
  ['SHA-1', /src\/archive\/warc\/digest/],
  ['links', /src\/(parse|url)\//],
  ['fetch', /src\/(fetch|net)\//],
  ['write', /src\/(archive|disk)\//],
];

/** In the order of the floor's table; the crawler itself is what the floor does not have. */
const NAMES = ['fetch', 'links', 'SHA-1', 'deflate', 'write', 'the crawler itself', 'V8 and Node'];

interface ProfileNode {
  readonly id: number;
  readonly callFrame: {
    readonly functionName: string;
    readonly url: string;
    readonly lineNumber: number;
    readonly columnNumber: number;
  };
  readonly children?: readonly number[];
}

interface Profile {
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** Each part's share of the time that all profiles of a folder were busy. */
export function sharesOf(folder: string): Record<string, number> {
  const spent = new Map(NAMES.map((name) => [name, 0]));
  for (const name of readdirSync(folder)) addProfile(join(folder, name), spent);
  const total = [...spent.values()].reduce((sum, time) => sum + time, 0);
  return Object.fromEntries([...spent].map(([name, time]) => [name, time / total]));
}

function addProfile(path: string, spent: Map<string, number>): void {
  const profile = JSON.parse(readFileSync(path, 'utf8')) as Profile;
  const part = partsOf(profile.nodes);
  const half = profile.timeDeltas.reduce((sum, delta) => sum + delta, 0) / 2;
  let at = 0;
  profile.samples.forEach((id, i) => {
    at += profile.timeDeltas[i];
    const name = part.get(id);
    if (at > half && name) spent.set(name, (spent.get(name) ?? 0) + profile.timeDeltas[i]);
  });
}

/** The part of each node; none while the thread is idle. */
function partsOf(nodes: readonly ProfileNode[]): Map<number, string> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parts = new Map<number, string>();
  const visit = (node: ProfileNode, above: string): void => {
    const { functionName } = node.callFrame;
    if (functionName === '(idle)') return;
    const file = sourceOf(node.callFrame);
    const own = file && (PARTS.find(([, files]) => files.test(file))?.[0] ?? 'the crawler itself');
    const part = functionName === '(garbage collector)' ? 'V8 and Node' : own || above;
    parts.set(node.id, part);
    for (const child of node.children ?? []) visit(byId.get(child) as ProfileNode, part);
  };
  visit(nodes[0], 'V8 and Node');
  return parts;
}

const maps = new Map<string, SourceMap | undefined>();

/** The source file of a function of ours. */
function sourceOf({ url, lineNumber, columnNumber }: ProfileNode['callFrame']): string | undefined {
  if (!url.startsWith('file:') || !/\/dist\/lib\//.test(url)) return undefined;
  if (!maps.has(url)) maps.set(url, mapOf(fileURLToPath(url)));
  const entry = maps.get(url)?.findEntry(lineNumber, columnNumber);
  const source = entry && 'originalSource' in entry ? entry.originalSource : undefined;
  return source && /src\//.test(source) && !/node_modules/.test(source) ? source : undefined;
}

function mapOf(path: string): SourceMap | undefined {
  try {
    const text = readFileSync(join(dirname(path), `${basename(path)}.map`), 'utf8');
    return new SourceMap(JSON.parse(text));
  } catch {
    return undefined;
  }
}
