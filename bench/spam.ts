/**
 * The classification power of features on the synthetic web, beside the tables of "The
 * classification power of Web features".
 *
 *   npm run bench -- spam [--train 1,2,3,4] [--test 5,6,7] [--domains 8000] [--sites 700]
 *                         [--pages 20] [--full] [--out FOLDER]
 *                         [--only sets,tricks,shuffled,early,temporal,bagged,terms]
 *                         [--cells 'content (A),BM25 + (B)']
 *
 * Models are trained on webs `mixed` of some seeds and tested on others. `--full` trains all
 * learners instead of three. Tricks and shuffled labels are judged with one forest of all dense
 * features: an ensemble for each would take an hour. `--out` writes the feature tables and labels
 * of the training webs, for `npm run bench -- learners`.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Random } from '../src/lab/words/random.ts';
import type { FeatureTable } from '../src/spam/feature-table.ts';
import type { FeatureSet } from '../src/spam/features/feature-set.ts';
import type { Site } from '../src/spam/features/sites.ts';
import { StemNumbers } from '../src/spam/features/terms/term-documents.ts';
import { examplesOf, pick, rowOf } from '../src/spam/learn/examples.ts';
import { LEARNERS, scoreSite } from '../src/spam/learn/learners.ts';
import { auc, aucHalfWidth } from '../src/spam/learn/measures.ts';
import { type SpamModel, scoreSites } from '../src/spam/model.ts';
import { trainModel } from '../src/spam/train.ts';
import { contentOf, learnWords, type Measured, measureWeb, termSets } from './spam/features.ts';
import { BAGGED, CELLS, type Cell, CHANGES, STATIC, TEMPORAL } from './spam/tables.ts';

interface Bench {
  /** Training webs, then test webs. */
  readonly webs: readonly Measured[];
  readonly training: number;
  /** Of each web: term weights, and how they change. */
  readonly terms: readonly (readonly FeatureSet[])[];
  readonly fast: boolean;
}

export async function run(args: string[]): Promise<void> {
  const text = (preset: string) => ({ type: 'string', default: preset }) as const;
  const { values } = parseArgs({
    args,
    options: {
      train: text('1,2,3,4'),
      test: text('5,6,7'),
      domains: text('8000'),
      sites: text('700'),
      pages: text('20'),
      only: text('sets,tricks,shuffled,early,temporal,bagged,terms'),
      cells: text(''),
      full: { type: 'boolean', default: false },
      out: { type: 'string' },
    },
  });
  const numbers = (list: string): number[] => list.split(',').map(Number);
  const [train, test] = [numbers(values.train), numbers(values.test)];
  const [domains, sites, pages] = [values.domains, values.sites, values.pages].map(Number);
  const only = values.only.split(',');
  const cells = CELLS.filter(
    ({ name }) => values.cells === '' || values.cells.split(',').includes(name),
  );
  const needLinks = new Set(['tricks', 'shuffled', 'temporal', 'bagged']);
  if (cells.some(({ sets }) => sets?.links)) needLinks.add('sets');
  const options = {
    ...{ domains, sites, pages },
    links: only.some((part) => needLinks.has(part)),
    temporal: only.includes('temporal') || only.includes('bagged'),
    terms: only.includes('terms'),
  };
  const lists = learnWords(train, options);
  const stems = new StemNumbers();
  const webs: Measured[] = [];
  for (const seed of [...train, ...test]) webs.push(await measureWeb(seed, lists, stems, options));
  const terms = termSets(webs, train.length, stems);
  const bench: Bench = { webs, training: train.length, terms, fast: !values.full };
  progress('features are made');
  if (values.out !== undefined) writeTables(bench, values.out);
  const parts: Record<string, (bench: Bench) => Promise<void>> = {
    sets: (b) => printCells(b, cells),
    temporal: (b) => printCells(b, TEMPORAL),
    tricks: printTricks,
    shuffled: printShuffled,
    early: printEarly,
    bagged: printBagged,
    terms: (b) => printCells(b, CHANGES),
  };
  for (const part of only) {
    const print = parts[part];
    if (!print) throw new Error(`no part "${part}": choose of ${Object.keys(parts).join(', ')}`);
    await print(bench);
  }
}

function progress(what: string): void {
  const { user, system } = process.cpuUsage();
  process.stderr.write(`${what}, ${((user + system) / 1e6).toFixed(0)} s of processor time\n`);
}

/** The sets of a cell for each web, side by side in one table. */
function tableFor({ webs, terms }: Bench, cell: Cell, from: number, to: number): FeatureTable {
  const tables = webs.slice(from, to).map((web, i) => {
    const sets: FeatureSet[] = [];
    if (cell.content) sets.push(contentOf(web, cell.content, cell.early ? 'early' : 'all'));
    const [weights, ...changes] = terms[from + i];
    if (cell.terms) sets.push(weights);
    sets.push(...changes.filter(({ name }) => cell.changes?.test(name)));
    for (const set of web.sets) {
      const columns = cell.sets?.[set.name];
      if (columns) sets.push(chosen(set, columns));
    }
    return tableOf(web.sites, sets);
  });
  return joined(tables);
}

