/** One browser, many pages: nothing but our answers reaches it, and nothing of it gets out. */
import { createServer, type Server } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { Disk } from '../../src/disk/disk.ts';
import { BrowserPool, shareRenderSlots } from '../../src/render/browser-pool.ts';
import { findBrowser } from '../../src/render/find-browser.ts';
import type { PageRequest, PageResponse } from '../../src/render/interception.ts';
import type { RenderedPage } from '../../src/render/render-page.ts';
import { parseStorageState } from '../../src/render/storage-state.ts';

let pool: BrowserPool;
let open: Server;
let connections = 0;

beforeAll(async () => {
  const disk = new Disk();
  pool = new BrowserPool({
    ...{
      program: () => findBrowser(disk, ''),
      disk,
      clock: systemClock,
      userAgent: 'drumlin-test',
    },
    ...{ flags: ['no-sandbox', 'no-zygote'], scriptMemory: 256 * 2 ** 20 },
    slots: shareRenderSlots(1),
  });
  open = createServer(() => connections++);
  await new Promise<void>((listening) => open.listen(0, '127.0.0.1', listening));
});
afterAll(async () => {
  await pool.close();
  open.close();
});

const LIMITS = { memory: 2 ** 30, html: 2 ** 20, links: 50, requests: 20, bytes: 2 ** 20 };
const text = (body: string, type = 'text/html'): PageResponse => ({
  ...{ status: 200, headers: [['Content-Type', type]], body: Buffer.from(body) },
});

function show(
  html: string,
  answers: Readonly<Record<string, PageResponse>> = {},
  { time = 8000, state = undefined as ReturnType<typeof parseStorageState> | undefined } = {},
): Promise<RenderedPage & { asked: string[] }> {
  const asked: string[] = [];
  const answer = async ({ url, method }: PageRequest) => {
    asked.push(`${method} ${url}`);
    return answers[url.replace('http://site.test', '')];
  };
  const page = { url: 'http://site.test/page', response: text(html), answer, state };
  return pool
    .render({ ...page, screenshot: false }, { ...LIMITS, time })
    .then((rendered) => ({ ...rendered, asked }));
}
const paths = ({ links }: RenderedPage) => links.map((link) => new URL(link).pathname).sort();

test('frames, workers and redirects ask us, and only us', async () => {
  const page = await show(
    `<iframe src="http://other.test/frame"></iframe><script>
      new Worker('/worker.js').onmessage = ({ data }) => document.body.insertAdjacentHTML('beforeend', data);
      fetch('/moved').then((r) => r.text()).then((html) => document.body.insertAdjacentHTML('beforeend', html));
    </script>`,
    {
      'http://other.test/frame': text('<script>fetch("/in-frame")</script>'),
      '/worker.js': text(
        `fetch('/data').then((r) => r.text()).then(postMessage)`,
        'text/javascript',
      ),
      '/data': text('<a href=/by-worker>x</a>'),
      '/moved': { status: 302, headers: [['Location', '/here']], body: Buffer.alloc(0) },
      '/here': text('<a href=/by-redirect>x</a>'),
    },
  );
  expect(paths(page)).toEqual(['/by-redirect', '/by-worker']);
  expect(page.asked.sort()).toEqual([
    ...['GET http://other.test/frame', 'GET http://other.test/in-frame'],
    ...['data', 'here', 'moved', 'worker.js'].map((path) => `GET http://site.test/${path}`),
  ]);
});

