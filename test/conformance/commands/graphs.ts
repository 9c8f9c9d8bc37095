/** The commands of graphs, ranks, matrices and spam. */
import assert from 'node:assert/strict';
import { linking } from '../../crawl/small-site.ts';
import { page, words } from '../crawls/pages.ts';
import { type Chapter, type Check, changed, differs, file, json, lines, refused } from './step.ts';

const NO_MEMORY = '--memory lots';

/** The numbers of a spectrum are not those of another. */
const otherSpectrum =
  (folder: string, other = 'spectrum'): Check =>
  ({ stage }) =>
    assert.notEqual(stage.read(folder, 'spectrum.json'), stage.read(other, 'spectrum.json'));

const spectra = (...flags: readonly string[]) =>
  flags.map((flag, i) => ({
    run: `matrix spectrum imported --out turned${i} --dimension 3 ${flag}`,
    shows: { [flag.split(' ')[0]]: otherSpectrum(`turned${i}`, 'unturned') },
  }));

export const GRAPHS: Chapter = {
  name: 'graphs',
  prepare: async (stage) => {
    const names = Array.from({ length: 12 }, (_, i) => `g${i}-graph.test`);
    const urls = names.map((name) => `${stage.origin(name)}/`);
    for (const [i, name] of names.entries()) {
      const nofollow = `<a rel=nofollow href="${urls[(i + 5) % 12]}none">x</a>`;
      stage.site(name, {
        '/': linking(urls[(i + 1) % 12], urls[(i * 5 + 2) % 12], urls[0]) + nofollow,
      });
    }
    stage.write('edges.txt', 'a b\nb c\nc a\na c\n1 2\nbroken\nx y\ny x\nc x\n');
    stage.write('edges2.txt', 'b a\nc a\na c\nx a\ny a\n1 2\n');
    stage.write('letters.txt', 'a\nb\n');
    stage.write('letter-kinds.txt', 'a\tred\nb\tblue\n');
    stage.write('edges.csv', 'a,b\nb,c\n');
    stage.write('numbers.txt', '1 2\n2 3\n');
    stage.write('among.txt', 'test.g1-graph\ntest.g2-graph\ng1-graph.test\ng2-graph.test\n');
    stage.write('bad.txt', 'g3-graph.test\n');
    stage.write('good.txt', 'g0-graph.test\ng1-graph.test\n');
    stage.write('categories.txt', 'g0-graph.test\tred\ng1-graph.test\tblue\n');
    return { seed: urls[0], dns: stage.dns };
  },
  steps: [
    {
      run: 'crawl $seed --dns $dns --allow-private --private-delay 0 --dir linked --quiet',
      shows: {},
    },
    {
      run: 'graph build linked --level domain',
      shows: { '': file('linked/graph/domain'), '--level': file('linked/graph/domain') },
    },
    {
      run: 'graph build linked --level page --out pages --nofollow',
      shows: { '--out': file('pages'), '--nofollow': file('pages') },
    },
    {
      run: 'graph build linked --level page --captured',
      shows: { '--captured': file('linked/graph/page-captured') },
    },
    ...refused('graph build linked --level host --out h1', NO_MEMORY),
    {
      run: 'graph import edges.txt --out imported --skip-bad bad-lines.txt',
      shows: {
        '': file('imported'),
        '--out': file('imported'),
        '--skip-bad': file('bad-lines.txt', /line 6/),
      },
    },
    {
      run: 'graph import edges.csv --out comma --separator , --level host',
      shows: { '--separator': /2 arcs|3 nodes|arcs/, '--level': file('comma') },
    },
    { run: 'graph import numbers.txt --out named --names', shows: { '--names': /3 nodes|nodes/ } },
    ...refused('graph import edges.csv --separator , --out x1', NO_MEMORY),
    { run: 'graph info linked/graph/domain', as: 'info', shows: { '': /12/ } },
    { run: 'graph info linked/graph/domain --json', shows: { '--json': json } },
    ...refused('graph info linked/graph/domain', NO_MEMORY),
    { run: 'graph export linked/graph/domain', shows: { '': /g1-graph/ } },
    {
      run: 'graph export linked/graph/domain --format common-crawl --out cc',
      shows: { '--format': file('cc'), '--out': file('cc') },
    },
    ...refused('graph export linked/graph/domain', NO_MEMORY),
    {
      run: 'graph import cc/domain-vertices.txt.gz cc/domain-edges.txt.gz --format common-crawl --out cc2',
      shows: { '--format': file('cc2') },
    },
    { run: 'rank linked/graph/domain --by pagerank', as: 'rank', shows: { '': /^1\t/ } },
    { run: 'rank linked/graph/domain --by in', shows: { '--by': differs('rank') } },
    { run: 'rank linked/graph/domain --by pagerank --top 2', shows: { '--top': lines(2) } },
    {
      run: 'rank linked/graph/domain --by pagerank --among among.txt',
      shows: { '--among': lines(2) },
    },
    {
      run: 'rank linked/graph/domain --by pagerank --out ranks.tsv',
      shows: { '--out': file('ranks.tsv', /^1\t/) },
    },
    { run: 'rank linked/graph/domain --by pagerank --json --threads 1', shows: { '--json': json } },
    {
      run: 'rank linked/graph/domain --by tse --interval',
      shows: { '--interval': ({ out }) => assert.equal(out.split('\n')[0].split('\t').length, 5) },
    },
    { run: 'rank --list', shows: { '--list': /pagerank/ } },
    ...refused('rank linked/graph/domain --by pagerank', '--threads 0', NO_MEMORY),
    { run: 'rank compare linked/graph/domain', as: 'compare', shows: { '': /pagerank/ } },
    ...changed('rank compare linked/graph/domain', 'compare', ['--by in,pagerank', '--top 3']),
    {
      run: 'rank compare linked/graph/domain --bad bad.txt --top 5',
      shows: { '--bad': differs('compare') },
    },
    {
      run: 'rank compare linked/graph/domain --good good.txt --by trustrank,in',
      shows: { '--good': /trustrank/ },
    },
    { run: 'rank compare linked/graph/domain --json', shows: { '--json': json } },
    {
      run: 'rank compare linked/graph/domain --report compare.html',
      shows: { '--report': file('compare.html', /<html/) },
    },
    ...refused('rank compare linked/graph/domain', '--threads 0', NO_MEMORY),
    {
      run: 'rank common-crawl linked/graph/domain --out cc-ranks.txt',
      shows: { '': file('cc-ranks.txt', /graph/), '--out': file('cc-ranks.txt') },
    },
    {
      run: 'rank common-crawl linked/graph/domain --exact --out exact.txt',
      shows: { '--exact': file('exact.txt', /graph/) },
    },
    {
      run: 'rank common-crawl linked/graph/domain --out rough.txt --registers 16',
      shows: {
        '--registers': ({ stage }) =>
          assert.notEqual(stage.read('rough.txt'), stage.read('cc-ranks.txt')),
      },
    },
    ...refused('rank common-crawl linked/graph/domain --out no.txt', '--threads 0', NO_MEMORY),
    { run: 'matrix subspaces imported --share 0.5', as: 'subspaces', shows: { '': /./ } },
    ...changed('matrix subspaces imported --share 0.5', 'subspaces', [
      '--reverse',
      '--list',
      '--json',
    ]),
    { run: 'matrix subspaces imported --out sub.txt', shows: { '--out': file('sub.txt') } },
    ...refused('matrix subspaces imported --share 0.5', NO_MEMORY),
    {
      run: 'matrix spectrum linked/graph/domain --out spectrum',
      as: 'spectrum',
      shows: { '': file('spectrum/spectrum.tsv'), '--out': file('spectrum/report.html') },
    },
    {
      run: 'matrix spectrum linked/graph/domain --out spectrum2 --alpha 0.5 --values 2 --vectors 1 --tolerance 1e-6',
      shows: {
        '--alpha': file('spectrum2/spectrum.json', /"alpha": ?0\.5/),
        '--values': file('spectrum2/spectrum.json', /"asked": ?2\b/),
        '--vectors': otherSpectrum('spectrum2'),
        '--tolerance': file('spectrum2/spectrum.json', /1e-6|0\.000001/),
      },
    },
    {
      run: 'matrix spectrum imported --out unturned --dimension 3',
      shows: {},
      onlySoak: true,
    },
    ...spectra('--reverse', '--share 0.5', '--seed 7'),
    ...refused('matrix spectrum linked/graph/domain --out no', '--threads 0', NO_MEMORY),
    { run: 'matrix plane linked/graph/domain', as: 'plane', shows: { '': /./ } },
    ...changed('matrix plane linked/graph/domain', 'plane', ['--alpha 0.3', '--json']),
    {
      run: 'matrix plane linked/graph/domain --report plane.html',
      shows: { '--report': file('plane.html') },
    },
    ...refused('matrix plane linked/graph/domain', '--threads 0', NO_MEMORY),
    {
      run: 'matrix reduce linked/graph/domain --nodes good.txt',
      as: 'reduce',
      shows: { '': /./, '--nodes': /./ },
    },
    ...changed('matrix reduce linked/graph/domain --nodes good.txt', 'reduce', [
      '--alpha 0.3',
      '--reverse',
      '--json',
    ]),
    {
      run: 'matrix reduce linked/graph/domain --nodes good.txt --out reduced.tsv',
      shows: { '--out': file('reduced.tsv', /g0-graph/) },
    },
    ...refused('matrix reduce linked/graph/domain --nodes good.txt', '--threads 0', NO_MEMORY),
    { run: 'graph import edges2.txt --out imported2', shows: {} },
    { run: 'matrix subspaces imported --share 0.1', shows: { '--share': differs('subspaces') } },
    {
      run: 'matrix spectrum linked/graph/domain --out spectrum3 --dimension 6',
      shows: { '--dimension': file('spectrum3/spectrum.json', /6/) },
    },
    { run: 'matrix evolve one=imported two=imported2', as: 'evolve', shows: { '': /one/ } },
    ...changed('matrix evolve one=imported two=imported2', 'evolve', [
      '--among letters.txt',
      '--categories letter-kinds.txt',
      '--against letters.txt',
      '--top 2',
      '--alpha 0.3',
      '--json',
      '--drop-redirects',
    ]),
    {
      run: 'matrix evolve one=imported two=imported2 --report evolve.html',
      shows: { '--report': file('evolve.html') },
    },
    ...refused('matrix evolve one=imported two=imported2', '--threads 0', NO_MEMORY),
  ],
};

