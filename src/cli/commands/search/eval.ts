/** `drumlin search eval`: how good the results are. */
import { readFile } from 'node:fs/promises';
import { DrumlinError } from '../../../base/errors.ts';
import { Disk } from '../../../disk/disk.ts';
import { writeText } from '../../../disk/text-file.ts';
import type { ChangedOptions, Order } from '../../../search/changed/order.ts';
import { type EvalRow, evaluate } from '../../../search/eval/evaluate.ts';
import { gridOf } from '../../../search/eval/grid.ts';
import { parseJudgements, parseQueries, runLines } from '../../../search/eval/trec.ts';
import { LinkGraph } from '../../../search/links/link-graph.ts';
import { SearchIndex } from '../../../search/query/search-index.ts';
import type { Output, SearchFlags } from './work.ts';

export interface EvalFlags extends SearchFlags {
  readonly queries: string;
  readonly qrels: string;
  readonly cut: number;
  readonly grid: string;
  readonly shift: number;
  readonly run?: string;
}

export async function evaluateSearch(
  folders: readonly string[],
  flags: EvalFlags,
  orders: readonly Order[],
  out: Output,
): Promise<void> {
  const grid = gridOf(flags.grid, flags, orders);
  const given = parseQueries(await textOf(flags.queries), flags.queries);
  const queries = given.map((query) => ({ ...query, time: query.time ?? flags.at }));
  const judgements = parseJudgements(await textOf(flags.qrels), flags.qrels);
  const disk = new Disk();
  const index = await SearchIndex.open(folders, disk);
  const links = await LinkGraph.open(disk, folders, index.crawls);
  const run: string[] = [];
  try {
    const { cut, shift, site, language, any, k1, b, titleWeight, anchorWeight, variantWeight } =
      flags;
    const weights = { k1, b, title: titleWeight, anchor: anchorWeight, variant: variantWeight };
    const rows = await evaluate(index, links, queries, judgements, grid, {
      ...{ cut, shift, search: { site, language, any, weights } },
      onRun: (query, settings, results) => {
        if (flags.run !== undefined) run.push(...runLines(query.id, results, nameOf(settings)));
      },
    });
    if (flags.run !== undefined)
      await writeText(disk, flags.run, (file) => file.write(Buffer.from(`${run.join('\n')}\n`)));
    print(rows, flags, out);
  } finally {
    await links.close();
    await index.close();
  }
}

async function textOf(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: unknown) => {
    throw new DrumlinError('FILE_MISSING', `${path} cannot be read.`, 'Check its name.', {
      cause: error,
    });
  });
}

const nameOf = ({ by, alpha, expand, seeds }: ChangedOptions): string =>
  `${by}-${alpha}-${expand}-${seeds}`;

function print(rows: readonly EvalRow[], { json, cut }: EvalFlags, out: Output): void {
  if (json) {
    for (const { settings, ...values } of rows)
      out.write(`${JSON.stringify({ ...settings, ...values })}\n`);
    return;
  }
  const heading = [
    ...['order', 'alpha', 'expand', 'seeds', 'queries', `NDCG@${cut}`, `recall@${cut}`, 'MRR'],
    ...['sum 1/rank', 'links before', 'after', 'more', 'inside', 'p'],
  ];
  const lines = rows.map((row, i) => {
    const { by, alpha, expand, seeds } = row.settings;
    const { queries, ndcg, recall, reciprocalRank, reciprocalRanks, inside, chance } = row;
    const more = row.linksAfter - row.linksBefore;
    return [
      ...[i === 0 ? 'BM25' : by, String(alpha), String(expand), String(seeds), String(queries)],
      ...[ndcg, recall, reciprocalRank, reciprocalRanks].map((value) => value.toFixed(3)),
      ...[row.linksBefore, row.linksAfter, more].map((value) => value.toFixed(1)),
      ...[inside.toFixed(3), chance === undefined ? '-' : chance.toFixed(4)],
    ];
  });
  const widths = heading.map((_, i) =>
    Math.max(...[heading, ...lines].map((each) => each[i].length)),
  );
  for (const cells of [heading, ...lines])
    out.write(
      `${cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join('  ')}\n`,
    );
}
