/**
 * Verdicts on spam while crawling: what they save, and what they cost honest domains.
 *
 *   npm run bench -- spam-crawl train model.json [domains] [pages of a domain]
 *   npm run bench -- spam-crawl early model.json [seed,seed] [domains]
 *   npm run bench -- spam-crawl memory model.json
 *   npm run bench -- spam-crawl rule model.json with-copies.json
 *   npm run bench -- spam-crawl copies model.json [seed,seed] [domains] [pages]
 *   npm run bench -- spam-crawl run model.json [scenario] [seed,seed] [domains] [pages]
 *                                              [policy,policy] [looks] [budget]
 *
 * `train` trains on the seeds 1 to 4, 12 and 13 of `spam`, calibrates on seeds 5, 6 and 14, and
 * prints the AUC at each stage on seed 11.
 * `early` compares verdicts after 3 pages of a domain with those after 400.
 * `memory` holds what an agent holds for verdicts: a model, its kernels, and the sums of 12,000
 * domains. `rule` writes a model that also shuts out domains of copied pages.
 * `copies` counts copied pages in a crawl with verdicts, by the truth and as they are found.
 * `run` crawls a web in virtual time by TSE alone and with verdicts, and compares the two
 * (compare.ts).
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { parseCount } from '../src/base/units.ts';
import { resolveConfig } from '../src/config/settings.ts';
import { fingerprintAndWords } from '../src/duplicates/fingerprint.ts';
import { FirstTexts } from '../src/duplicates/first-texts.ts';
import type { Web } from '../src/lab/web.ts';
import { MEASURES } from '../src/spam/features/content/measures.ts';
import { PageMeter } from '../src/spam/features/content/page-meter.ts';
import { auc } from '../src/spam/learn/measures.ts';
import { DomainSums } from '../src/spam/live/domain-sums.ts';
import { LiveModel } from '../src/spam/live/live-model.ts';
import { modelText, parseModel, type SpamModel } from '../src/spam/model.ts';
import { belowHalf, compareCrawls } from './spam-crawl/compare.ts';
import { lookAtCopies } from './spam-crawl/copies.ts';
import { withCopiesRule } from './spam-crawl/copies-rule.ts';
import {
  frequentWords,
  labWeb,
  type Row,
  rowsOf,
  STAGES,
  scoresAt,
  trainOn,
  verdictsOf,
} from './spam-crawl/lab-model.ts';

/** Webs of other seeds than those that crawls are compared on. */
const webs = (...seeds: number[]) => seeds.map((seed) => ({ scenario: 'spam', seed }));
const TRAINING = webs(1, 2, 3, 4, 12, 13);
const CALIBRATING = webs(5, 6, 14);
const [TESTING] = webs(11);

export async function run([task, path, ...args]: string[]): Promise<void> {
  if (task === 'train') return train(path, args);
  if (task === 'early') return early(path, args);
  if (task === 'memory') return memory(path);
  if (task === 'rule') return writeFileSync(args[0], modelText(withCopiesRule(modelAt(path))));
  if (task === 'copies') return copies(path, args);
  if (task === 'run') return compare(path, args);
  throw new Error('usage: spam-crawl train|early|memory|rule|copies|run model.json …');
}

async function train(path: string, [size = '1000', most = '100']: string[]): Promise<void> {
  const domains = parseCount(size);
  const training = TRAINING.map((web) => labWeb({ ...web, domains }));
  const lists = frequentWords(training[0]);
  const read = (web: Web) => rowsOf(web, lists, parseCount(most));
  const rows = training.flatMap(read);
  const others = CALIBRATING.flatMap((web) => read(labWeb({ ...web, domains })));
  const begun = process.cpuUsage();
  const model = trainOn(rows, others, lists);
  const { user } = process.cpuUsage(begun);
  const text = modelText(model);
  writeFileSync(path, text);
  console.log(
    `${path}: ${text.length} bytes, ${model.features.length} features, ${rows.length} rows, ` +
      `${model.trained.spam} of them spam, AUC ${model.trained.auc.toFixed(3)}, ${(user / 1e6).toFixed(0)} s`,
  );
  byStage(model, read(labWeb({ ...TESTING, domains })));
}

