/** The commands that search and export pages. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { linking, type Pages } from '../../crawl/small-site.ts';
import { answer, page, words } from '../crawls/pages.ts';
import type { Stage } from '../stage.ts';
import { answers } from './crawled.ts';
import {
  type Chapter,
  type Check,
  changed,
  differs,
  file,
  json,
  lines,
  refused,
  type Seen,
  type Step,
} from './step.ts';

const text = (count: number, seed: number): string => words(count, seed);
/** Two versions of a small site. */
const version = (turn: number): Pages => ({
  '/': `${linking('/pears', '/doc.pdf', '/private')}<a href=/apples>orchard</a>`,
  '/apples': page(
    `<h1>Apples</h1> The apple and the tree. ${text(90, 1)} ${turn === 0 ? 'green' : 'red'}`,
    '/pears',
  ),
  '/pears': page(`Pears mail ann@example.org ${text(120, 2 + turn)}`, '/apples'),
  '/private': page(`<meta name="robots" content="noai">${text(60, 4)} fruit`, '/'),
  '/doc.pdf': answer('application/pdf', '%PDF-1.4\n'),
});

const EVAL = 'search eval idx --qrels qrels.txt';
const EXPORT = 'corpus export first second --format jsonl.gz';

/** When a crawl began, in UTC. */
const timeOf = (stage: Stage, crawl: string): string => {
  const [started] = stage.read(crawl, 'log.jsonl').split('\n');
  return JSON.parse(started).time.slice(0, 19);
};

/** The score of the first result differs from that without the flag. */
const scored = (query: string, ...flags: readonly string[]): Step[] => [
  { run: `search idx ${query} --json`, as: query, shows: {}, onlySoak: true },
  ...flags.map((flag) => ({
    run: `search idx ${query} --json ${flag}`,
    shows: {
      [flag.split(' ')[0]]: ({ out, before }: Seen) =>
        assert.notEqual(scoreIn(out), scoreIn(before.get(query)?.out ?? '')),
    },
  })),
];
const scoreIn = (out: string): number => JSON.parse(out.split('\n')[0]).score;

/** The lines of a corpus. */
const linesOf = (stage: Stage, folder: string): string =>
  readdirSync(stage.path(folder))
    .filter((name) => name.endsWith('.gz'))
    .map((name) => gunzipSync(readFileSync(stage.path(folder, name))).toString())
    .join('');

const rows =
  (folder: string, text: RegExp): Check =>
  ({ stage }) =>
    assert.match(linesOf(stage, folder), text);

/** Each flag of an export, with what it changes in the lines. */
const exported = (
  ...flags: readonly (readonly [string, (now: string, before: string) => void])[]
): Step[] =>
  flags.map(([flag, check], i) => ({
    run: `${EXPORT} --out rows${i} ${flag}`,
    shows: {
      [flag.split(' ')[0]]: ({ stage }: Seen) =>
        check(linesOf(stage, `rows${i}`), linesOf(stage, 'rows')),
    },
  }));

