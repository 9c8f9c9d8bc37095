/**
 * Nothing but our answers reaches a browser, and nothing of it gets out: all browsers, old and new.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PageRequest } from '../../src/render/interception.ts';
import { parseStorageState } from '../../src/render/storage-state.ts';
import { browsers, FLAGS, LIMITS, renderer } from './browsers.ts';
import { paths, text } from './pages.ts';
import { linesAbout, networkRecord, waysOut } from './ways-out.ts';

/** The record is written some events later: requests that follow bring all others into it. */
const AT_THE_END = '<script>for (let i = 0; i < 40; i++) fetch("/" + i).catch(() => {})</script>';
let open: Server;
let connections = 0;

beforeAll(async () => {
  open = createServer(() => connections++);
  await new Promise<void>((listening) => open.listen(0, '127.0.0.1', listening));
});
afterAll(() => void open.close());

describe.each(await browsers())('$name', ({ program }) => {
  const { pool, render, show } = renderer(program);

  test('frames, workers and redirects ask us, and only us', async () => {
    const page = await show(
      `<iframe src="https://other.test/frame"></iframe><script>
        new Worker('/worker.js').onmessage = ({ data }) => document.body.insertAdjacentHTML('beforeend', data);
        fetch('/moved').then((r) => r.text()).then((html) => document.body.insertAdjacentHTML('beforeend', html));
      </script>`,
      {
        'https://other.test/frame': text('<script>fetch("/in-frame")</script>'),
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
      ...['GET https://other.test/frame', 'GET https://other.test/in-frame'],
      ...['data', 'here', 'moved', 'worker.js'].map((path) => `GET https://site.test/${path}`),
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
    expect(page.asked.filter((line) => !line.includes(`:${port}/`))).toEqual([
      'POST https://site.test/post', // the crawl decides
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

  test('images of a page are asked for, and no icons for the window of a browser', async () => {
    const page = await show(`<link rel=icon href=/icon><link rel="apple-touch-icon" href=/icon>
      <link rel=preload as=image href=/preload><img src=/img><input type=image src=/input>
      <video poster=/poster></video><object type=image/png data=/object></object>
      <svg><image href=/svg /></svg><p style="background: url(/css)">p</p>`);
    const names = ['css', 'img', 'input', 'object', 'poster', 'preload', 'svg'];
    expect([...new Set(page.asked)].sort()).toEqual(
      names.map((name) => `GET https://site.test/${name}`),
    );
    const bare = await show('<p>no icon is named: a browser tries /favicon.ico</p>');
    expect(bare.asked).toEqual([]);
    expect(page.traffic.refused + bare.traffic.refused).toBe(names.length);
  });

  describe('with a record of its network', () => {
    const folder = mkdtempSync(join(tmpdir(), 'drumlin-record-'));
    const record = join(folder, 'record.json');
    const recorded = renderer(program, [...FLAGS, `log-net-log=${record}`]);
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    test('a browser takes nothing of what pages try to its network', async () => {
      const { port } = open.address() as AddressInfo;
      const asked: string[] = [];
      const answer = async ({ url }: PageRequest) => void asked.push(url);
      for (const [i, html] of [...waysOut(`127.0.0.1:${port}`), AT_THE_END].entries()) {
        const lines = linesAbout(`127.0.0.1:${port}`);
        const response = { status: 200, headers: lines, body: Buffer.from(html) };
        await recorded.render({ url: `https://site${i}.test/`, response, answer });
      }
      expect(asked).toContain(`http://127.0.0.1:${port}/`);
      const { all, onTheNetwork } = networkRecord(readFileSync(record, 'utf8'));
      expect(all).toContain(`https://site${waysOut('').length}.test/19`); // it is whole
      const isOfPage = (url: string) => /127\.0\.0\.1|\.test\b/.test(url);
      expect(onTheNetwork.filter(isOfPage)).toEqual([]);
      expect(connections).toBe(0);
    });
  });

  test('pages of an origin share a tab, and nothing of a page is left in it', async () => {
    const shown = (what: string) =>
      `<p id=p></p><script>p.innerHTML = '<a href="/' + ${what} + '">x</a>'</script>`;
    await show('');
    const second = `<script>name = 'left'; globalThis.left = 1;
      setInterval(() => fetch('/tick').catch(() => {}), 400); onbeforeunload = () => 'stay';
      fetch('/kept', { keepalive: true }).catch(() => {})</script>`;
    await show(second, { '/kept': text('') });
    // The tab of the first page is closed.
    await expect.poll(renderers, { timeout: 60_000 }).toHaveLength(1);
    const before = renderers();
    const third = await show(
      shown("history.length + '-' + name + '-' + typeof left + '-' + innerWidth"),
    );
    expect(paths(third)).toEqual(['/2--undefined-1280']);
    expect(third.asked).toEqual([]);
    expect(renderers()).toEqual(before);
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
      render({
        ...{ url, response: text(`${tells}<iframe src="${frame}"></iframe>`), state },
        answer: async ({ url: wanted, isOwn }) => {
          asked.push(`${isOwn} ${decodeURIComponent(wanted)}`);
          return wanted === frame ? text(tells) : undefined;
        },
      });
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
    await render({ url: 'http://b.test/', response: text(''), answer });
    const page = await render({ url, response: text(html), answer, state });
    expect(paths(page)).toEqual(['/id=7/me']);
    expect(pool.started).toBe(1); // no page above has failed
  });
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
