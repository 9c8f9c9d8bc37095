/**
 * `drumlin rank common-crawl`: write harmonic centrality and PageRank in the format of Common
 * Crawl's files of ranks.
 */
import { availableParallelism } from 'node:os';
import type { Command } from 'commander';
import { parseBytes } from '../../../base/units.ts';
import { examples } from '../../input/example.ts';
import { interruptible } from '../../input/interrupt.ts';
import { atLeastOne, type Streams } from '../../input/rank-words.ts';

interface RanksFileFlags {
  readonly out: string;
  readonly exact?: boolean;
  readonly registers?: string;
  readonly threads: string;
  readonly memory: string;
}

export function registerRanksFile(rank: Command): void {
  rank
    .command('common-crawl')
    .description(
      "write Common Crawl's file of ranks: harmonic centrality and PageRank of every host or domain",
    )
    .addHelpText('after', examples('rank common-crawl my-graph --out my-ranks.txt.gz'))
    .argument('<graph>', 'the folder of a graph of hosts or domains')
    .requiredOption('--out <file>', 'file to write; compressed if its name ends in .gz')
    .option('--exact', 'harmonic centrality exactly, instead of by HyperBall')
    .option('--registers <count>', 'registers of HyperBall: more of them make its error smaller')
    .option(
      '--threads <count>',
      'threads for methods that use more than one',
      String(availableParallelism()),
    )
    .option('--memory <size>', 'memory for data that grows with the graph', '2Gi')
    .action((graph: string, flags: RanksFileFlags) =>
      ranksFileCommand(graph, flags, { output: process.stdout, screen: process.stderr }),
    );
}

export async function ranksFileCommand(
  folder: string,
  { out, exact = false, registers, threads, memory }: RanksFileFlags,
  { screen }: Streams,
): Promise<void> {
  const [{ openGraph }, { commonCrawlRanks }, { writeText }, { Disk }, { showEta }] =
    await Promise.all([
      import('../../../graph/open-graph.ts'),
      import('../../../rank/files/common-crawl-ranks.ts'),
      import('../../../disk/text-file.ts'),
      import('../../../disk/disk.ts'),
      import('../../screen/eta.ts'),
    ]);
  const [{ mkdtemp, rm }, { tmpdir }, { join }] = await Promise.all([
    import('node:fs/promises'),
    import('node:os'),
    import('node:path'),
  ]);
  const disk = new Disk();
  const graph = await openGraph(folder);
  const scratch = await mkdtemp(join(tmpdir(), 'drumlin-ranks-'));
  const eta = showEta('ranking', screen);
  try {
    await interruptible((signal) =>
      writeText(disk, out, async (file) => {
        const lines = commonCrawlRanks(graph, {
          ...{ exact, disk, scratch, signal },
          registers: registers === undefined ? undefined : atLeastOne('--registers', registers),
          threads: atLeastOne('--threads', threads),
          memory: parseBytes(memory),
          onProgress: (_, done) => done < 1 && eta.update(done),
        });
        for await (const text of inPieces(lines)) await file.write(Buffer.from(text));
      }),
    );
  } finally {
    eta.end();
    await graph.close();
    await rm(scratch, { recursive: true, force: true });
  }
}

const PIECE = 64 * 1024;

async function* inPieces(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let piece = '';
  for await (const line of lines) {
    piece += line;
    if (piece.length < PIECE) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}
