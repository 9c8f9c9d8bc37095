/** What `drumlin spam train`, `test` and `score` do. */
import { readFile, stat } from 'node:fs/promises';
import { DrumlinError, systemCode } from '../../../base/errors.ts';
import { nearest } from '../../../base/nearest.ts';
import { counted } from '../../../base/units.ts';
import { Disk } from '../../../disk/disk.ts';
import { writeText } from '../../../disk/text-file.ts';
import { figure, page, section, table } from '../../../report/page.ts';
import { readOverrides } from '../../../reputation/budget/overrides.ts';
import { readCollection } from '../../../spam/collection.ts';
import { type FeatureTable, readFeatures } from '../../../spam/feature-table.ts';
import { type Labelled, labelsOfDecisions, readLabels, requireBoth } from '../../../spam/labels.ts';
import { LEARNERS } from '../../../spam/learn/learners.ts';
import { auc, aucHalfWidth, averagePrecision, calibration } from '../../../spam/learn/measures.ts';
import { modelText, parseModel, type SpamModel, scoreSites } from '../../../spam/model.ts';
import { trainModel } from '../../../spam/train.ts';
import { type Screen, watched } from '../graph.ts';

export interface TrainFlags {
  readonly labels: string;
  readonly out: string;
  readonly fast?: boolean;
  readonly learners?: string;
  readonly seed: number;
  readonly skipConstant?: boolean;
  readonly skipUnknown?: boolean;
}

export interface TestFlags {
  readonly labels: string;
  readonly json?: boolean;
  readonly report?: string;
  readonly skipUnknown?: boolean;
}

export interface ScoreFlags {
  readonly top?: number;
}

interface Output {
  write(text: string): unknown;
}

/** Labels of a file, or of the decisions in the folder of a crawl. */
async function labelsIn(
  path: string,
  table: FeatureTable,
  skipUnknown: boolean | undefined,
): Promise<Labelled> {
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (isFolder)
    return labelsOfDecisions(await readOverrides(new Disk(), path), table, `${path}/domains.tsv`);
  const labelled = await readLabels(path, table);
  const { unknown } = labelled;
  if (unknown.length === 0 || skipUnknown) return labelled;
  throw new DrumlinError(
    'LABELS',
    `${path} labels ${counted(unknown.length, 'site')} that the feature file does not have ` +
      `(${unknown.slice(0, 3).join(', ')}${unknown.length > 3 ? ', …' : ''}).`,
    'Correct the names, or add --skip-unknown to leave such labels out.',
  );
}

/** Places of the sites that have a label, of any kind. */
export async function labelledPlaces(path: string, table: FeatureTable): Promise<Uint32Array> {
  return (await labelsIn(path, table, true)).places;
}

export async function train(path: string, flags: TrainFlags, screen: Screen): Promise<void> {
  const learners = flags.learners === undefined ? undefined : learnersOf(flags.learners);
  const features = await readFeatures(path);
  const labelled = requireBoth(
    await labelsIn(flags.labels, features, flags.skipUnknown),
    flags.labels,
  );
  reportUnknown(labelled, screen);
  await watched(screen, async (meter, signal) => {
    const model = await trainModel(features, labelled, {
      collection: await readCollection(new Disk(), path),
      learners,
      ...{ seed: flags.seed, fast: flags.fast === true, skipConstant: flags.skipConstant === true },
      onProgress: async (share) => {
        meter.show('training', share);
        // Training takes seconds without a pause: let Ctrl-C and the screen have a turn.
        await new Promise((resume) => setImmediate(resume));
        signal.throwIfAborted();
      },
    });
    await writeText(new Disk(), flags.out, (file) => file.write(Buffer.from(modelText(model))));
    meter.end();
    screen.write(`${trainedLine(model, flags.out)}\n`);
  });
}

/** Names of learners with commas between. */
function learnersOf(text: string): string[] {
  const known = Object.keys(LEARNERS);
  const names = [...new Set(text.split(',').map((name) => name.trim()))];
  const other = names.find((name) => !known.includes(name));
  if (other === undefined) return names;
  throw new DrumlinError(
    'LEARNERS',
    `There is no learner "${other}" (the nearest is "${nearest(other, known)}").`,
    `Choose from ${known.join(', ')}.`,
  );
}

function trainedLine({ trained, parts, features }: SpamModel, out: string): string {
  const { sites, spam, groups } = trained;
  return (
    `${out}: ${counted(parts.length, 'learner')} on ${counted(features.length, 'feature')}, from ` +
    `${counted(sites, 'site')} in ${counted(groups, 'group')}, ${spam} of them spam. ` +
    `AUC on sites not trained on: ${trained.auc.toFixed(3)} ± ${trained.aucHalfWidth.toFixed(3)}.`
  );
}

