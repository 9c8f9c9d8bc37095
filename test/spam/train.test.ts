/** Files of features and labels, training, and models: what is right, and what is refused. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readFeatures } from '../../src/spam/feature-table.ts';
import { groupsOf } from '../../src/spam/groups.ts';
import { readLabels, requireBoth } from '../../src/spam/labels.ts';
import { modelText, parseModel, scoreSites } from '../../src/spam/model.ts';
import { trainModel } from '../../src/spam/train.ts';
import { temporaryFolder } from '../disk/temporary-folder.ts';

const file = (name: string, text: string): string => {
  const path = join(temporaryFolder(), name);
  writeFileSync(path, text);
  return path;
};
const OPTIONS = { seed: 1, fast: true, skipConstant: false };

/** Spam sites have more words; the length of the name says nothing. */
const rows = Array.from({ length: 60 }, (_, i) => {
  const words = (i % 3 === 0 ? 200 : 100) + ((i * 37) % 90);
  return `s${i}.test,d${i},${words},${(i * 7) % 11}`;
});
const features = (head = 'site,domain,content:words,names:length', lines = rows): string =>
  file('features.csv', `${head}\n${lines.join('\n')}\n`);
const labels = (): string =>
  file('labels.tsv', rows.map((_, i) => `s${i}.test\t${i % 3 === 0 ? 'spam' : 'ham'}`).join('\n'));

test('a model learns from files, scores other sites, and survives its file', async () => {
  const table = await readFeatures(features());
  const model = await trainModel(table, await readLabels(labels(), table), OPTIONS);
  expect(model.trained).toMatchObject({ sites: 60, spam: 20, groups: 60 });
  expect(model.trained.auc).toBeGreaterThan(0.9);
  const scores = scoreSites(model, table);
  const again = scoreSites(parseModel(modelText(model), 'model.json'), table);
  expect(again).toEqual(scores);
  expect(Math.min(...scores)).toBeGreaterThanOrEqual(0);
  const once = await trainModel(table, await readLabels(labels(), table), OPTIONS);
  expect(modelText(once)).toBe(modelText(model));
});

test('what the features say nothing of cannot be foretold: each site is judged by the others', async () => {
  let state = 1;
  const random = () => {
    state = Math.imul(state, 1_103_515_245) + 12_345;
    return (state >>> 16) % 1000;
  };
  const noise = Array.from({ length: 200 }, (_, i) => `s${i}.test,d${i},${random()},${random()}`);
  const table = await readFeatures(features(undefined, noise));
  const guesses = noise.map((_, i) => `s${i}.test\t${random() % 2 === 0 ? 'spam' : 'ham'}`);
  const labelled = await readLabels(file('labels.tsv', guesses.join('\n')), table);
  const { trained } = await trainModel(table, labelled, OPTIONS);
  expect(trained.auc).toBeGreaterThan(0.35);
  expect(trained.auc).toBeLessThan(0.65);
});

test('ARFF is read like CSV, with missing values and quoted names', async () => {
  const arff = `@relation x
@attribute site string
@attribute 'content:words' numeric
@attribute b REAL
@attribute class {spam, ham}
@data
% a comment
'a, b.test',12,?,spam
c.test,3.5,1e3,ham
`;
  const table = await readFeatures(file('f.arff', arff));
  expect(table.sites).toEqual(['a, b.test', 'c.test']);
  expect(table.names).toEqual(['content:words', 'b']);
  expect(table.columns.map((column) => [...column])).toEqual([
    [12, 3.5],
    [Number.NaN, 1000],
  ]);
});

test('labels of the Web Spam Challenge name sites by number; undecided ones are left out', async () => {
  const table = await readFeatures(
    file('wsc.csv', '#hostid,host,x\n0,a.test,1\n1,b.test,2\n2,c.test,3\n'),
  );
  const path = file(
    'wsc.txt',
    '0 nonspam 0.0 j1:N\n1 spam 1.0 j1:S\n2 undecided 0.5 -\n9 spam 1\n',
  );
  const { places, spam, unknown, undecided } = await readLabels(path, table);
  expect([[...places], [...spam], unknown, undecided]).toEqual([[0, 1], [0, 1], ['9'], 1]);
});

test('a missing address joins no sites', async () => {
  const table = await readFeatures(file('m.csv', 'site,address,x\na,?,1\nb,?,2\n'));
  expect(table.belongings).toEqual([[], []]);
});

