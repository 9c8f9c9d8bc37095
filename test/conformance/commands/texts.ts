/** The commands that search, export and look again at pages. */
import assert from 'node:assert/strict';
import { linking, type Pages } from '../../crawl/small-site.ts';
import { answer, page, words } from '../crawls/pages.ts';
import { answers } from './crawled.ts';
import { type Chapter, differs, file, json, lines } from './step.ts';

const text = (count: number, seed: number): string => words(count, seed);
/** Two versions of a small site. */
const version = (turn: number): Pages => ({
  '/': linking('/apples', '/pears', '/doc.pdf', '/private'),
  '/apples': page(
    `<h1>Apples</h1> The apple and the tree. ${text(90, 1)} ${turn === 0 ? 'green' : 'red'}`,
    '/pears',
  ),
  '/pears': page(`Pears mail ann@example.org ${text(120, 2 + turn)}`, '/apples'),
  '/private': page(`<meta name="robots" content="noai">${text(60, 4)} fruit`, '/'),
  '/doc.pdf': answer('application/pdf', '%PDF-1.4\n'),
});

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
    stage.write('ranks.tsv', '1\ttexts.test\t9\n');
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
      run: 'search index first --out small --no-positions --no-links --epoch month --memory 64Mi',
      shows: { '--no-positions': file('small'), '--epoch': file('small') },
    },
    {
      run: 'search index first --out no --memory lots',
      code: 2,
      shows: { '--memory': /is not a size/ },
    },
    {
      run: 'search index first --out no --max-page lots',
      code: 2,
      shows: { '--max-page': /is not a size/ },
    },
    {
      run: 'search small \'"the apple"\'',
      code: 'any',
      shows: { '': /./ },
    },
    {
      run: 'search small apple --changed --at 2030',
      code: 'any',
      shows: {},
    },
    { run: 'search idx apple', as: 'search', shows: { '': /apples/ } },
    { run: 'search idx apple --json', shows: { '--json': json } },
    {
      run: 'search idx apple --changed --from 2020 --to 2030',
      as: 'changed',
      code: 'any',
      shows: { '--changed': /./ },
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
    ...[
      '--k1 9',
      '--b 0',
      '--title-weight 9',
      '--anchor-weight 9',
      '--variant-weight 0',
      '--ranks ranks.tsv',
      '--ranks ranks.tsv --rank-weight 5',
      '--spam spam.tsv',
      '--spam spam.tsv --spam-weight 5',
    ].map((flags) => ({
      run: `search idx apple --json ${flags}`,
      shows: { [(flags.match(/--[\w-]+/g) ?? []).at(-1) ?? '']: json },
    })),
    {
      // A time after the first epoch, and before the second.
      first: (stage) => {
        const [started] = stage.read('second/log.jsonl').split('\n');
        stage.write('queries.tsv', `1\tapple\t${JSON.parse(started).time.slice(0, 19)}\n`);
      },
      run: 'search eval idx --queries queries.tsv --qrels qrels.txt --run run.txt',
      as: 'eval',
      shows: { '': /./, '--queries': /./, '--qrels': /./, '--run': file('run.txt') },
    },
    {
      run: 'search eval idx --queries queries.tsv --qrels qrels.txt --cut 3 --grid alpha=0,1 --shift 1',
      shows: { '--cut': differs('eval'), '--grid': /alpha/, '--shift': differs('eval') },
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
      shows: { '': /pages|rows/, '--out': file('corpus') },
    },
    {
      run: "corpus export first --out rows --format jsonl.gz --extract all --where 'words >= 1' --mask emails --include-opt-outs --duplicates drop --similarity 0.9 --ranks ranks.tsv --spam spam.tsv --threads 1",
      shows: { '--format': file('rows'), '--extract': /rows|pages/, '--where': /rows|pages/ },
    },
    {
      run: 'corpus index first --out tables --crawl NAME7',
      shows: { '': file('tables'), '--out': file('tables'), '--crawl': file('tables') },
    },
    { run: 'corpus columns', shows: { '': /language/ } },
    {
      run: 'refresh first --dir fresh --dns $dns --allow-private --private-delay 0 --json',
      shows: { '': file('fresh/refresh/verdicts.tsv', /alive|unchanged|same/), '--json': json },
    },
    { run: 'refresh schedule first fresh --budget 10k/day', shows: { '': /./, '--budget': /./ } },
    {
      run: 'refresh schedule first fresh --budget 10k/day --json --starve none --weights pagerank',
      code: 'any',
      shows: { '--json': json },
    },
    {
      run: 'lab pages --out web --domains 20 --pages 5 --step 30',
      shows: { '': file('web/alive.txt'), '--out': file('web') },
    },
    {
      run: 'refresh compare web --alive web/alive.txt --by in,random --seeds 1',
      as: 'orders',
      shows: {
        '': /random/,
        '--alive': /in/,
        '--by': ({ out }) => assert.doesNotMatch(out, /bfs/),
      },
    },
    { run: 'focus learn book first', shows: { '': file('book') } },
    { run: 'focus rank book', code: 'any', shows: { '': /./ } },
    {
      run: 'focus crawl book $origin/ --policy blacklist --dns $dns --allow-private --private-delay 0 --json',
      shows: { '': file('book'), '--policy': json, '--json': json },
    },
    { run: 'focus report book', shows: { '': /Q per day/ } },
  ],
};