function reportUnknown({ unknown, undecided }: Labelled, screen: Output): void {
  if (unknown.length > 0)
    screen.write(
      `${counted(unknown.length, 'label')} left out: the feature file does not have the site ` +
        `(${unknown.slice(0, 3).join(', ')}${unknown.length > 3 ? ', …' : ''}).\n`,
    );
  if (undecided > 0)
    screen.write(`${counted(undecided, 'label')} left out: neither spam nor ham.\n`);
}

export async function test(
  modelPath: string,
  path: string,
  flags: TestFlags,
  output: Output,
): Promise<void> {
  const model = await openModel(modelPath);
  const features = await readFeatures(path);
  const { places, spam, unknown } = requireBoth(
    await labelsIn(flags.labels, features, flags.skipUnknown),
    flags.labels,
  );
  const all = scoreSites(model, features);
  const scores = Float64Array.from(places, (place) => all[place]);
  const result = {
    ...{ sites: spam.length, spam: spam.reduce((sum, label) => sum + label, 0) },
    ...{
      unknown: unknown.length,
      auc: auc(scores, spam),
      aucHalfWidth: aucHalfWidth(scores, spam),
    },
    averagePrecision: averagePrecision(scores, spam),
    calibration: calibration(scores, spam),
  };
  if (flags.report !== undefined) {
    const html = reportPage(result);
    await writeText(new Disk(), flags.report, (file) => file.write(Buffer.from(html)));
  }
  output.write(flags.json ? `${JSON.stringify(result)}\n` : testText(result));
}

interface TestResult {
  readonly sites: number;
  readonly spam: number;
  readonly unknown: number;
  readonly auc: number;
  readonly aucHalfWidth: number;
  readonly averagePrecision: number;
  readonly calibration: ReturnType<typeof calibration>;
}

const factsOf = (result: TestResult): [name: string, value: string][] => [
  ['sites', `${result.sites}, ${result.spam} of them spam`],
  ['AUC', `${result.auc.toFixed(4)} ± ${result.aucHalfWidth.toFixed(4)}`],
  ['average precision', result.averagePrecision.toFixed(4)],
];

const rowsOf = ({ calibration: bins }: TestResult): string[][] =>
  bins
    .filter(({ sites }) => sites > 0)
    .map(({ from, sites, expected, found }) => [
      `${from.toFixed(1)} to ${(from + 0.1).toFixed(1)}`,
      ...[String(sites), expected.toFixed(3), found.toFixed(3)],
    ]);

const CALIBRATION_HEAD = ['probability', 'sites', 'spam expected', 'spam found'];

function testText(result: TestResult): string {
  const lines = factsOf(result).map(([name, value]) => `${name.padEnd(20)}${value}`);
  const rows = [CALIBRATION_HEAD, ...rowsOf(result)].map((cells) =>
    cells
      .map((cell) => cell.padEnd(15))
      .join('')
      .trimEnd(),
  );
  return `${[...lines, '', ...rows].join('\n')}\n`;
}

function reportPage(result: TestResult): string {
  const points = result.calibration
    .filter(({ sites }) => sites > 0)
    .map(({ expected, found }) => [expected, found] as const);
  return page('Spam model: test', [
    section('Result', table([['measure', 'value'], ...factsOf(result)])),
    section(
      'Calibration',
      table([CALIBRATION_HEAD, ...rowsOf(result)]),
      'Of the sites with a probability near p, a share of about p should be spam.',
    ),
    figure({
      title: 'Calibration',
      x: { label: 'spam expected', scale: 'linear', format: String },
      y: { label: 'spam found', scale: 'linear', format: String },
      series: [
        { label: 'this model', colour: 0, points },
        { label: 'perfect', colour: 1, points: [[0, 0] as const, [1, 1] as const] },
      ],
    }),
  ]);
}

export async function score(
  modelPath: string,
  path: string,
  { top }: ScoreFlags,
  output: Output,
): Promise<void> {
  const model = await openModel(modelPath);
  const features = await readFeatures(path);
  const scores = scoreSites(model, features);
  const order = [...features.sites.keys()].sort(
    (a, b) => scores[b] - scores[a] || (features.sites[a] < features.sites[b] ? -1 : 1),
  );
  for (const site of order.slice(0, top ?? Infinity))
    output.write(`${features.sites[site]}\t${scores[site].toFixed(6)}\n`);
}

export async function openModel(path: string): Promise<SpamModel> {
  try {
    return parseModel(await readFile(path, 'utf8'), path);
  } catch (cause) {
    if (cause instanceof DrumlinError) throw cause;
    throw new DrumlinError(
      'SPAM_MODEL',
      `The model "${path}" cannot be read (${systemCode(cause)}).`,
      'Give a file of "drumlin spam train".',
      { cause },
    );
  }
}