test('sites belong together through a domain, an address or a group, also by way of others', () => {
  const groups = groupsOf([
    ['domain a', 'address 1'],
    ['domain b', 'address 1'],
    ['domain b', 'address 2'],
    ['domain c', 'address 3'],
    [],
  ]);
  expect(groups[0]).toBe(groups[1]);
  expect(groups[1]).toBe(groups[2]);
  expect(new Set([groups[0], groups[3], groups[4]]).size).toBe(3);
});

describe('bad input is refused with what to do', () => {
  const refuses = (text: string, reason: RegExp, name = 'bad.csv') =>
    expect(readFeatures(file(name, text))).rejects.toThrow(reason);

  test('feature files', async () => {
    await refuses('', /is empty.*row for each site/);
    await refuses('a,b\n1,2\n', /no column "site"/);
    await refuses('site\nx\n', /has no features/);
    await refuses('site,a,a\nx,1,2\n', /two columns "a"/);
    await refuses('site,a\nx,1,2\n', /line 2: 3 values, but 2 columns/);
    await refuses('site,a\nx,NaN\n', /line 2: "NaN" of a is not a number.*\? for a missing value/);
    await refuses('site,a\nx,1\nx,2\n', /line 3: the site "x" stands above already/);
    await refuses('site,a\n', /has no sites/);
    await refuses('@relation r\n@attribute a string\n@data\n', /"a" is not a number/, 'bad.arff');
    await refuses('@relation r\n@attribute a numeric\n', /no line @data/, 'bad.arff');
    await expect(readFeatures(join(temporaryFolder(), 'none.csv'))).rejects.toThrow(
      /does not exist/,
    );
  });

  test('labels', async () => {
    const table = await readFeatures(features());
    const read = (text: string) => readLabels(file('bad.tsv', text), table);
    await expect(read('s1.test maybe\n')).rejects.toThrow(/line 1: .* is no label/);
    await expect(read('s1.test\tspam\ns1.test\tham\n')).rejects.toThrow(/both spam and ham/);
    const one = await read('s1.test\tspam\n');
    expect(() => requireBoth(one, 'bad.tsv')).toThrow(/only spam.*labels of both kinds/);
    await expect(read('other.test\tspam\n')).rejects.toThrow(/none is in the feature file/);
  });

  test('a constant column, too few groups, a model of other features', async () => {
    const constant = await readFeatures(
      features(
        'site,domain,a,b',
        rows.map((row) => row.replace(/\d+$/, '5')),
      ),
    );
    const labelled = await readLabels(labels(), constant);
    await expect(trainModel(constant, labelled, OPTIONS)).rejects.toThrow(
      /"b" has the same value.*--skip-constant/,
    );
    const model = await trainModel(constant, labelled, { ...OPTIONS, skipConstant: true });
    expect(model.features).toEqual(['a']);
    const other = await readFeatures(file('o.csv', 'site,aa\nx,1\n'));
    expect(() => scoreSites(model, other)).toThrow(/needs the feature "a".*nearest is "aa"/);
    const few = await readFeatures(
      features(
        'site,domain,a,b',
        rows.map((row) => row.replace(/,d\d+,/, ',d1,')),
      ),
    );
    await expect(trainModel(few, await readLabels(labels(), few), OPTIONS)).rejects.toThrow(
      /belong to 1 groups/,
    );
  });

  test('all spam in one group, and labels that are names of methods', async () => {
    const one = (row: string, i: number) => (i % 3 === 0 ? row.replace(/,d\d+,/, ',spam,') : row);
    const table = await readFeatures(features('site,domain,a,b', rows.map(one)));
    await expect(trainModel(table, await readLabels(labels(), table), OPTIONS)).rejects.toThrow(
      /All spam sites belong to one group/,
    );
    const path = file('odd.tsv', 's1.test\tconstructor\n');
    await expect(readLabels(path, table)).rejects.toThrow(/is no label/);
  });

  test('files that are no model', () => {
    expect(() => parseModel('{', 'm.json')).toThrow(/m\.json is not JSON/);
    expect(() => parseModel('{}', 'm.json')).toThrow(/is not a spam model/);
    const newer = '{"format":"drumlin-spam-model","version":9,"parts":[],"features":[]}';
    expect(() => parseModel(newer, 'm.json')).toThrow(/version 9; this build reads version 1/);
  });
});
