/**
 * A graph of many arcs in little memory: an edge list as text, in no order, is imported and ranked
 * by TSE with the command line. Each command runs in its own process, whose peak memory the system
 * reports.
 *
 *   npm run bench -- large-graph [--arcs 106M] [--nodes 5M] [--p 0.001] [--memory 256Mi]
 *                                [--threads 1] [--dir folder]
 *
 * Both ends of an arc are drawn by the power laws of `heavyTailedGraph`, independently, so that
 * nothing has to be stored; about one in twenty-five is drawn twice, and counts once. The text
 * takes 16 bytes an arc, sorting it twice as much again, all in --dir.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { formatBytes, formatCount, formatDuration, parseCount } from '../src/base/units.ts';
import { heavyTailedArcs } from './graphs.ts';

const DRUMLIN = join(import.meta.dirname, '..', 'bin', 'drumlin');

/** Loaded before the program; at its end it prints what the system knows of it. */
const AT_END =
  'data:text/javascript,process.on("exit",()=>{const{maxRSS,userCPUTime,systemCPUTime}=process.resourceUsage();process.stderr.write("%23usage "+JSON.stringify({maxRSS,cpu:userCPUTime+systemCPUTime})+"\\n")})';

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      arcs: { type: 'string', default: '106M' },
      nodes: { type: 'string', default: '5M' },
      p: { type: 'string', default: '0.001' },
      memory: { type: 'string', default: '256Mi' },
      threads: { type: 'string', default: '1' },
      dir: { type: 'string', default: tmpdir() },
    },
  });
  const folder = mkdtempSync(join(values.dir, 'drumlin-large-'));
  const [edges, graph] = [join(folder, 'edges.txt'), join(folder, 'graph')];
  const limit = ['--memory', values.memory];
  try {
    const [arcs, nodes] = [parseCount(values.arcs), parseCount(values.nodes)];
    await writeEdges(edges, arcs, nodes);
    print(
      `${cpus()[0].model}; ${formatCount(arcs)} arcs drawn, ${formatBytes(statSync(edges).size)} of text; --memory ${values.memory}\n`,
    );
    await drumlin(['graph', '--help'], () => {}); // compiles the sources, if they are newer
    print('| | CPU | clock | peak of memory | |');
    print('|---|---|---|---|---|');
    await drumlin(['graph', 'import', edges, '--out', graph, ...limit], (row) =>
      print(`| import | ${row} |`),
    );
    const ranking = ['--by', 'tse', '--p', values.p, '--threads', values.threads, '--top', '10'];
    await drumlin(['rank', graph, ...ranking, ...limit], (row) =>
      print(`| TSE, p = ${values.p} | ${row} |`),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export async function writeEdges(path: string, arcs: number, nodes: number): Promise<void> {
  const file = createWriteStream(path);
  for (const { from, to } of heavyTailedArcs({ nodes, arcs })) {
    let text = '';
    for (let i = 0; i < from.length; i++) text += `${from[i]}\t${to[i]}\n`;
    if (!file.write(text)) await once(file, 'drain');
  }
  file.end();
  await once(file, 'close');
}

/** Runs the command line. Passes on the cells of a table: what it took, and its last line. */
export async function drumlin(
  args: readonly string[],
  print: (cells: string) => void,
): Promise<void> {
  const start = performance.now();
  const child = spawn(process.execPath, ['--import', AT_END, DRUMLIN, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  const lines = said.trimEnd().split('\n');
  const usage = lines.find((line) => line.startsWith('#usage '));
  if (code !== 0 || usage === undefined)
    throw new Error(`drumlin ${args.join(' ')} failed:\n${said}`);
  const { maxRSS, cpu } = JSON.parse(usage.slice('#usage '.length)) as {
    maxRSS: number;
    cpu: number;
  };
  const last = lines.filter((line) => line !== usage).at(-1) ?? '';
  const clock = formatDuration(performance.now() - start);
  print(`${formatDuration(cpu / 1000)} | ${clock} | **${formatBytes(maxRSS * 1024)}** | ${last}`);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
