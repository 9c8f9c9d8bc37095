/** `drumlin spam` from a stored crawl to scores, and what it refuses. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask, explain } from '../../../src/cli/commands/spam/explain.ts';
import { type FeaturesFlags, features } from '../../../src/cli/commands/spam/features.ts';
import { score, test as testModel, train } from '../../../src/cli/commands/spam/work.ts';
import { readFeatures } from '../../../src/spam/feature-table.ts';
import { writeCrawl } from '../../corpus/lab-archive.ts';

class Output {
  text = '';
  readonly isTTY = false;
  write(text: string): boolean {
    this.text += text;
    return true;
  }
}

const folder = mkdtempSync(join(tmpdir(), 'drumlin-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const crawl = join(folder, 'crawl');
const [table, labels, model, queries] = [
  ...['f.parquet', 'labels.tsv', 'model.json', 'queries.txt'].map((name) => join(folder, name)),
];
const FLAGS = { level: 'domain', sets: 'content,names', pages: 400, memory: '64Mi' } as const;
const isSpam = (site: number): boolean => site % 3 === 0;
const nameOf = (site: number): string => `site${site}.example`;

/** The text of a page: stuffed words on spam sites, and words of its own everywhere. */
function pageOf(site: number, page: number): Buffer {
  const own = Array.from({ length: 30 }, (_, i) => `w${(site * 31 + page * 17 + i * i) % 97}`);
  const stuffed = isSpam(site) ? 'buy cheap pills '.repeat(3 + ((site + page) % 5)) : '';
  return Buffer.from(`<title>Site ${site}</title><p>${own.join(' ')} ${stuffed}</p>`);
}

async function make(out: string, flags: Partial<FeaturesFlags> = {}): Promise<string> {
  const screen = new Output();
  await features([crawl], { ...FLAGS, out, ...flags }, screen);
  return screen.text;
}

beforeAll(async () => {
  const pages = Array.from({ length: 45 * 3 }, (_, i) => ({
    url: `http://${nameOf(Math.floor(i / 3))}/${i % 3 === 0 ? '' : i}`,
    body: pageOf(Math.floor(i / 3), i % 3),
  }));
  await writeCrawl(crawl, pages);
  writeFileSync(queries, 'cheap pills\t9\nbuy\n');
  const lines = Array.from({ length: 30 }, (_, i) => `${nameOf(i)}\t${isSpam(i) ? 'spam' : 'ham'}`);
  writeFileSync(labels, lines.join('\n'));
  expect(await make(table, { queries })).toMatch(/45 sites, 142 features/);
  const screen = new Output();
  const flags = { labels, out: model, fast: true, seed: 1, skipConstant: true };
  await train(table, flags, screen);
  expect(screen.text).toMatch(/AUC on sites not trained on: 1\.000/);
});

test('a model keeps the lists that its features were made with', async () => {
  const { words, level } = JSON.parse(readFileSync(model, 'utf8'));
  expect(level).toBe('domain');
  expect(words.queries).toEqual(['cheap', 'pills', 'buy']);
  const again = join(folder, 'again.csv');
  await make(again, { model });
  expect(await readFeatures(again)).toEqual(await readFeatures(table));
});

test('scores find spam sites without labels, and a report is written', async () => {
  const output = new Output();
  await score(model, table, {}, output);
  const first = output.text
    .split('\n')
    .slice(0, 15)
    .map((line) => Number(/\d+/.exec(line)?.[0]));
  expect(first.every(isSpam)).toBe(true);
  const report = join(folder, 'report.html');
  await testModel(model, table, { labels, report }, output);
  expect(output.text).toMatch(/AUC {2,}1\.0000/);
  expect(readFileSync(report, 'utf8')).toMatch(/<h2[^>]*>Calibration/);
});

test('an explanation names features with their values, from a crawl or from a table', async () => {
  const texts = [];
  for (const place of [crawl, table]) {
    const stdout = new Output();
    const flags = { top: 5, memory: '64Mi' };
    const site = nameOf(36);
    await explain(model, { crawl: place, site }, flags, { stdout, stderr: new Output() });
    texts.push(stdout.text);
  }
  expect(texts[0]).toBe(texts[1]);
  expect(texts[0]).toMatch(/^site36\.example: probability of spam 0\.\d+/);
  expect(texts[0]).toMatch(/\+\d+\.\d+ {2}all of content\n/);
  expect(texts[0]).toMatch(/\+\d\.\d+ {2}content:\w+ = [\d.]+\n/);
  const name = { crawl: table, site: 'site366.example' };
  const screens = { stdout: new Output(), stderr: new Output() };
  await expect(explain(model, name, { top: 1, memory: '1Mi' }, screens)).rejects.toThrow(
    /no site "site366.example" \(the nearest is "site36.example"\)/,
  );
});