/** Sites of two kinds: long texts, and the same words again and again. */
export const SPAM: Chapter = {
  name: 'spam',
  prepare: (stage) => {
    const names = Array.from({ length: 24 }, (_, i) => `s${i}-site.test`);
    const urls = names.map((name) => `${stage.origin(name)}/`);
    const isSpam = (i: number) => i % 2 === 1;
    for (const [i, name] of names.entries()) {
      const text = (seed: number) =>
        isSpam(i) ? `${'cheap pills buy '.repeat(40 + i)}` : words(200, seed);
      stage.site(name, {
        '/': page(text(i + 2), '/1', '/2', urls[(i + 1) % 24], urls[(i + 2) % 24]),
        '/1': page(text(i + 90), '/'),
        '/2': page(text(i + 190), '/'),
      });
    }
    const labels = names.map((name, i) => `${name}\t${isSpam(i) ? 'spam' : 'ham'}`);
    stage.write('labels.tsv', `${labels.join('\n')}\n`);
    stage.write('more.tsv', `${labels.join('\n')}\nunknown.test\tspam\n`);
    stage.write('few.tsv', `${labels.slice(0, 6).join('\n')}\n`);
    stage.write('queries.txt', 'cheap pills\nbuy\n');
    stage.write('groups.tsv', names.map((name, i) => `${name}\tg${i}\n`).join(''));
    stage.write('trusted.txt', `${names[0]}\n`);
    return { seed: urls[0], dns: stage.dns };
  },
  steps: [
    {
      run: 'crawl $seed --dns $dns --allow-private --private-delay 0 --dir sites --quiet',
      shows: {},
    },
    {
      run: 'spam features sites --out f.csv',
      shows: { '': file('f.csv', /s3-site/), '--out': file('f.csv') },
    },
    {
      run: 'spam features sites --out h.csv --level host --sets names --queries queries.txt --pages 1 --groups groups.tsv',
      shows: {
        '--level': file('h.csv', /site\.test/),
        '--sets': ({ stage }) => assert.doesNotMatch(stage.read('h.csv'), /content:/),
        '--groups': ({ stage }) => assert.notEqual(stage.read('h.csv'), stage.read('f.csv')),
      },
    },
    {
      run: 'spam features sites --out q.csv --queries queries.txt',
      shows: {
        '--queries': ({ stage }) => assert.notEqual(stage.read('q.csv'), stage.read('f.csv')),
      },
    },
    {
      run: 'spam features sites --out p.csv --pages 1',
      shows: {
        '--pages': ({ stage }) => assert.notEqual(stage.read('p.csv'), stage.read('f.csv')),
      },
    },
    {
      run: 'spam features sites --out t.csv --sets links --trusted trusted.txt',
      shows: { '--trusted': file('t.csv', /trust/) },
    },
    ...refused('spam features sites --out no.csv --sets links', NO_MEMORY),
    {
      run: 'spam train f.csv --labels labels.tsv --out model.json --learners logistic-1 --skip-constant',
      shows: {
        '': file('model.json', /logistic-1/),
        '--labels': /24|12/,
        '--out': file('model.json'),
        '--learners': file('model.json', /logistic-1/),
        '--skip-constant': file('model.json'),
      },
    },
    {
      run: 'spam train f.csv --labels more.tsv --out m2.json --learners boost-8,logistic-1 --skip-constant --skip-unknown --seed 7',
      shows: { '--skip-unknown': file('m2.json'), '--seed': file('m2.json', /"seed": ?7/) },
    },
    {
      run: 'spam train f.csv --labels labels.tsv --out m3.json --fast --skip-constant',
      shows: { '--fast': file('m3.json') },
    },
    {
      run: 'spam features sites --out again.csv --model model.json',
      shows: { '--model': file('again.csv', /s3-site/) },
    },
    {
      run: 'spam test model.json f.csv --labels labels.tsv',
      as: 'test',
      shows: { '': /AUC/, '--labels': /AUC/ },
    },
    {
      run: 'spam test model.json f.csv --labels more.tsv --skip-unknown',
      shows: { '--skip-unknown': /AUC/ },
    },
    { run: 'spam test model.json f.csv --labels labels.tsv --json', shows: { '--json': json } },
    {
      run: 'spam test model.json f.csv --labels labels.tsv --report t.html',
      shows: { '--report': file('t.html') },
    },
    {
      run: 'spam explain model.json f.csv s3-site.test',
      as: 'explain',
      shows: { '': /content:|names:/ },
    },
    {
      run: 'spam explain model.json f.csv s3-site.test --top 1',
      shows: { '--top': differs('explain') },
    },
    { run: 'spam explain model.json f.csv s3-site.test --json', shows: { '--json': json } },
    {
      run: 'spam explain model.json sites s3-site.test --memory lots',
      code: 2,
      shows: { '--memory': /is not a size/ },
    },
    {
      run: 'spam ask model.json f.csv --count 3',
      shows: { '': /site\.test/, '--count': lines(3) },
    },
    {
      run: 'spam ask model.json f.csv --labels few.tsv',
      shows: { '--labels': ({ out }) => assert.doesNotMatch(out, /^s1-site/m) },
    },
    { run: 'spam score model.json f.csv --top 5', shows: { '': /site\.test/, '--top': lines(5) } },
  ],
};
