/** The commands of the lab: crawls of synthetic webs in virtual time. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type Chapter, type Check, differs, file, json, refused } from './step.ts';

/** A model that comes with the program. */
const MODEL = join(import.meta.dirname, '../../../examples/spam-model.json');

const RUN = 'lab run --domains 1000 --pages 200 --json';
const ATTACK = 'lab run --scenario attack --domains 1000 --pages 200 --policy in --json';
const GRAPH = 'lab pages --domains 5 --pages 4';
const FOCUS =
  'lab focus --policy blacklist,whitelist --days 2 --requests 400 --history 1500 --domains 60 --pages 60';

/** What a run found in virtual time, without what depends on the machine. */
function found(out: string): string {
  const { results } = JSON.parse(out) as { results: Record<string, unknown>[] };
  return JSON.stringify(results.map(({ policy, samples }) => [policy, samples]));
}

/** The crawl went another way than that of an earlier step. */
const ranOtherwise =
  (base: string): Check =>
  ({ out, before }) =>
    assert.notEqual(found(out), found(before.get(base)?.out ?? ''));

const run = (base: string, name: string, flags: readonly string[]) =>
  flags.map((flag) => ({
    run: `${base} ${flag}`,
    shows: { [flag.split(' ')[0]]: ranOtherwise(name) },
  }));

/** The truth that a folder has is not that of another. */
const otherTruth =
  (folder: string): Check =>
  ({ stage }) =>
    assert.notEqual(stage.read(folder, 'truth.tsv'), stage.read('old-web', 'truth.tsv'));

const graphs = (...flags: readonly string[]) =>
  flags.map((flag, i) => ({
    run: `${GRAPH} ${flag} --out graph${i}`,
    shows: { [flag.split(' ')[0]]: otherTruth(`graph${i}`) },
  }));

const focused = (...flags: readonly string[]) =>
  flags.map((flag) => ({
    run: `${FOCUS} ${flag}`,
    shows: { [flag.split(' ')[0]]: differs('focus') },
  }));

export const LABS: Chapter = {
  name: 'the lab',
  prepare: async () => ({ model: MODEL }),
  steps: [
    { run: RUN, as: 'run', shows: { '': /"policy": "bfs"/, '--json': json } },
    {
      run: RUN,
      shows: {
        // The same flags, the same crawl: what else differs is the effect of a flag.
        '--json': ({ out, before }) =>
          assert.equal(found(out), found(before.get('run')?.out ?? '')),
      },
    },
    {
      run: 'lab run --domains 1000 --pages 100 --out report',
      shows: {
        '--out': file('report/report.html', /<html/),
        '--pages': file('report/report.json', /"pages": ?100\b/),
        '--domains': file('report/report.json', /"domains": ?1000\b/),
      },
    },
    ...run(RUN, 'run', [
      '--scenario clean',
      '--seed 2',
      '--site-pages 5',
      '--mix farm=1%',
      '--delay 1s',
      '--address-delay 2s',
      '--fetches 1',
      '--policy in',
    ]),
    { run: ATTACK, as: 'attack', shows: {}, onlySoak: true },
    ...run(ATTACK, 'attack', ['--edge-life 1s', '--takeover 1s']),
    {
      run: 'lab run --domains 1000 --pages 100 --policy tse+spam --spam $model --json',
      shows: { '--spam': /"policy": "tse\+spam"/ },
    },
    {
      run: `${GRAPH} --out old-web`,
      shows: { '': file('old-web/alive.txt'), '--out': file('old-web/truth.tsv') },
    },
    ...graphs('--scenario site', '--seed 2', '--step 1'),
    {
      run: 'lab pages --domains 9 --pages 4 --out more',
      shows: { '--domains': otherTruth('more') },
    },
    { run: 'lab pages --domains 5 --pages 9 --out long', shows: { '--pages': otherTruth('long') } },
    ...refused(`${GRAPH} --out none`, '--memory lots'),
    { run: FOCUS, as: 'focus', shows: { '': /^Q\t400\t\d+$/m } },
    { run: FOCUS.replace('blacklist,', ''), shows: { '--policy': /^\twhitelist$/m } },
    ...focused('--depth 1', '--batch 50', '--seed 2', '--seeds 2', '--json'),
    ...['--days 3', '--requests 300', '--history 900', '--domains 30', '--pages 30'].map((flag) => {
      const [name] = flag.split(' ');
      return {
        run: FOCUS.replace(new RegExp(`${name} \\d+`), flag),
        shows: { [name]: differs('focus') },
      };
    }),
    {
      run: `${FOCUS} --recheck 0`,
      shows: { '--recheck': differs('focus') },
    },
  ],
};
