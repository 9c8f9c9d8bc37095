/** The commands of the synthetic web, and those of a cluster. */
import assert from 'node:assert/strict';
import { type Chapter, differs, file, json } from './step.ts';

const changed = (command: string, base: string, flags: readonly string[]) =>
  flags.map((flag) => ({
    run: `${command} ${flag}`,
    shows: { [flag.split(' ')[0]]: differs(base) },
  }));

const TRUTH = 'web truth --domains 20 --pages 4';
const RUN = 'lab run --domains 1000 --pages 300';

export const WEBS: Chapter = {
  name: 'webs',
  prepare: async (stage) => ({ port: String(await stage.freePort()) }),
  steps: [
    {
      run: 'web --scenario clean --domains 10 --port $port --json',
      once: async () => {},
      shows: { '': /"http":/, '--port': /"http":\d+/, '--json': json },
    },
    { run: TRUTH, as: 'truth', shows: { '': /\.test/ } },
    ...changed(TRUTH, 'truth', [
      '--seed 7',
      '--scenario spam',
      '--mix farm=50%',
      '--step 20',
      '--real-suffixes',
      '--level page',
      '--stories queries --step 2',
      '--json',
    ]),
    { run: 'web truth --domains 3', shows: { '--domains': differs('truth') } },
    { run: 'web queries', as: 'queries', shows: { '': /./ } },
    { run: 'web queries --json', shows: { '--json': json } },
    { run: RUN, as: 'run', shows: { '': /bfs/ } },
    {
      run: 'lab run --domains 1000 --pages 300 --out report --json',
      shows: { '--out': file('report/report.html'), '--json': json },
    },
    {
      run: 'lab pages --out old-web --domains 5 --pages 4',
      shows: { '': file('old-web/alive.txt'), '--out': file('old-web/truth.tsv') },
    },
    {
      run: 'lab focus --policy whitelist --days 2 --requests 100 --history 200 --domains 50 --pages 20',
      shows: { '': /whitelist/, '--policy': ({ out }) => assert.doesNotMatch(out, /hybrid/) },
    },
  ],
};
