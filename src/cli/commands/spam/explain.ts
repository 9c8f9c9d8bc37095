/** What `drumlin spam explain` and `drumlin spam ask` do. */
import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DrumlinError } from '../../../base/errors.ts';
import { nearest } from '../../../base/nearest.ts';
import { parseBytes } from '../../../base/units.ts';
import { Disk } from '../../../disk/disk.ts';
import { sitesToAsk } from '../../../spam/ask.ts';
import { makeFeatures, setsFor } from '../../../spam/crawls/make-features.ts';
import { type Explanation, explain as explainSite } from '../../../spam/explain.ts';
import { type FeatureTable, readFeatures } from '../../../spam/feature-table.ts';
import { MOST_PAGES } from '../../../spam/features/content/site-sums.ts';
import { rowsFor, type SpamModel, scoreSites } from '../../../spam/model.ts';
import { type Screen, watched } from '../graph.ts';
import { labelledPlaces, openModel } from './work.ts';

export interface ExplainFlags {
  readonly top: number;
  readonly memory: string;
  readonly json?: boolean;
}

export interface AskFlags {
  readonly labels?: string;
  readonly count: number;
}

interface Output {
  write(text: string): unknown;
}

/** `crawl` may also be a feature file. */
export async function explain(
  modelPath: string,
  { crawl, site }: { readonly crawl: string; readonly site: string },
  flags: ExplainFlags,
  { stdout, stderr }: { stdout: Output; stderr: Screen },
): Promise<void> {
  const model = await openModel(modelPath);
  const isTable = /\.(parquet|arff|csv|tsv)(\.gz)?$/i.test(crawl);
  const table = isTable ? await readFeatures(crawl) : await featuresOf(model, crawl, flags, stderr);
  const place = table.sites.indexOf(site);
  if (place < 0)
    throw new DrumlinError(
      'FEATURES',
      `${crawl} has no site "${site}" (the nearest is "${nearest(site, table.sites)}").`,
      `Name a ${model.level ?? 'site'} with pages in it.`,
    );
  const explanation = explainSite(model, rowsFor(model, table)(place));
  stdout.write(
    flags.json ? `${JSON.stringify({ site, ...explanation })}\n` : textOf(site, explanation, flags),
  );
}

async function featuresOf(
  model: SpamModel,
  crawl: string,
  { memory }: ExplainFlags,
  screen: Screen,
): Promise<FeatureTable> {
  let table: FeatureTable | undefined;
  await watched(screen, async (meter, signal) => {
    const made = await makeFeatures(new Disk(), {
      ...{
        crawls: [crawl],
        sets: setsFor(model.features),
        level: model.level ?? 'domain',
        pages: MOST_PAGES,
      },
      collection: { words: model.words, terms: model.terms },
      scratch: join(tmpdir(), `drumlin-explain-${randomUUID()}`),
      ...{ memory: parseBytes(memory), onProgress: meter.show, onNote: meter.note, signal },
    });
    table = made.table;
  });
  return table as unknown as FeatureTable;
}

function textOf(site: string, explanation: Explanation, { top }: ExplainFlags): string {
  const { score, unknown, sets, features } = explanation;
  const signed = (effect: number) =>
    `${effect < 0 ? '−' : '+'}${Math.abs(effect).toFixed(2)}`.padStart(8);
  const moved = features.filter(({ effect }) => effect !== 0);
  const lines = [
    `${site}: probability of spam ${score.toFixed(4)}; of a site without any features ${unknown.toFixed(4)}.`,
    'What speaks for spam (+) and against it (−), in units of ln(spam : ham):',
    '',
    ...sets.map(({ name, effect }) => `${signed(effect)}  all of ${name}`),
    '',
    ...moved
      .slice(0, top)
      .map(({ name, effect, value }) => `${signed(effect)}  ${name} = ${shortened(value)}`),
  ];
  return `${lines.join('\n')}\n`;
}

const shortened = (value: number): string => String(Number(value.toPrecision(6)));

export async function ask(
  modelPath: string,
  path: string,
  { labels, count }: AskFlags,
  output: Output,
): Promise<void> {
  const model = await openModel(modelPath);
  const table = await readFeatures(path);
  const places = labels === undefined ? [] : await labelledPlaces(labels, table);
  for (const { site, score } of sitesToAsk(table, scoreSites(model, table), places, count))
    output.write(`${site}\t${score.toFixed(6)}\n`);
}
