/** One crawl that shows what the settings of rendering do, in the browser of the npm package. */
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { Disk } from '../../../src/disk/disk.ts';
import { packagedBrowser } from '../../../src/render/find-browser.ts';
import type { Handler, Pages } from '../../crawl/small-site.ts';
import { all, fetched, left } from './checks.ts';
import { answer } from './pages.ts';
import type { CrawlRow } from './row.ts';

/** A page whose only link is written by a script. */
const shell = (script: string): string =>
  `<!doctype html><title>shell</title><body><div id=root></div>
   <script>const show = (to) => root.innerHTML += '<a href="' + to + '">x</a>';${script}</script>`;

let started = () => '';

const render: CrawlRow = {
  name: 'rendering',
  prepare: async (stage) => {
    const browser = await packagedBrowser(new Disk());
    assert.ok(browser, 'The package with the browser is not installed.');
    // The program of the package needs its environment, too.
    const set = Object.entries(browser.env).filter(([name]) => /^(LD|FONT)/.test(name));
    const lines = set.map(([name, value]) => `export ${name}='${value}'`);
    lines.push(`echo "$@" >> '${stage.path('started.txt')}'`);
    started = () => stage.read('started.txt');
    stage.write(
      'browser.sh',
      `#!/bin/sh\n${lines.join('\n')}\nexec '${browser.path}' "$@"\n`,
      0o755,
    );
    const own = stage.site('rendering.test', {
      '/robots.txt': answer('text/plain', 'User-agent: *\nDisallow: /data/'),
      '/': shell(
        `show('/shown'); show('/loops'); show('/fills'); show('/plain'); show('/polite');
         show('/' + (localStorage.getItem('login') ?? 'stranger'));
         fetch('/data/list').then((r) => r.text()).then(show);`,
      ),
      '/data/list': answer('text/plain', '/from-data'),
      '/plain': shell(`show('/not-rendered')`),
      '/shown': shell(''),
      '/loops': shell(`show('/before'); for (;;);`),
      '/fills': shell(`const all = []; for (;;) all.push(new Uint8Array(3e7).fill(1))`),
      '/polite': shell(`for (const i of [1, 2, 3]) fetch('/asked' + i)`),
    });
    const state = {
      cookies: [],
      origins: [{ origin: own, localStorage: [{ name: 'login', value: 'friend' }] }],
    };
    stage.write('state.json', JSON.stringify(state));
    return [
      ...[`${own}/`, '--render', 'always', '--render-filter', 'not PathStartsWith(/plain)'],
      ...['--browser', 'browser.sh', '--browser-flags', 'no-sandbox,no-zygote'],
      ...['--render-time', '5s', '--render-memory', '400Mi'],
      ...['--render-delay', '150ms', '--private-delay', '150ms', '--render-robots', 'follow'],
      ...['--screenshot', '--storage-state', 'state.json'],
    ];
  },
  shows: {
    '--render': fetched('/shown'),
    '--render-filter': all(fetched('/plain'), left('/not-rendered')),
    '--browser': (c) => assert.ok((c.summary.render?.pages ?? 0) > 0),
    '--browser-flags': () => assert.match(started(), /(?=.*--no-sandbox)(?=.*--no-zygote)/),
    '--render-time': (c) => assert.ok((c.summary.render?.cut ?? 0) > 0),
    '--render-memory': (c) => assert.ok((c.summary.render?.['render-memory'] ?? 0) > 0),
    '--render-delay': (c) => {
      const [first, second] = c.began().filter(({ path }) => path.startsWith('/asked'));
      const gap = second.time - first.time;
      assert.ok(gap >= 149, `${gap} ms between two requests`);
    },
    '--render-robots': all(fetched('/data/list'), fetched('/from-data')),
    '--screenshot': (c) => assert.match(c.archive, /Target-URI: urn:view:http:\/\/rendering/),
    '--storage-state': fetched('/friend'),
  },
};

/** Two pages that get an answer when both are shown. */
const meeting: CrawlRow = {
  name: 'meeting',
  prepare: (stage) => {
    const waiting: ServerResponse[] = [];
    const meet: Handler = (_, response) => {
      waiting.push(response);
      if (waiting.length === 2) for (const one of waiting) one.end('/met');
    };
    const pages: Pages = {
      '/robots.txt': answer('text/plain', ''),
      '/': shell(`fetch('/meet').then((r) => r.text()).then(show);`),
      '/meet': meet,
      '/met': '<p>met</p>',
    };
    return [
      ...['a', 'b'].map((name, at) => `${stage.site(`${name}-meeting.test`, pages, at)}/`),
      ...['--render', 'auto', '--browsers', '2', '--render-time', '60s'],
      ...['--browser-flags', 'no-sandbox,no-zygote'],
    ];
  },
  shows: {
    '--browsers': all(fetched('/met', 'a-meeting.test'), fetched('/met', 'b-meeting.test')),
  },
};

export const RENDERING_ROWS: readonly CrawlRow[] = [render, meeting];
