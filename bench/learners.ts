/**
 * The learners of `drumlin spam` beside scikit-learn and Weka, on the same folds of the same sites.
 *
 *   npm run bench -- learners FEATURES.csv LABELS.tsv [--python python3] [--weka weka.jar]
 *                             [--only forest-1,tree]
 *
 * Prints the mean AUC of five folds and the CPU time of each learner. Peers: with `--python` a
 * Python with scikit-learn; with `--weka` the class path of Weka (Debian's package weka). Sites
 * without a value get the mean of the column for scikit-learn, which takes no missing values.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readFeatures } from '../src/spam/feature-table.ts';
import { readLabels } from '../src/spam/labels.ts';
import { type Examples, examplesOf, pick, rowOf } from '../src/spam/learn/examples.ts';
import { foldsOf } from '../src/spam/learn/folds.ts';
import { LEARNERS, scoreSite } from '../src/spam/learn/learners.ts';
import { meanOf } from '../src/spam/learn/logistic.ts';
import { auc } from '../src/spam/learn/measures.ts';

const FOLDS = 5;
const PEER = join(import.meta.dirname, 'peers', 'spam', 'scikit_peer.py');
/** Our learners by Weka's names and options; a cost matrix is written for the last. */
const WEKA: Readonly<Record<string, string[]>> = {
  tree: ['weka.classifiers.trees.J48'],
  bagging: ['weka.classifiers.meta.Bagging', '-W', 'weka.classifiers.trees.J48'],
  'boost-8': ['weka.classifiers.meta.LogitBoost', '-I', '8'],
  'boost-64': ['weka.classifiers.meta.LogitBoost', '-I', '64'],
  'bayes-kernel': ['weka.classifiers.bayes.NaiveBayes', '-K'],
  'bayes-discretised': ['weka.classifiers.bayes.NaiveBayes', '-D'],
  'cost-10': [
    ...['weka.classifiers.meta.CostSensitiveClassifier', '-C', 'COSTS', '-S', '1'],
    ...['-W', 'weka.classifiers.trees.J48'],
  ],
};

export async function run(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      python: { type: 'string', default: 'python3' },
      weka: { type: 'string' },
      only: { type: 'string', default: '' },
    },
  });
  const [path, labels] = positionals;
  if (labels === undefined) throw new Error('usage: bench learners FEATURES LABELS');
  const table = await readFeatures(path);
  const { places, spam } = await readLabels(labels, table);
  const none = new Uint8Array(table.sites.length);
  const examples = { ...pick(examplesOf(table.names, table.columns, none), places), spam };
  const folds = foldsOf(spam, Uint32Array.from(spam.keys()), FOLDS, 1);
  const scikit = scikitScores(values.python, examples, folds);
  const folder = mkdtempSync(join(tmpdir(), 'drumlin-bench-learners-'));
  const rows: Record<string, Record<string, string>> = {};
  for (const name of Object.keys(LEARNERS)) {
    if (values.only !== '' && !values.only.split(',').includes(name)) continue;
    const began = process.cpuUsage().user;
    const scores = heldOut(examples, folds, name);
    const seconds = (process.cpuUsage().user - began) / 1e6;
    const peer = scikit?.[name];
    const weka =
      values.weka && WEKA[name] && wekaAuc(values.weka, WEKA[name], examples, folds, folder);
    rows[name] = {
      drumlin: meanAuc(scores, spam, folds).toFixed(4),
      'CPU s': seconds.toFixed(1),
      ...(peer && { 'scikit-learn': meanAuc(peer, spam, folds).toFixed(4) }),
      ...(weka && { weka: weka.toFixed(3) }),
    };
  }
  rmSync(folder, { recursive: true, force: true });
  console.table(rows);
}

function heldOut(examples: Examples, folds: Uint8Array, name: string): Float64Array {
  const scores = new Float64Array(folds.length);
  const row = new Float64Array(examples.columns.length);
  for (let fold = 0; fold < FOLDS; fold++) {
    const others = Uint32Array.from(folds.keys()).filter((site) => folds[site] !== fold);
    const fitted = LEARNERS[name](pick(examples, others), 1);
    for (let site = 0; site < folds.length; site++)
      if (folds[site] === fold) scores[site] = scoreSite(fitted, rowOf(examples, site, row));
  }
  return scores;
}

function meanAuc(scores: ArrayLike<number>, spam: Uint8Array, folds: Uint8Array): number {
  let sum = 0;
  for (let fold = 0; fold < FOLDS; fold++) {
    const own = [...folds.keys()].filter((site) => folds[site] === fold);
    sum += auc(
      own.map((site) => scores[site]),
      own.map((site) => spam[site]),
    );
  }
  return sum / FOLDS;
}

function scikitScores(python: string, examples: Examples, folds: Uint8Array) {
  const means = examples.columns.map((column) => meanOf(column, examples.weights));
  const x = Array.from(examples.spam, (_, site) =>
    examples.columns.map((column, j) => (Number.isNaN(column[site]) ? means[j] : column[site])),
  );
  const input = JSON.stringify({ x, y: [...examples.spam], folds: [...folds] });
  const { status, stdout, stderr } = spawnSync(python, [PEER], { input, maxBuffer: 2 ** 30 });
  if (status === 0) return JSON.parse(stdout.toString()) as Record<string, number[]>;
  process.stderr.write(`no scikit-learn: ${stderr?.toString().trim().split('\n').at(-1)}\n`);
  return undefined;
}

function wekaAuc(
  classPath: string,
  options: readonly string[],
  examples: Examples,
  folds: Uint8Array,
  folder: string,
): number {
  const costs = join(folder, 'costs.txt');
  writeFileSync(costs, '% Rows\tColumns\n2\t2\n% Matrix elements\n0.0\t1.0\n10.0\t0.0\n');
  let sum = 0;
  for (let fold = 0; fold < FOLDS; fold++) {
    const [train, test] = [false, true].map((isTest) => {
      const sites = [...folds.keys()].filter((site) => (folds[site] === fold) === isTest);
      const file = join(folder, `${isTest ? 'test' : 'train'}.arff`);
      writeFileSync(file, arffOf(examples, sites));
      return file;
    });
    const words = options.map((word) => (word === 'COSTS' ? costs : word));
    const args = ['-cp', classPath, ...words, '-t', train, '-T', test, '-i'];
    const { stdout } = spawnSync('java', args, { maxBuffer: 2 ** 28 });
    const last = stdout
      .toString()
      .split('\n')
      .filter((line) => line.startsWith('Weighted Avg'))
      .at(-1);
    sum += Number(last?.trim().split(/\s+/).at(-1));
  }
  return sum / FOLDS;
}

function arffOf({ columns, spam }: Examples, sites: readonly number[]): string {
  const head = columns.map((_, j) => `@attribute a${j} numeric`);
  const rows = sites.map((site) =>
    [
      ...columns.map((column) => (Number.isNaN(column[site]) ? '?' : column[site])),
      spam[site],
    ].join(),
  );
  return ['@relation s', ...head, '@attribute class {0,1}', '@data', ...rows, ''].join('\n');
}
