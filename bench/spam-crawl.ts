/**
 * Verdicts on spam while crawling: what they save, and what they cost honest domains.
 *
 *   npm run bench -- spam-crawl train model.json [--domains 1500] [--pages 30k]
 *   npm run bench -- spam-crawl run model.json [scenario] [seed,seed] [domains] [pages]
 *
 * `train` trains on the seeds 1 to 4 of `mixed`, and prints the AUC at each stage on seed 11.
 * `run` crawls a web in virtual time by TSE alone and with verdicts, and compares the two.
 */
import { writeFileSync } from 'node:fs';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseCount } from '../src/base/units.ts';
import { resolveConfig } from '../src/config/settings.ts';
import { isHonest } from '../src/simulator/tally.ts';
import { VirtualCrawl } from '../src/simulator/crawl.ts';
import { POLICIES } from '../src/simulator/policies.ts';
import { auc } from '../src/spam/learn/measures.ts';
import { LiveModel } from '../src/spam/live/live-model.ts';
import { modelText, parseModel, scoreRow, type SpamModel } from '../src/spam/model.ts';
import { frequentWords, labWeb, type Row, rowsOf, STAGES, trainOn } from './spam-crawl/lab-model.ts';
import type { Web } from '../src/lab/web.ts';

const TRAINING = [1, 2, 3, 4];
const TESTING = 11;

export async function run([task, path, ...args]: string[]): Promise<void> {
  if (task === 'train') return train(path, args);
  if (task === 'run') return compare(path, args);
  throw new Error('usage: spam-crawl train|run model.json …');
}

async function train(path: string, [domains = '1500', pages = '30k']: string[]): Promise<void> {
  const web = (seed: number) =>
    labWeb({ scenario: 'mixed', seed, domains: parseCount(domains) });
  const lists = await frequentWords(web(TRAINING[0]), parseCount(pages) / 4);
  const rows: Row[] = [];
  for (const seed of TRAINING) rows.push(...(await rowsOf(web(seed), seed, parseCount(pages), lists)));
  const begun = process.cpuUsage();
  const model = await trainOn(rows, lists);
  const { user } = process.cpuUsage(begun);
  const text = modelText(model);
  writeFileSync(path, text);
  console.log(
    `${path}: ${text.length} bytes, ${model.features.length} features, ${rows.length} rows, ` +
      `${model.trained.spam} of them spam, AUC ${model.trained.auc.toFixed(3)}, ${(user / 1e6).toFixed(0)} s`,
  );
  console.log(model.parts.map(({ learner, set, weight }) => `${learner} ${set} ${weight.toFixed(2)}`).join(', '));
  const others = await rowsOf(web(TESTING), TESTING, parseCount(pages), lists);
  byStage(model, others);
}

function byStage(model: SpamModel, rows: readonly Row[]): void {
  const live = new LiveModel(model, 'the model');
  void live;
  console.log('stage  domains  AUC    honest above 0.293  spam above 0.293');
  for (const stage of [0, ...STAGES]) {
    const own = rows.filter((row) => row.stage === stage);
    const scores = Float64Array.from(own, (row) => scoreOf(model, row));
    const spam = Uint8Array.from(own, (row) => (row.spam ? 1 : 0));
    const share = (label: number) => {
      const of = scores.filter((_, i) => spam[i] === label);
      return ((100 * of.filter((score) => score > HALF).length) / of.length).toFixed(1);
    };
    console.log(
      `${String(stage).padEnd(7)}${String(own.length).padEnd(9)}${auc(scores, spam).toFixed(3)}  ${share(0).padEnd(20)}${share(1)}`,
    );
  }
}

/** From this verdict on the budget is less than half: (1 - spam)^2 < 1/2. */
const HALF = 1 - Math.SQRT1_2;

function scoreOf(model: SpamModel, { values }: Row): number {
  const row = new Float64Array(model.features.length);
  for (const [i, name] of model.features.entries()) row[i] = values[NAMES.indexOf(name)];
  return scoreRow(model, row);
}
