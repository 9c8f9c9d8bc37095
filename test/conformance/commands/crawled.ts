/** The commands that look at a crawl and steer it. */
import assert from 'node:assert/strict';
import { get } from 'node:http';
import { linking } from '../../crawl/small-site.ts';
import { AUTHORITY } from '../../fetch/certificates.ts';
import { answer, page, words } from '../crawls/pages.ts';
import { type Chapter, type Check, differs, file, json, lines, refused } from './step.ts';

/** The text that a page of a server of the program has. */
export const fetchText = (url: string): Promise<string> =>
  new Promise((resolve, reject) => {
    get(url, (answered) => {
      let text = '';
      answered.setEncoding('utf8').on('data', (part) => (text += part));
      answered.on('end', () => resolve(text));
    }).on('error', reject);
  });

/** The first URL in a text. */
const urlIn = (text: string): string => /http:\/\/[^\s"']+/.exec(text)?.[0] ?? '';

/** A server of the program answers at the URL that it prints. */
export const answers = async (printed: string): Promise<void> => {
  assert.notEqual(await fetchText(urlIn(printed)), '');
};

/** A WARC file that ends in the middle of a record. */
const cutWarc: (record: string) => string = (record) => record.slice(0, -20);

const settingsOf: Check = ({ out }) => assert.match(out, /max-pages: 77/);

export const CRAWLED: Chapter = {
  name: 'a crawl',
  prepare: async (stage) => {
    const origin = stage.site('kept.test', {
      '/robots.txt': answer(
        'text/plain',
        'User-agent: *\nDisallow: /no\n\nUser-agent: x\nDisallow: /',
      ),
      '/': linking('/a', '/b', '/no', '/gone', '/zipped'),
      '/a': page(`Apples ${words(80)}`, '/b'),
      '/b': page(`Berries ${words(80, 2)}`, '/a'),
    });
    stage.write('drumlin-own.yaml', 'max-pages: 77\n');
    stage.write('own.mjs', 'export const IsOwn = ({ url }) => url.endsWith("/own");');
    stage.write('robots.txt', 'User-agent: *\nDisallow: /no\n\nUser-agent: x\nDisallow: /\n');
    const record =
      'WARC/1.1\r\nWARC-Type: warcinfo\r\nWARC-Date: 2026-01-01T00:00:00Z\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000000>\r\nContent-Length: 4\r\n\r\nabcd\r\n\r\n';
    stage.write('cut.warc', record + cutWarc(record));
    stage.write('cut2.warc', record + cutWarc(record));
    stage.write('ca.pem', AUTHORITY);
    const tls = stage.site('lab.test', { '/robots.txt': answer('text/plain', '') }, 2);
    const two = ['a', 'b'].map((name) => `${stage.site(`${name}-two.test`, { '/': name })}/`);
    return {
      origin,
      port: String(await stage.freePort()),
      port2: String(await stage.freePort()),
      dns: stage.dns,
      tls,
      two0: two[0],
      two1: two[1],
    };
  },
  steps: [
    { run: 'config --config drumlin-own.yaml', shows: { '': /max-pages +77/, '--config': /77/ } },
    { run: 'config --json --config drumlin-own.yaml', shows: { '--json': json } },
    { run: 'config --yaml --config drumlin-own.yaml', shows: { '--yaml': settingsOf } },
    {
      run: 'crawl $origin/ --dns $dns --allow-private --private-delay 0 --dir kept --json',
      shows: { '': file('kept/crawl.json'), '--json': json },
    },
    {
      run: 'crawl $origin/ --dns $dns --allow-private --private-delay 0 --dir quiet --quiet --config drumlin-own.yaml',
      shows: {
        '--quiet': ({ out, err }) => assert.equal(out + err, ''),
        '--config': file('quiet/crawl.json', /"maxPages": 77/),
      },
    },
    {
      run: 'crawl $origin/ --dns $dns --allow-private --private-delay 0 --dir shown --console $port2 --console-host 127.0.0.1 --console-token a-token-of-our-own-for-this-test',
      shows: {
        '--console': ({ err, out, places }) =>
          assert.match(out + err, new RegExp(`http://127\\.0\\.0\\.1:${places.port2}/`)),
        '--console-host': /127\.0\.0\.1/,
        '--console-token': /a-token-of-our-own/,
      },
    },
    {
      run: 'crawl --resume --dir kept',
      shows: { '--resume': /resuming from the checkpoint/ },
    },
    {
      run: 'crawl $origin/ --fresh --dns $dns --allow-private --private-delay 0 --dir kept',
      code: 5,
      shows: { '--fresh': /crawl/ },
    },
    {
      run: 'crawl --recrawl --dir quiet --json',
      shows: { '--recrawl': file('quiet/log.jsonl', /crawl-begun-anew/) },
    },
    { run: 'status kept', as: 'status', shows: { '': /finished|ended/ } },
    { run: 'status kept --json', shows: { '--json': json } },
    { run: 'status kept --watch', shows: { '--watch': /finished|ended/ } },
    {
      run: 'report kept --out today.html',
      shows: { '': file('today.html', /<html/), '--out': file('today.html') },
    },
    { run: 'set kept max-pages=50', shows: { '': file('kept/tuning.json', /50/) } },
    { run: 'filter list', as: 'predicates', shows: { '': /HostIs/ } },
    { run: 'filter list --json', shows: { '--json': json } },
    { run: 'filter list --predicates own.mjs', shows: { '--predicates': /IsOwn/ } },
    {
      run: "filter test 'Depth > 2' http://a.test/ --depth 3",
      shows: { '': /accept/, '--depth': /accept/ },
    },
    {
      run: 'filter test IsOwn http://a.test/own --predicates own.mjs',
      shows: { '--predicates': /accept/ },
    },
    { run: "filter test 'PathDepth < 4' http://a.test/ --json", shows: { '--json': json } },
    {
      run: "filter test 'Status == 200' http://a.test/ --stage schedule",
      code: 2,
      shows: { '--stage': /Status/ },
    },
    {
      run: "filter set kept fetch 'not PathStartsWith(/z)'",
      shows: { '': file('kept/filters.txt', /\/z/) },
    },
    { run: 'filter show kept', shows: { '': /fetch.*\/z/s } },
    { run: 'robots robots.txt /no /yes', code: 7, shows: { '': /deny +\/no/ } },
    { run: 'robots robots.txt /yes --agent x', code: 7, shows: { '--agent': /deny +\/yes/ } },
    { run: 'robots robots.txt /yes --json', shows: { '--json': json } },
    {
      run: 'robots $origin /yes --allow-private --dns $dns',
      shows: { '--allow-private': /allow +\/yes/, '--dns': /allow/ },
    },
    {
      run: 'robots $origin /yes --contact me@example.org --dns $dns --allow-private',
      shows: {
        '--contact': ({ stage }) =>
          assert.match(String(stage.asked.at(-1)?.headers['user-agent']), /me@example/),
      },
    },
    {
      run: 'robots $tls /yes --allow-private --dns $dns --insecure',
      shows: { '--insecure': /allow/ },
    },
    { run: 'robots $tls /yes --allow-private --dns $dns --ca ca.pem', shows: { '--ca': /allow/ } },
    { run: 'domains kept', shows: { '': /kept\.test/ } },
    {
      run: 'crawl $two0 $two1 --dns $dns --allow-private --private-delay 0 --dir two --quiet',
      shows: {},
    },
    { run: 'domains two --sort domain', shows: { '--sort': /a-two(?:.|\n)*b-two/ } },
    { run: 'domains two --top 1 --json', shows: { '--top': lines(1), '--json': json } },
    {
      run: 'domains set kept.test --dir kept --budget 5',
      shows: {
        '': file('kept/domains.tsv', /kept\.test/),
        '--dir': /kept/,
        '--budget': file('kept/domains.tsv', /5/),
      },
    },
    {
      run: 'domains set kept.test --dir kept --block',
      shows: { '--block': file('kept/domains.tsv', /block/) },
    },
    {
      run: 'domains set kept.test --dir kept --trust',
      shows: { '--trust': file('kept/domains.tsv', /trust/) },
    },
    {
      run: 'domains set kept.test --dir kept --clear',
      shows: {
        '--clear': ({ stage }) => assert.doesNotMatch(stage.read('kept/domains.tsv'), /trust/),
      },
    },
    {
      run: 'console kept --port $port --host 127.0.0.1 --token a-token-of-our-own-for-this-test',
      once: answers,
      shows: {
        '': /http:/,
        '--port': /:\d+/,
        '--host': /127\.0\.0\.1/,
        '--token': /a-token-of-our-own/,
      },
      code: 0,
    },
    { run: 'archive list kept', as: 'list', shows: { '': /kept\.test[^ ]*\/a/ } },
    { run: 'archive list kept --prefix $origin/a', shows: { '--prefix': lines(1) } },
    { run: 'archive list kept --status 404', shows: { '--status': /gone/ } },
    { run: 'archive list kept --limit 2', shows: { '--limit': lines(2) } },
    {
      run: 'archive list kept --from 2001 --to 2002',
      code: 8,
      shows: { '--to': /no capture|nothing/i },
    },
    { run: 'archive list kept --from 2099', code: 8, shows: { '--from': /no capture|nothing/i } },
    { run: 'archive list kept --skipped', shows: { '--skipped': /robots.*\/no/ } },
    { run: 'archive list kept --skipped --reason robots', shows: { '--reason': lines(1) } },
    { run: 'archive list kept --json', shows: { '--json': json } },
    { run: 'archive get kept $origin/a', as: 'get', shows: { '': /Apples/ } },
    { run: 'archive get kept $origin/a --headers', shows: { '--headers': /^HTTP\/1\.1 200/ } },
    {
      run: 'archive get kept $origin/zipped --raw',
      shows: { '--raw': ({ out }) => assert.doesNotMatch(out, /unzipped/) },
    },
    { run: 'archive get kept $origin/a --at 2001', shows: { '--at': /Apples/ } },
    {
      run: 'archive check kept',
      as: 'check',
      shows: { '': /sound|no problems|0 problems|complete/i },
    },
    { run: 'archive check kept --json', shows: { '--json': json } },
    {
      run: 'archive repair cut.warc --out whole.warc',
      shows: { '': file('whole.warc', /warcinfo/), '--out': file('whole.warc') },
    },
    { run: 'archive repair cut2.warc --in-place', shows: { '--in-place': file('cut2.warc.bak') } },
    {
      run: 'archive wacz kept --out kept.wacz --title Title7 --description About7 --main $origin/a',
      shows: {
        '': file('kept.wacz'),
        '--out': file('kept.wacz'),
        '--title': file('kept.wacz', /Title7/),
        '--description': file('kept.wacz', /About7/),
        '--main': file('kept.wacz', /"mainPageURL":\s*"[^"]*\/a"/i),
      },
    },
    {
      run: 'archive import kept/archive --dir imported --copy',
      shows: {
        '': file('imported/archive'),
        '--dir': file('imported'),
        '--copy': file('imported/archive'),
      },
    },
    { run: 'archive index kept', shows: { '': /index|captures|lines/ } },
    { run: 'repair kept', shows: { '': /sound|nothing|no damage|whole/i } },
    { run: 'repair kept --check', shows: { '--check': /sound|nothing|no damage|whole/i } },
    { run: 'repair kept --json', shows: { '--json': json } },
    { run: 'unique', input: 'one\ntwo\none\n', shows: { '': /^one\ntwo\n$/ } },
    {
      run: 'unique --dir seen --count',
      input: 'one\none\n',
      shows: { '--count': /^1\n/, '--dir': file('seen') },
    },
    { run: 'unique --sieve mercator', input: 'z\na\nz\n', shows: { '--sieve': /^z\na\n$/ } },
    ...refused('unique', '--memory lots', '--disk lots'),
    { run: 'completion bash', shows: { '': /_drumlin\(\)/ } },
    {
      code: 'any', // it says what is not ready on this machine
      run: 'doctor --agents 1 --dns $dns --url $origin/a --json',
      shows: {
        '': /"check":"node"/,
        '--agents': json,
        '--dns': /./,
        '--url': /"check":"web"/,
        '--json': json,
      },
    },
    {
      run: 'demo --dir demo --max-time 5s --json',
      shows: {
        '': file('demo/crawl.json'),
        '--dir': file('demo'),
        '--max-time': file('demo/crawl.json', /5000/),
        '--json': json,
      },
    },
    {
      run: 'demo --dir demo2 --max-time 5s --quiet',
      shows: { '--quiet': ({ out, err }) => assert.equal(out + err, '') },
    },
    { run: 'plan', as: 'plan', shows: { '': /DRUM/ } },
    ...[
      '--pages 1G',
      '--links 20',
      '--memory 2G',
      '--disk 1T',
      '--bandwidth 50M',
      '--url-bytes 50',
    ].map(planned),
    ...[
      '--new-share 0.5',
      '--seen 1M',
      '--domains 1M',
      '--budget 99',
      '--new-links 3',
      '--rate 10',
    ].map(planned),
    { run: 'plan --json', shows: { '--json': json } },
  ],
};

/** A flag of the plan that changes what is printed. */
function planned(flag: string) {
  return { run: `plan ${flag}`, shows: { [flag.split(' ')[0]]: differs('plan') } };
}