/** The columns of all sets, with what the sites have in common with others. */
function tableOf(sites: readonly Site[], sets: readonly FeatureSet[]): FeatureTable {
  return {
    sites: sites.map(({ name }) => name),
    ids: [],
    belongings: sites.map(({ addresses, group }) => [
      ...addresses.map((address) => `address ${address}`),
      ...(group === undefined ? [] : [`group ${group}`]),
    ]),
    names: sets.flatMap(({ name, columns }) => columns.map((column) => `${name}:${column}`)),
    columns: sets.flatMap(({ values }) => values),
  };
}

function chosen(set: FeatureSet, wanted: RegExp): FeatureSet {
  const kept = [...set.columns.keys()].filter((j) => wanted.test(set.columns[j]));
  return {
    ...set,
    columns: kept.map((j) => set.columns[j]),
    values: kept.map((j) => set.values[j]),
  };
}

function joined(tables: readonly FeatureTable[]): FeatureTable {
  const [first] = tables;
  return {
    sites: tables.flatMap(({ sites }, web) => sites.map((site) => `${web} ${site}`)),
    ids: [],
    belongings: tables.flatMap(({ belongings }, web) =>
      belongings.map((own) => own.map((name) => `${web} ${name}`)),
    ),
    names: first.names,
    columns: first.names.map((_, j) =>
      Float64Array.from(tables.flatMap(({ columns }) => [...columns[j]])),
    ),
  };
}

const labelsOf = (webs: readonly Measured[]): Uint8Array =>
  Uint8Array.from(webs.flatMap(({ truths }) => truths.map(({ spam }) => (spam ? 1 : 0))));

function trained({ webs, training, fast }: Bench, table: FeatureTable): Promise<SpamModel> {
  const places = Uint32Array.from(table.sites.keys());
  const spam = labelsOf(webs.slice(0, training));
  const labelled = { places, spam, unknown: [], undecided: 0 };
  return trainModel(table, labelled, { seed: 1, fast, skipConstant: true });
}

async function printCells(bench: Bench, cells: readonly Cell[]): Promise<void> {
  console.log('| set | features | AUC | paper |\n|---|---|---|---|');
  for (const cell of cells) {
    const model = await trained(bench, tableFor(bench, cell, 0, bench.training));
    const table = tableFor(bench, cell, bench.training, bench.webs.length);
    const spam = labelsOf(bench.webs.slice(bench.training));
    const scores = scoreSites(model, table);
    console.log(
      `| ${cell.name} | ${table.names.length} | ${auc(scores, spam).toFixed(3)} ± ${aucHalfWidth(scores, spam).toFixed(3)} | ${cell.paper ?? ''} |`,
    );
    progress(cell.name);
  }
}

/** The learner of Table 11: trees of bootstrap samples where a missed spam site costs ten times. */
async function printBagged(bench: Bench): Promise<void> {
  console.log('| set | features | AUC | paper |\n|---|---|---|---|');
  const known = labelsOf(bench.webs.slice(0, bench.training));
  const spam = labelsOf(bench.webs.slice(bench.training));
  for (const cell of BAGGED) {
    const learn = tableFor(bench, cell, 0, bench.training);
    const test = tableFor(bench, cell, bench.training, bench.webs.length);
    const examples = examplesOf(learn.names, learn.columns, known);
    const scores = new Float64Array(spam.length);
    const row = new Float64Array(test.columns.length);
    for (let bag = 0; bag < BAGS; bag++) {
      const random = new Random(bag, 3, 5, 7);
      const drawn = Uint32Array.from(known, () => random.below(known.length));
      const fitted = LEARNERS['cost-10'](pick(examples, drawn), 1);
      for (let site = 0; site < scores.length; site++)
        scores[site] += scoreSite(fitted, rowOf(test, site, row)) / BAGS;
    }
    console.log(
      `| ${cell.name} | ${test.names.length} | ${auc(scores, spam).toFixed(3)} ± ${aucHalfWidth(scores, spam).toFixed(3)} | ${cell.paper} |`,
    );
    progress(cell.name);
  }
}

const BAGS = 10;

/** All sets but the term weights. */
const DENSE: Cell = { name: 'dense', content: 'b', sets: STATIC };

/** A forest of some training sites, and its scores of all test sites. */
function forestScores(
  bench: Bench,
  keep: (site: number) => boolean,
  labels: Uint8Array,
  learner = 'forest-1',
): Float64Array {
  const { webs, training } = bench;
  const learn = tableFor(bench, DENSE, 0, training);
  const places = Uint32Array.from([...learn.sites.keys()].filter(keep));
  const none = new Uint8Array(learn.sites.length);
  const examples = pick(examplesOf(learn.names, learn.columns, none), places);
  const fitted = LEARNERS[learner](
    { ...examples, spam: Uint8Array.from(places, (place) => labels[place]) },
    1,
  );
  const test = tableFor(bench, DENSE, training, webs.length);
  const row = new Float64Array(test.columns.length);
  return Float64Array.from(test.sites, (_, site) => scoreSite(fitted, rowOf(test, site, row)));
}