/** The AUC at each stage, and how many domains get less than half of their budget. */
function byStage(model: SpamModel, rows: readonly Row[]): void {
  const isBelow = belowHalf();
  console.log('stage  domains  AUC    honest below half  spam below half');
  for (const stage of [0, ...STAGES]) {
    const own = rows.filter((row) => row.stage === stage);
    const scores = scoresAt(model, own, stage);
    const spam = Uint8Array.from(own, (row) => (row.spam ? 1 : 0));
    const share = (label: number) => {
      const of = scores.filter((_, i) => spam[i] === label);
      return `${((100 * of.filter(isBelow).length) / of.length).toFixed(1)} %`;
    };
    const cells = [stage, own.length, auc(scores, spam).toFixed(3), share(0), share(1)];
    console.log(cells.map((cell, i) => String(cell).padEnd([7, 9, 7, 19, 0][i])).join(''));
  }
}

/** How much of what many pages tell the first few tell. */
function early(path: string, [seeds = '11', size = '400']: string[]): void {
  const model = liveModel(path);
  const all = seeds.split(',').flatMap((seed) => {
    const web = labWeb({ scenario: 'spam', seed: Number(seed), domains: parseCount(size) });
    return [...verdictsOf(web, model, FEW_PAGES, MANY_PAGES)];
  });
  const spam = Uint8Array.from(all, (domain) => (domain.spam ? 1 : 0));
  const first = auc(
    all.map((domain) => domain.early),
    spam,
  );
  const last = auc(
    all.map((domain) => domain.late),
    spam,
  );
  const large = all.filter(({ pages }) => pages === MANY_PAGES).length;
  console.log(
    `${all.length} domains, ${large} of them with ${MANY_PAGES} pages: AUC after ${FEW_PAGES} pages ` +
      `${first.toFixed(3)}, after ${MANY_PAGES} ${last.toFixed(3)}: ${(first / last).toFixed(3)}`,
  );
}

const FEW_PAGES = 3;
const MANY_PAGES = 400;

const modelAt = (path: string): SpamModel => parseModel(readFileSync(path, 'utf8'), path);
const liveModel = (path: string): LiveModel => new LiveModel(modelAt(path), path);

/** Memory of an agent, all of its hosts on domains of their own. */
function memory(path: string): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const used = (): number => {
    collect();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  const before = used();
  const model = liveModel(path);
  const kernels = new PageMeter(model.words);
  const texts = model.copies ? new FirstTexts() : undefined;
  const begun = used();
  const values = new Float64Array(MEASURES.length);
  const domains = Array.from({ length: resolveConfig({}).frontHosts }, (_, i) => {
    const sums = DomainSums.begin(`site${i}.example`, model);
    sums.add(values, true);
    return sums;
  });
  const megabytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(1)} MB`;
  console.log(
    `model and kernels ${megabytes(begun - before)}, sums of ${domains.length} domains ` +
      `${megabytes(used() - begun)}, in all ${megabytes(used() - before)}`,
  );
  // Whatever is still needed is not collected.
  const { words } = fingerprintAndWords(new Uint8Array());
  kernels.measure(words);
  texts?.enter(words, 0);
}

async function copies(
  path: string,
  [seeds = '31', domains = '4k', pages = '40k']: string[],
): Promise<void> {
  for (const seed of seeds.split(',').map(Number)) {
    const web = labWeb({ scenario: 'spam', seed, domains: parseCount(domains) });
    console.log(`spam, seed ${seed}, ${domains} domains, ${pages} pages`);
    console.log(await lookAtCopies(web, liveModel(path), parseCount(pages)));
  }
}

async function compare(
  path: string,
  [
    scenario = 'spam',
    seeds = '7',
    domains = '20k',
    pages = '200k',
    policies = 'tse,tse+spam',
    looks = '1',
    budget = '',
  ]: string[],
): Promise<void> {
  const model = modelAt(path);
  for (const seed of seeds.split(',').map(Number)) {
    console.log(`${scenario}, seed ${seed}, ${domains} domains, ${pages} pages`);
    const web = labWeb({ scenario, seed, domains: parseCount(domains) });
    const [most, times] = [pages, looks].map(parseCount);
    const names = policies.split(',');
    await compareCrawls({ web, pages: most, policies: names, looks: times, model, path, budget });
  }
}
