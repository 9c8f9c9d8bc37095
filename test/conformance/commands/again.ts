/** The commands that look again at pages, and those that look for documents. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { linking, type Pages } from '../../crawl/small-site.ts';
import { answer, page, words } from '../crawls/pages.ts';
import {
  type Chapter,
  type Check,
  changed,
  differs,
  file,
  json,
  refused,
  type Step,
} from './step.ts';

/** What every crawl of this chapter has. */
const LOCAL = '--dns $dns --allow-private --private-delay 0 --address-delay 0';

const PATHS = Array.from({ length: 12 }, (_, i) => `/${i}`);
const PAGES: Pages = {
  '/': linking(...PATHS),
  ...Object.fromEntries(PATHS.map((path, i) => [path, page(words(60, i + 1), '/0', '/1')])),
};

/** A text with references. */
const paper = (seed: number, ...urls: string[]) =>
  answer('text/plain', `${words(150, seed)}\n\nReferences\n\n${urls.join('\n')}\n`);

const WANTED = "'Status == 200 and ContentTypeIs(text/plain)'";

/** The last request was made by this method. */
const asked =
  (method: string): Check =>
  ({ stage }) =>
    assert.equal(stage.asked.at(-1)?.method, method);

const COMPARE = 'refresh compare old-web --alive old-web/alive.txt --by in,random --seeds 1';
const ADAPTIVE = COMPARE.replace('in,random', 'asf,pa');
const SCHEDULE = 'refresh schedule first fresh --budget 3/day';

/** A day of a focused crawl: what it says about its plan. */
const planned = (flags: string, says: RegExp): Step[] => [
  {
    run: `focus crawl book --predicates own.mjs ${LOCAL} --json ${flags}`,
    shows: { [flags.split(' ')[0]]: says },
  },
];

