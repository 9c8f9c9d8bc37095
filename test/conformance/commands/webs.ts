/** The commands of the synthetic web. */
import assert from 'node:assert/strict';
import { Resolver } from 'node:dns/promises';
import { get } from 'node:http';
import type { Stage } from '../stage.ts';
import { fetchText } from './crawled.ts';
import { type Chapter, type Check, changed, differs, file, json } from './step.ts';

const TRUTH = 'web truth --domains 20 --pages 4';
const PAGES = `${TRUTH} --level page --scenario mixed`;

/** What a web prints with `--json`. */
interface Printed {
  readonly http: number;
  readonly dns: string;
  readonly control: number;
  readonly seeds: readonly string[];
}

/** Writes what a running web says about itself. */
async function status(printed: string, stage: Stage): Promise<void> {
  const { control } = JSON.parse(printed) as Printed;
  stage.write('status.json', await fetchText(`http://127.0.0.1:${control}/status.json`));
}

const says = (text: RegExp): Check => file('status.json', text);

/** Asks a running web for its first page. */
async function request(printed: string): Promise<void> {
  const { http, seeds } = JSON.parse(printed) as Printed;
  const headers = { host: new URL(seeds[0]).host };
  await new Promise<void>((done, fail) => {
    get({ port: http, host: '127.0.0.1', headers }, (answer) => {
      answer.resume().on('end', done);
    }).on('error', fail);
  });
}

/** Writes the addresses of the hosts that a running web begins with. */
async function addresses(printed: string, stage: Stage): Promise<void> {
  const { dns, seeds } = JSON.parse(printed) as Printed;
  const resolver = new Resolver();
  resolver.setServers([dns]);
  const hosts = [...new Set(seeds.map((seed) => new URL(seed).hostname))];
  const found = await Promise.all(hosts.map((host) => resolver.resolve4(host)));
  stage.write('addresses.txt', [...new Set(found.flat())].join('\n'));
}

const addressCount =
  (least: number, most: number): Check =>
  ({ stage }) => {
    const count = stage.read('addresses.txt').split('\n').length;
    assert.ok(least <= count && count <= most, `${count} addresses`);
  };

/** Crawls a running web to its end. */
async function crawl(printed: string, stage: Stage): Promise<void> {
  const { seeds, dns } = JSON.parse(printed) as Printed;
  const local = ['--dns', dns, '--allow-private', '--private-delay', '0', '--address-delay', '0'];
  const words = ['crawl', ...seeds, ...local, '--dir', 'whole', '--json'];
  stage.write('crawled.json', (await stage.run(words)).out);
}

export const WEBS: Chapter = {
  name: 'webs',
  prepare: async (stage) => {
    const names = ['port', 'https', 'dns', 'control'];
    const ports = await Promise.all(names.map(() => stage.freePort()));
    return Object.fromEntries(names.map((name, i) => [name, String(ports[i])]));
  },
  steps: [
    {
      run: 'web --scenario clean --domains 10 --port $port --json',
      once: request,
      shows: {
        '': /"http":/,
        '--port': ({ out, places }) => assert.equal(JSON.parse(out).http, Number(places.port)),
        '--json': json,
      },
    },
    {
      run: 'web --scenario mixed --seed 7 --domains 30 --step 20 --mix farm=50% --https-port $https --dns-port $dns --control-port $control --ca-file lab-ca.pem --json',
      once: status,
      shows: {
        '--scenario': says(/"scenario":"mixed"/),
        '--seed': says(/"seed":7\b/),
        '--domains': says(/"domains":\d\d\b/),
        '--step': says(/"step":20\b/),
        '--mix': says(/"farm":(?:1[0-9]|2[0-9])\b/),
        '--https-port': ({ out, places }) =>
          assert.equal(JSON.parse(out).https, Number(places.https)),
        '--dns-port': ({ out, places }) =>
          assert.equal(JSON.parse(out).dns, `127.0.0.1:${places.dns}`),
        '--control-port': ({ out, places }) =>
          assert.equal(JSON.parse(out).control, Number(places.control)),
        '--ca-file': file('lab-ca.pem', /BEGIN CERTIFICATE/),
      },
    },
    {
      run: 'web --domains 10 --log requests.jsonl --json',
      once: request,
      shows: { '--log': file('requests.jsonl', /"status":200/) },
    },
    {
      run: 'web --domains 10 --real-suffixes --json',
      once: async () => {},
      shows: {
        '--real-suffixes': ({ out }) => assert.doesNotMatch(out, /\.test[:/]/),
      },
    },
    {
      run: 'web --scenario site --pages 7 --json',
      once: crawl,
      shows: { '--pages': file('crawled.json', /"pages": ?7\b/) },
    },
    {
      // Slow servers send a part each fortieth of an hour if the flag has no effect.
      run: 'web --scenario site --pages 5 --mix drip=100% --patience 1ms --json',
      once: crawl,
      shows: { '--patience': file('crawled.json', /"pages": ?5\b/) },
    },
    {
      run: 'web --domains 100 --one-address --json',
      once: addresses,
      shows: { '--one-address': addressCount(1, 1) },
    },
    {
      run: 'web --domains 100 --addresses 3 --json',
      once: addresses,
      shows: { '--addresses': addressCount(2, 3) },
    },
    { run: TRUTH, as: 'truth', shows: { '': /\.test/ } },
    ...changed(TRUTH, 'truth', [
      '--seed 7',
      '--scenario spam',
      '--mix farm=50%',
      '--step 20',
      '--real-suffixes',
      '--level page',
      '--json',
    ]),
    { run: 'web truth --domains 3', shows: { '--domains': differs('truth') } },
    { run: 'web truth --domains 20 --pages 9', shows: { '--pages': differs('truth') } },
    {
      run: 'web truth --domains 200 --stories queries --step 2',
      shows: { '--stories': /^\S+\t\w+ \w+\t2026-/m },
    },
    {
      run: `${PAGES} --port 99 --https-port 98`,
      first: (stage) => stage.write('urls.txt', 'http://www.pelipata.test:8080/\n'),
      shows: { '--port': /^http:[^\t]*:99\//m, '--https-port': /^https:[^\t]*:98\//m },
    },
    {
      run: `${PAGES} --urls urls.txt`,
      shows: { '--urls': ({ out }) => assert.equal(out.trimEnd().split('\n').length, 2) },
    },
    { run: 'web queries', as: 'queries', shows: { '': /./ } },
    { run: 'web queries --json', shows: { '--json': json } },
  ],
};