export const TEXTS: Chapter = {
  name: 'texts',
  prepare: async (stage) => {
    let turn = 0;
    const pages = Object.fromEntries(
      Object.keys(version(0)).map((path) => [
        path,
        (request, response) => {
          const now = version(turn)[path];
          if (typeof now === 'function') now(request, response);
          else response.writeHead(200, { 'content-type': 'text/html' }).end(now);
        },
      ]),
    ) as Pages;
    const origin = stage.site('texts.test', {
      ...pages,
      '/turn': (_, response) => response.end(String(++turn)),
    });
    stage.write('qrels.txt', `1 0 ${origin}/apples 1\n`);
    stage.write('ranks.tsv', '1\tfirst.test\t9\n2\ttexts.test\t5\n3\tlast.test\t1\n');
    stage.write('spam.tsv', 'texts.test\t0.9\n');
    return { origin, dns: stage.dns, port: String(await stage.freePort()) };
  },
  steps: [
    {
      run: 'crawl $origin/ --dns $dns --allow-private --private-delay 0 --dir first --quiet',
      shows: {},
    },
    {
      run: 'crawl $origin/turn --dns $dns --allow-private --private-delay 0 --dir turn --quiet',
      shows: {},
    },
    {
      run: 'crawl $origin/ --dns $dns --allow-private --private-delay 0 --dir second --quiet',
      shows: {},
    },
    {
      run: 'search index first second --out idx',
      shows: { '': file('idx'), '--out': file('idx') },
    },
    {
      run: 'search index first second --out small --no-positions --epoch month',
      shows: {
        '--no-positions': async ({ stage }) =>
          assert.match(
            (await stage.run(['search', 'small', '"the apple"'])).err,
            /has no positions/,
          ),
        '--epoch': async ({ stage }) =>
          assert.match(
            (await stage.run(['search', 'small', 'apple', '--timeline'])).out,
            /^20\d\d-\d\d /,
          ),
      },
    },
    {
      run: 'search index first --out tiny --max-page 60',
      shows: {
        '--max-page': async ({ stage }) =>
          assert.match((await stage.run(['search', 'tiny', 'tree'])).err, /No page matches/),
      },
    },
    ...refused('search index first --out no', '--memory lots'),
    { run: 'search idx apple', as: 'search', shows: { '': /apples/ } },
    { run: 'search idx apple --json', shows: { '--json': json } },
    {
      run: 'search idx apple --changed --at $between --json',
      first: (stage, places) => {
        places.between = timeOf(stage, 'second');
      },
      as: 'changed',
      shows: { '--changed': /apples/ },
    },
    {
      run: 'search index first second --out short --no-links',
      shows: {
        '--no-links': async ({ stage, places }) => {
          const words = ['search', 'short', 'apple', '--changed', '--at', places.between];
          assert.match((await stage.run(words)).err, /has no links/);
        },
      },
    },
    {
      run: 'search idx apple --changed --at $between --explain',
      shows: { '--explain': /combined|change/ },
    },
    ...changed('search idx apple --changed --at $between --json', 'changed', [
      '--by none',
      '--alpha 0',
    ]),
    {
      run: 'search idx apple --changed --at $between --json --seeds 1 --expand 0',
      shows: { '--seeds': differs('changed'), '--expand': lines(1) },
    },
    { run: 'search idx apple --at 2001', code: 2, shows: { '--at': /before this time/ } },
    { run: 'search idx apple --from 2099', code: 2, shows: { '--from': /at or after/ } },
    { run: 'search idx apple --to 2001', code: 2, shows: { '--to': /before this time/ } },
    { run: 'search idx apple --site elsewhere.test', code: 8, shows: { '--site': /./ } },
    { run: 'search idx apple --language ar', code: 8, shows: { '--language': /./ } },
    { run: "search idx 'apple zebra' --any", shows: { '--any': /apples/ } },
    { run: 'search idx apple --top 1 --json', shows: { '--top': lines(1) } },
    { run: 'search idx apple --timeline', shows: { '--timeline': differs('search') } },
    { run: 'search idx apple --no-snippets', shows: { '--no-snippets': differs('search') } },
    ...scored('apple', '--k1 9', '--b 0', '--variant-weight 0', '--spam spam.tsv'),
    ...scored('apple --spam spam.tsv', '--spam-weight 5'),
    ...scored('page', '--title-weight 9'),
    ...scored('orchard', '--anchor-weight 9'),
    ...scored('apple', '--ranks ranks.tsv'),
    ...scored('apple --ranks ranks.tsv', '--rank-weight 5'),
    {
      first: (stage) => {
        stage.write('queries.tsv', `1\tapple\t${timeOf(stage, 'second')}\n`);
      },
      run: `${EVAL} --queries queries.tsv --run run.txt`,
      as: 'eval',
      shows: {
        '': /^BM25 .* 1\.000 /m,
        '--queries': /^BM25 /m,
        '--qrels': /^BM25 .* 1\.000 /m,
        '--run': file('run.txt', /^1 Q0 http:\S+\/apples 1 /m),
      },
    },
    {
      run: `${EVAL} --queries queries.tsv --cut 3 --grid alpha=0,1`,
      shows: { '--cut': /NDCG@3\b/, '--grid': /^none +0 (?:.|\n)*^none +1 /m },
    },
    {
      // There is no epoch after the second.
      run: `${EVAL} --queries queries.tsv --shift 1`,
      code: 2,
      shows: { '--shift': /epochs to compare/ },
    },
    {
      run: 'search serve idx --port $port --host 127.0.0.1',
      once: answers,
      shows: { '': /http:/, '--port': /http:/, '--host': /127\.0\.0\.1/ },
    },
    {
      run: 'search export idx --out documents --format jsonl',
      shows: {
        '': file('documents/opensearch.json'),
        '--out': file('documents/quickwit.json'),
        '--format': file('documents'),
      },
    },
    {
      run: 'corpus export first --out corpus',
      shows: { '': /3 rows/, '--out': file('corpus') },
    },
    { run: `${EXPORT} --out rows`, as: 'rows', shows: { '--format': rows('rows', /apple/) } },
    ...exported(
      ['--extract all', (now, then) => assert.notEqual(now, then)],
      ["--where 'words >= 115'", (now) => assert.doesNotMatch(now, /apple and the tree/)],
      ['--preset fineweb', (now) => assert.equal(now, '')],
      ['--include-opt-outs', (now) => assert.match(now, /\/private/)],
      ['--mask emails', (now) => assert.doesNotMatch(now, /ann@example/)],
      ['--max-page 60', (now) => assert.doesNotMatch(now, /apple and the tree/)],
      ['--ranks ranks.tsv', (now, then) => assert.notEqual(now, then)],
      ['--spam spam.tsv', (now) => assert.match(now, /0\.9/)],
      [
        '--duplicates drop',
        (now, then) => assert.ok(now.split('\n').length < then.split('\n').length),
      ],
      ['--similarity 0.999', (now, then) => assert.notEqual(now, then)],
    ),
    ...refused(`${EXPORT} --out none`, '--threads 0'),
    {
      run: 'corpus index first --out tables --crawl NAME7',
      shows: { '': file('tables'), '--out': file('tables'), '--crawl': file('tables') },
    },
    { run: 'corpus columns', shows: { '': /language/ } },
  ],
};