export const AGAIN: Chapter = {
  name: 'again',
  prepare: async (stage) => {
    const origin = stage.site('again.test', PAGES);
    const one = stage.origin('one-papers.test');
    const two = stage.origin('two-papers.test');
    stage.site('one-papers.test', {
      '/': linking('/1.txt', '/list', `${two}/`),
      '/list': linking('/2.txt', '/3.txt'),
      '/1.txt': paper(1, `${one}/2.txt`, `${two}/1.txt`),
      '/2.txt': paper(2, `${one}/1.txt`),
      '/3.txt': answer('text/plain', 'short'),
    });
    stage.site('two-papers.test', {
      '/': linking('/1.txt'),
      '/1.txt': paper(3, `${one}/2.txt`),
    });
    stage.write('own.mjs', 'export const IsOwn = ({ url }) => url.endsWith(".txt");');
    stage.write('quality.tsv', 'two-papers.test\t9\n');
    stage.write('drumlin-own.yaml', 'max-pages: 77\n');
    return { origin, one, dns: stage.dns };
  },
  steps: [
    { run: `crawl $origin/ ${LOCAL} --dir first --quiet`, shows: {} },
    {
      run: `refresh first --dir fresh ${LOCAL} --json`,
      as: 'refresh',
      shows: { '': file('fresh/refresh/verdicts.tsv', /alive|unchanged|same/), '--json': json },
    },
    {
      run: `refresh first --dir by --by in --z 2 --alpha 50% --seed 3 --test head ${LOCAL} --json`,
      shows: {
        '--by': file('by/refresh/plan.json', /"by": ?"in"/),
        '--z': file('by/refresh/plan.json', /"z": ?"?2/),
        '--alpha': file('by/refresh/plan.json', /0\.5/),
        '--seed': file('by/refresh/plan.json', /"seed": ?"?3/),
        '--test': asked('HEAD'),
      },
    },
    {
      run: `refresh first --dir quiet --quiet --config drumlin-own.yaml ${LOCAL}`,
      shows: {
        '--quiet': ({ out, err }) => assert.equal(out + err, ''),
        '--config': file('quiet/crawl.json', /"maxPages": ?77/),
      },
    },
    {
      run: SCHEDULE,
      as: 'schedule',
      shows: { '': /to be visited, 0 due now/ },
    },
    {
      run: 'refresh schedule first fresh --budget 100k/day',
      shows: { '--budget': differs('schedule') },
    },
    ...changed(SCHEDULE, 'schedule', ['--starve none', '--weights pagerank', '--json']),
    // Its three looks a day have nothing for today.
    { run: SCHEDULE, shows: {}, onlySoak: true },
    {
      run: `refresh fresh --dir due --due ${LOCAL}`,
      code: 2,
      shows: { '--due': /No page of .* is due/ },
    },
    {
      run: `refresh fresh --dir series --every 1h --looks 3/day ${LOCAL}`,
      once: async () => {},
      code: 'any', // interrupted, in its wait or at once
      shows: { '--every': /0 due now/, '--looks': /freshness 0\.0 %/ },
    },
    { run: 'lab pages --out old-web --domains 20 --pages 5 --step 30', shows: {} },
    {
      run: `${COMPARE}`,
      as: 'orders',
      shows: {
        '': /random/,
        '--alive': /in/,
        '--by': ({ out }) => assert.doesNotMatch(out, /bfs/),
      },
    },
    ...changed(COMPARE, 'orders', ['--z 20', '--hosts', '--json']),
    { run: COMPARE.replace('--seeds 1', '--seeds 3'), shows: { '--seeds': differs('orders') } },
    { run: `${ADAPTIVE} --sample random --z 10`, as: 'adaptive', shows: {}, onlySoak: true },
    { run: `${ADAPTIVE} --sample in --z 10`, shows: { '--sample': differs('adaptive') } },
    { run: `${ADAPTIVE} --z 10 --per-host 2`, as: 'per-host', shows: {}, onlySoak: true },
    { run: `${ADAPTIVE} --z 10 --per-host 1`, shows: { '--per-host': differs('per-host') } },
    { run: `${COMPARE} --report costs.html`, shows: { '--report': file('costs.html', /<html/) } },
    ...refused(COMPARE, '--threads 0', '--memory lots'),
    { run: `crawl $one/ ${LOCAL} --dir papers --quiet`, shows: {} },
    {
      run: `focus learn book papers --wanted ${WANTED} --useful 'Words >= 100 and IsOwn' --predicates own.mjs --json`,
      shows: {
        '': file('book'),
        '--wanted': /"fetched": ?4/,
        '--useful': /"useful": ?3/,
        '--predicates': /"useful": ?3/,
        '--json': json,
      },
    },
    { run: 'focus rank book', as: 'ranked', shows: { '': /one-papers\.test/ } },
    ...changed('focus rank book', 'ranked', ['--top 1', '--quality useful', '--show 1', '--json']),
    {
      run: 'focus rank book --out list.txt --figures list.html',
      shows: {
        '--out': file('list.txt', /one-papers\.test/),
        '--figures': file('list.html', /<html/),
      },
    },
    {
      run: `focus crawl book --predicates own.mjs ${LOCAL} --json`,
      as: 'day',
      shows: { '': file('book'), '--json': json },
    },
    ...planned('--seeds 1', /whitelist: 1 seeds of 2 domains/),
    ...planned('--recheck 0', /whitelist: 3 seeds of 2 domains$/m),
    ...planned('--top 1', /whitelist: 2 seeds of 1 domains/),
    ...planned('--quality quality.tsv', /whitelist: 1 seeds of 1 domains/),
    // A tenth of ten seeds is one of each domain, if they are to be spread.
    ...planned('--spread none --seeds 10', /whitelist: 3 seeds of 2 domains/),
    ...planned('--policy hybrid', /hybrid: 3 seeds of 2 domains/),
    {
      run: `focus crawl book --predicates own.mjs ${LOCAL} --quiet --config drumlin-own.yaml`,
      shows: {
        '--quiet': ({ out, err }) => assert.equal(out + err, ''),
        '--config': ({ stage }) => {
          const [last] = readdirSync(stage.path('book/days'))
            .filter((name) => /^\d+$/.test(name))
            .sort()
            .reverse();
          assert.match(stage.read('book/days', last, 'crawl.json'), /"maxPages": ?77/);
        },
      },
    },
    { run: 'focus report book', as: 'report', shows: { '': /Q per day/ } },
    { run: 'focus report book --json', shows: { '--json': json } },
    {
      run: 'focus report book --html report.html',
      shows: { '--html': file('report.html', /<html/) },
    },
  ],
};