test('no way out: addresses, sockets, files, posts, beacons, services, downloads', async () => {
  const { port } = open.address() as { port: number };
  const page = await show(`<p id=p></p><script>
    const got = (what) => () => p.insertAdjacentHTML('afterend', '<a href="/' + what + '">x</a>');
    fetch('http://127.0.0.1:${port}/').then(got('fetch'), () => {});
    fetch('file:///etc/passwd').then(got('file'), () => {});
    fetch('/post', { method: 'POST', body: 'x' }).then(got('post'), () => {});
    new Image().src = 'http://127.0.0.1:${port}/image';
    navigator.sendBeacon('http://127.0.0.1:${port}/beacon');
    for (const name of ['WebSocket', 'WebTransport', 'RTCPeerConnection', 'EventSource'])
      if (name in globalThis) got(name)();
    for (const name of ['serviceWorker', 'geolocation', 'clipboard', 'mediaDevices'])
      if (navigator[name]) got(name)();
    const link = document.createElement('a');
    link.href = 'data:application/octet-stream,x'; link.download = 'x'; link.click();
    document.head.insertAdjacentHTML('beforeend', '<link rel=preconnect href="http://127.0.0.1:${port}/"><link rel=dns-prefetch href="//nowhere.test">');
  </script>`);
  expect(paths(page)).toEqual([]);
  expect(connections).toBe(0);
  expect(page.asked.filter((line) => !line.includes(`:${port}/`))).toEqual([]);
});

test('dialogs are dismissed, popups and other pages are links', async () => {
  const page = await show(`<a href=/first>x</a><script>
    alert(1); confirm(2); prompt(3); onbeforeunload = () => 'stay';
    open('/popup'); setTimeout(() => { location.href = '/elsewhere' }, 20);
  </script>`);
  expect(paths(page)).toEqual(['/elsewhere', '/first', '/popup']);
});

test('buttons are clicked, routes are taken, the page is scrolled, shadows are read', async () => {
  const page =
    await show(`<button onclick="this.outerHTML = '<a href=/by-button>x</a>'">more</button>
    <a href="#/route">r</a><div id=end style="height:5000px"></div><span id=host></span><script>
    onhashchange = () => document.body.innerHTML = '<a href=/by-route>x</a>';
    onscroll = () => end.insertAdjacentHTML('afterend', '<a href=/by-scroll>x</a>');
    host.attachShadow({ mode: 'open' }).innerHTML = '<a href=/in-shadow>x</a>';
  </script>`);
  expect(paths(page)).toEqual(['/by-button', '/by-route', '/by-scroll', '/in-shadow', '/page']);
  expect(page.html.toString()).toContain('/in-shadow');
});

test('a page that computes without end is cut, and gives what it had', async () => {
  const page = await show(
    '<a href=/had>x</a><script>setTimeout(() => { for (;;); })</script>',
    {},
    { time: 700 },
  );
  expect(page.isCut).toBe(true);
  expect(paths(page)).toEqual(['/had']);
});

test('scripts have a language', async () => {
  const page = await show(
    `<p id=p></p><script>new Intl.Locale(navigator.language); p.innerHTML = '<a href="/' + navigator.language + '">x</a>'</script>`,
  );
  expect(paths(page)).toEqual(['/en-US']);
});

test('requests beyond the limit are refused', async () => {
  const page = await show(
    '<script>for (let i = 0; i < 60; i++) fetch("/" + i).catch(() => {})</script>',
  );
  expect(page.asked).toHaveLength(LIMITS.requests);
  expect(page.traffic.refused).toBe(60);
});

test('a login is there before the first script', async () => {
  const cookie = { name: 'id', value: '7', domain: 'site.test', path: '/' };
  const origin = { origin: 'http://site.test', localStorage: [{ name: 'who', value: 'me' }] };
  const saved = JSON.stringify({ cookies: [cookie], origins: [origin] });
  const state = parseStorageState(saved, 'login.json');
  const html =
    '<p id=p></p><script>p.innerHTML = "<a href=/" + document.cookie + "/" + localStorage.who + ">x</a>"</script>';
  const answer = async () => undefined;
  const url = 'http://site.test/';
  // A fresh context: that of the host before has no login.
  await pool.render(
    { url: 'http://b.test/', response: text(''), answer, state: undefined, screenshot: false },
    { ...LIMITS, time: 4000 },
  );
  const page = await pool.render(
    { url, response: text(html), answer, state, screenshot: false },
    { ...LIMITS, time: 4000 },
  );
  expect(paths(page)).toEqual(['/id=7/me']);
  expect(pool.started).toBeLessThanOrEqual(2);
});