test('the sites to label next have no labels yet', async () => {
  const output = new Output();
  await ask(model, table, { labels, count: 20 }, output);
  const asked = output.text.trim().split('\n');
  expect(asked).toHaveLength(15);
  for (const line of asked) expect(Number(/\d+/.exec(line)?.[0])).toBeGreaterThanOrEqual(30);
});

test('labels of one kind are enough to ask', async () => {
  const one = join(folder, 'ham.tsv');
  writeFileSync(one, `${nameOf(1)}\tham\n`);
  const output = new Output();
  await ask(model, table, { labels: one, count: 50 }, output);
  expect(output.text.trim().split('\n')).toHaveLength(44);
});

test('a model is made of the learners that were named', async () => {
  const out = join(folder, 'named.json');
  const flags = { labels, out, seed: 1, skipConstant: true };
  await train(table, { ...flags, learners: 'boost-2, logistic-1' }, new Output());
  const { parts } = JSON.parse(readFileSync(out, 'utf8'));
  for (const { learner } of parts) expect(['boost-2', 'logistic-1']).toContain(learner);
  await expect(train(table, { ...flags, learners: 'bost-2' }, new Output())).rejects.toThrow(
    /no learner "bost-2" \(the nearest is "boost-2"\)/,
  );
});

test('an operator’s decisions are labels', async () => {
  const decisions = Array.from(
    { length: 24 },
    (_, i) => `${nameOf(i)} ${isSpam(i) ? 'block' : i === 1 ? 'budget 5' : 'trust'}\n`,
  );
  writeFileSync(join(crawl, 'domains.tsv'), `${decisions.join('')}elsewhere.example block\n`);
  const screen = new Output();
  const out = join(folder, 'own.json');
  await train(table, { labels: crawl, out, fast: true, seed: 1, skipConstant: true }, screen);
  expect(screen.text).toMatch(/from 23 sites in 23 groups, 8 of them spam/);
  expect(screen.text).toMatch(/1 label left out.*elsewhere\.example/);
});

describe('is refused with a remedy:', () => {
  const trainOn = (path: string, place: string): Promise<void> =>
    train(path, { labels: place, out: `${model}.no`, fast: true, seed: 1 }, new Output());

  test('labels of sites that the table does not have', async () => {
    const path = join(folder, 'more.tsv');
    writeFileSync(path, `${readFileSync(labels, 'utf8')}\nunknown.example\tspam\n`);
    await expect(trainOn(table, path)).rejects.toThrow(
      /labels 1 site that the feature file does not have \(unknown.example\).*--skip-unknown/,
    );
  });

  test('a model of other features, or of another level', async () => {
    const names = join(folder, 'names.csv');
    await make(names, { sets: 'names' });
    await expect(score(model, names, {}, new Output())).rejects.toThrow(
      /needs the feature "content:.*Make the features with the sets/,
    );
    await expect(make(join(folder, 'x.csv'), { model, level: 'host' })).rejects.toThrow(
      /level domain.*--level domain/,
    );
  });

  test('a constant column, one class only, an ARFF with strings, infinite numbers', async () => {
    await expect(trainOn(table, labels)).rejects.toThrow(/same value for all.*--skip-constant/);
    const one = join(folder, 'one.tsv');
    writeFileSync(one, `${nameOf(0)}\tspam\n${nameOf(3)}\tspam\n`);
    await expect(trainOn(table, one)).rejects.toThrow(/only spam.*both kinds/);
    const arff = join(folder, 'x.arff');
    writeFileSync(arff, '@relation x\n@attribute site string\n@attribute a string\n@data\n');
    await expect(trainOn(arff, labels)).rejects.toThrow(/"a" is not a number.*leave it out/);
    const csv = join(folder, 'x.csv');
    for (const bad of ['NaN', 'Infinity', '-inf', 'many']) {
      writeFileSync(csv, `site,a\nx.example,${bad}\n`);
      await expect(trainOn(csv, labels)).rejects.toThrow(/is not a number.*\? for a missing/);
    }
  });

  test('a set that does not exist, groups without a name, a table that is no Parquet', async () => {
    const out = join(folder, 'no.csv');
    await expect(make(out, { pages: 401 })).rejects.toThrow(/at most 400 pages.*--pages 400/);
    await expect(make(out, { sets: 'contents' })).rejects.toThrow(/nearest is "content"/);
    const groups = join(folder, 'groups.tsv');
    writeFileSync(groups, 'site1.example\n');
    await expect(make(out, { groups })).rejects.toThrow(/line 1: .* names no group/);
    const broken = join(folder, 'broken.parquet');
    writeFileSync(broken, readFileSync(table).subarray(0, 500));
    await expect(trainOn(broken, labels)).rejects.toThrow(/no Parquet file that can be read/);
  });
});