/** Each trick: found by a model that knows it, and by one that has never seen it. */
async function printTricks(bench: Bench): Promise<void> {
  const { webs, training } = bench;
  const known = webs.slice(0, training).flatMap(({ truths }) => truths);
  const asked = webs.slice(training).flatMap(({ truths }) => truths);
  const labels = labelsOf(webs.slice(0, training));
  const whole = forestScores(bench, () => true, labels);
  console.log('| trick | sites | AUC | left out of training |\n|---|---|---|---|');
  for (const trick of new Set(asked.flatMap((t) => (t.spam ? [t.trick] : [])))) {
    const without = (i: number): boolean => !known[i].spam || known[i].trick !== trick;
    const scores = forestScores(bench, without, labels);
    const own = [...asked.keys()].filter((i) => !asked[i].spam || asked[i].trick === trick);
    const spam = own.map((i) => (asked[i].spam ? 1 : 0));
    const of = (all: Float64Array): string =>
      auc(
        own.map((i) => all[i]),
        spam,
      ).toFixed(3);
    const count = spam.filter((label) => label === 1).length;
    console.log(`| ${trick} | ${count} | ${of(whole)} | ${of(scores)} |`);
    progress(trick);
  }
}

/**
 * With labels of other sites a model must know nothing. As many sites get the label spam as ham:
 * with few, a forest gives most sites less than the mean, and sites in a crowd the mean, whatever
 * they are.
 */
async function printShuffled(bench: Bench): Promise<void> {
  const { webs, training } = bench;
  const known = labelsOf(webs.slice(0, training));
  const half = Math.min(known.filter((label) => label === 1).length, Math.floor(known.length / 2));
  const spam = labelsOf(webs.slice(training));
  const random = new Random(1, 2, 3, 4);
  const order = [...known.keys()];
  const found: number[] = [];
  for (let turn = 0; turn < SHUFFLES; turn++) {
    for (let i = order.length - 1; i > 0; i--) {
      const j = random.below(i + 1);
      [order[i], order[j]] = [order[j], order[i]];
    }
    const chosen = new Set(order.slice(0, 2 * half));
    const labels = new Uint8Array(known.length);
    for (const site of order.slice(0, half)) labels[site] = 1;
    found.push(
      auc(
        forestScores(bench, (site) => chosen.has(site), labels, 'forest-fast'),
        spam,
      ),
    );
  }
  const mean = found.reduce((sum, value) => sum + value, 0) / SHUFFLES;
  const deviation = Math.sqrt(
    found.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (SHUFFLES - 1),
  );
  console.log(
    `with shuffled labels: mean AUC of ${SHUFFLES} ${mean.toFixed(3)}, deviation ${deviation.toFixed(3)}`,
  );
}

/** One shuffle favours some group of sites by chance: the mean of several tells. */
const SHUFFLES = 40;

/** A model of whole sites, asked after the first three pages. */
async function printEarly(bench: Bench): Promise<void> {
  const { webs, training } = bench;
  const cell: Cell = { name: 'content (A)', content: 'a' };
  const model = await trained(bench, tableFor(bench, cell, 0, training));
  const spam = labelsOf(webs.slice(training));
  const [early, late] = [true, false].map((when) =>
    auc(scoreSites(model, tableFor(bench, { ...cell, early: when }, training, webs.length)), spam),
  );
  console.log(
    `content (A) after 3 pages ${early.toFixed(3)}, after all ${late.toFixed(3)}: ${(early / late).toFixed(3)}`,
  );
}

/** Feature files of the training webs, a file for each cell without terms, and labels. */
function writeTables(bench: Bench, folder: string): void {
  mkdirSync(folder, { recursive: true });
  const truths = bench.webs.slice(0, bench.training).flatMap(({ truths: own }) => own);
  const cell: Cell = { name: '', content: 'a', sets: { links: /./ } };
  const table = tableFor(bench, cell, 0, bench.training);
  const rows = table.sites.map((site, i) =>
    [
      site.replace(' ', '-'),
      ...table.columns.map((column) => (Number.isNaN(column[i]) ? '?' : column[i])),
    ].join(','),
  );
  writeFileSync(
    join(folder, 'features.csv'),
    `${['site', ...table.names.map((name) => `"${name}"`)].join(',')}\n${rows.join('\n')}\n`,
  );
  writeFileSync(
    join(folder, 'labels.tsv'),
    `${table.sites.map((site, i) => `${site.replace(' ', '-')}\t${truths[i].spam ? 'spam' : 'ham'}`).join('\n')}\n`,
  );
  writeFileSync(
    join(folder, 'truth.tsv'),
    `${table.sites.map((site, i) => `${site.replace(' ', '-')}\t${truths[i].kind}\t${truths[i].trick}\t${truths[i].strength}\t${truths[i].genre}`).join('\n')}\n`,
  );
}
