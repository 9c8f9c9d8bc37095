/** One browser, many pages: nothing but our answers reaches it, and nothing of it gets out. */
import { closeSync, existsSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { Disk } from '../../src/disk/disk.ts';
import { Browser } from '../../src/render/browser.ts';
import { BrowserPool, shareRenderSlots } from '../../src/render/browser-pool.ts';
import { findBrowser } from '../../src/render/find-browser.ts';
import type { PageRequest, PageResponse } from '../../src/render/interception.ts';
import type { RenderedPage } from '../../src/render/render-page.ts';
import { parseStorageState } from '../../src/render/storage-state.ts';
import { temporaryFolder } from '../disk/temporary-folder.ts';

const FLAGS = ['no-sandbox', 'no-zygote'];
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
    ...{ flags: FLAGS, scriptMemory: 256 * 2 ** 20 },
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

test('form controls are shown with the fonts of the package, wherever temporary files are', async () => {
  const page = await show(
    '<input type=search placeholder=x><select><option>a</select><button>b</button><a href=/a>a</a>',
  );
  expect(paths(page)).toEqual(['/a']);
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
  expect(page.asked.filter((line) => !line.includes(`:${port}/`))).toEqual([
    'POST http://site.test/post', // the crawl decides
  ]);
});

test('workers, and workers of workers, have no sockets; reports are not sent', async () => {
  const tells =
    'postMessage(["WebSocket", "WebTransport", "EventSource"].map((n) => typeof self[n]))';
  const nested = `onmessage = null; const w = new Worker(URL.createObjectURL(new Blob([${JSON.stringify(tells)}]))); w.onmessage = ({ data }) => postMessage(data)`;
  const page = await show(`<meta http-equiv=Content-Security-Policy content="img-src 'none'">
    <a id=a href=/a ping=/ping>a</a><img src=/i.png><script>
    for (const code of [${JSON.stringify(tells)}, ${JSON.stringify(nested)}]) {
      const worker = new Worker(URL.createObjectURL(new Blob([code])));
      worker.onmessage = ({ data }) => document.body.insertAdjacentHTML('beforeend', '<a href="/' + code.length + '/' + data + '">x</a>');
    }
    a.click();
  </script>`);
  const none = 'undefined,undefined,undefined';
  expect(paths(page)).toEqual(
    [`/${tells.length}/${none}`, `/${nested.length}/${none}`, '/a'].sort(),
  );
  expect(page.asked).toEqual([]);
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

test('pages of an origin share a tab, and nothing of a page is left in it', async () => {
  const shown = (what: string) =>
    `<p id=p></p><script>p.innerHTML = '<a href="/' + ${what} + '">x</a>'</script>`;
  await show('');
  const second = `<script>name = 'left'; globalThis.left = 1;
    setInterval(() => fetch('/tick').catch(() => {}), 400); onbeforeunload = () => 'stay';
    fetch('/kept', { keepalive: true }).catch(() => {})</script>`;
  await show(second, { '/kept': text('') });
  const before = renderers();
  const third = await show(
    shown("history.length + '-' + name + '-' + typeof left + '-' + innerWidth"),
  );
  expect(paths(third)).toEqual(['/2--undefined-1280']);
  expect(third.asked).toEqual([]);
  expect(before).toHaveLength(1);
  expect(renderers()).toEqual(before);
});

/** The processes of this one's browsers that run pages. */
function renderers(): string[] {
  const stat = (pid: string) => /\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  return readdirSync('/proc').filter((pid) => {
    try {
      const isRenderer = readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('type=renderer');
      return isRenderer && stat(stat(pid)?.[1] ?? '')?.[1] === String(process.pid);
    } catch {
      return false; // no process, or one that has ended
    }
  });
}

test('a page that computes without end is cut, and gives what it had', async () => {
  const page = await show(
    '<a href=/had>x</a><script>setTimeout(() => { for (;;); })</script>',
    {},
    { time: 700 },
  );
  expect(page.isCut).toBe(true);
  expect(paths(page)).toEqual(['/had']);
});

test('a browser that another process still unpacks is waited for', async () => {
  const program = await findBrowser(new Disk(), '');
  const folder = temporaryFolder();
  const path = join(folder, 'browser');
  writeFileSync(path, `#!/bin/sh\nexec '${program.path}' "$@"\n`, { mode: 0o755 });
  let writing: number | undefined = openSync(path, 'r+'); // the system does not start it
  const clock = {
    ...systemClock,
    now: () => systemClock.now(),
    after: (time: number, task: () => void) => {
      if (writing !== undefined) closeSync(writing);
      writing = undefined;
      return systemClock.after(time, task);
    },
  };
  const options = { disk: new Disk(), clock, userAgent: 'drumlin-test', flags: FLAGS };
  const browser = await Browser.start({
    ...{ ...options, program: { ...program, path }, scriptMemory: 2 ** 28 },
  });
  expect(browser.gone).toBe(false);
  await browser.close();
});

test('a page whose function does not end, or that becomes blank, is not taken for an empty one', async () => {
  const page = { url: 'http://site.test/page', answer: async () => undefined, state: undefined };
  const rendered = (html: string, hooks = {}) =>
    pool
      .render({ ...page, response: text(html), screenshot: false, hooks }, { ...LIMITS, time: 700 })
      .then(
        ({ html: taken }) => String(taken),
        (error) => error.fault,
      );
  expect(await rendered('<a href=/a>a</a>', { beforeLoad: () => new Promise(() => {}) })).toBe(
    'render-hook',
  );
  const leaves =
    '<a href=/a>a</a><script>setTimeout(() => { location.href = "about:blank" }, 50)</script>';
  expect(await rendered(leaves)).toBe('render-hung');
});

test('a browser that a script has started ends with it', async () => {
  const program = await findBrowser(new Disk(), '');
  const path = join(temporaryFolder(), 'browser');
  writeFileSync(path, `#!/bin/sh\n'${program.path}' "$@"\ntrue\n`, { mode: 0o755 });
  const options = { disk: new Disk(), clock: systemClock, userAgent: 'drumlin-test', flags: FLAGS };
  const browser = await Browser.start({
    ...{ ...options, program: { ...program, path }, scriptMemory: 2 ** 28 },
  });
  const { processInfo } = await browser.call('SystemInfo.getProcessInfo');
  const { id } = processInfo.find(({ type }: { type: string }) => type === 'browser');
  expect(id).not.toBe(browser.pid);
  await browser.close();
  const runs = () => existsSync(`/proc/${id}/exe`);
  await expect.poll(runs, { timeout: 5000 }).toBe(false);
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

test('frames of other sites see nothing of a login', async () => {
  const origin = { origin: 'http://bank.test', localStorage: [{ name: 'who', value: 'me' }] };
  const cookie = { name: 'id', value: '7', domain: 'bank.test', path: '/' };
  const state = parseStorageState(JSON.stringify({ cookies: [cookie], origins: [origin] }), 'f');
  const tells =
    '<script>fetch("/told?" + [document.cookie, localStorage.who]).catch(() => {})</script>';
  const asked: string[] = [];
  const page = (url: string, frame: string) =>
    pool.render(
      {
        ...{ url, response: text(`${tells}<iframe src="${frame}"></iframe>`), state },
        screenshot: false,
        answer: async ({ url: wanted, isOwn }) => {
          asked.push(`${isOwn} ${decodeURIComponent(wanted)}`);
          return wanted === frame ? text(tells) : undefined;
        },
      },
      { ...LIMITS, time: 4000 },
    );
  await page('http://bank.test/', 'http://evil.test/');
  await page('http://evil.test/', 'http://bank.test/');
  expect(asked.sort()).toEqual([
    ...['false http://bank.test/told?,', 'false http://evil.test/told?,'],
    ...['true http://bank.test/', 'true http://bank.test/told?id=7,me'],
    ...['true http://evil.test/', 'true http://evil.test/told?,'],
  ]);
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
  expect(pool.started).toBeLessThanOrEqual(3); // two pages above have failed
});
