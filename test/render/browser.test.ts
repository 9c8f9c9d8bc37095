/** One browser, many pages: what it shows of them, and how it ends. */
import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import { Disk } from '../../src/disk/disk.ts';
import { Browser } from '../../src/render/browser.ts';
import type { BrowserProgram } from '../../src/render/cdp-pipe.ts';
import { temporaryFolder } from '../disk/temporary-folder.ts';
import { browserScript, browsers, FLAGS, LIMITS, renderer } from './browsers.ts';
import { paths, text } from './pages.ts';

describe.each(await browsers())('$name', ({ program }) => {
  const { clock, render, show } = renderer(program);

  test('form controls are shown with the fonts of the package, wherever temporary files are', async () => {
    const page = await show(
      '<input type=search placeholder=x><select><option>a</select><button>b</button><a href=/a>a</a>',
    );
    expect(paths(page)).toEqual(['/a']);
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
    const page = await render({
      url: 'https://site.test/',
      response: text(`<a href=/had>x</a><script>
        setTimeout(() => { fetch('/looping'); for (;;); })</script>`),
      answer: async () => void clock.leap(LIMITS.time),
    });
    expect(page.isCut).toBe(true);
    expect(paths(page)).toEqual(['/had']);
  });

  test('a browser that another process still unpacks is waited for', async () => {
    const path = browserScript(temporaryFolder(), program);
    let writing: number | undefined = openSync(path, 'r+'); // the system does not start it
    const unpacked = {
      now: () => systemClock.now(),
      after: (time: number, task: () => void) => {
        if (writing !== undefined) closeSync(writing);
        writing = undefined;
        return systemClock.after(time, task);
      },
    };
    const browser = await start({ ...program, path }, unpacked);
    expect(browser.gone).toBe(false);
    await browser.close();
  });

  test('a page whose function does not end, or that becomes blank, is not taken for an empty one', async () => {
    const rendered = (html: string, hooks = {}) =>
      render({
        ...{ url: 'https://site.test/page', response: text(html), hooks },
        answer: async () => undefined,
      }).then(
        ({ html: taken }) => String(taken),
        (error) => error.fault,
      );
    const beforeLoad = () => {
      clock.leap(LIMITS.time);
      return new Promise(() => {});
    };
    expect(await rendered('<a href=/a>a</a>', { beforeLoad })).toBe('render-hook');
    const leaves = '<a href=/a>a</a><script>location.href = "about:blank"</script>';
    expect(await rendered(leaves)).toBe('render-hung');
  });

  test('a browser that a script has started ends with it', async () => {
    const path = browserScript(temporaryFolder(), program);
    writeFileSync(path, readFileSync(path, 'utf8').replace('exec ', ''));
    const browser = await start({ ...program, path });
    const { processInfo } = await browser.call('SystemInfo.getProcessInfo');
    const { id } = processInfo.find(({ type }: { type: string }) => type === 'browser');
    expect(id).not.toBe(browser.pid);
    await browser.close();
    const runs = () => existsSync(`/proc/${id}/exe`);
    await expect.poll(runs, { timeout: 60_000 }).toBe(false);
  });

  test('scripts have a language', async () => {
    const page = await show(
      `<p id=p></p><script>new Intl.Locale(navigator.language); p.innerHTML = '<a href="/' + navigator.language + '">x</a>'</script>`,
    );
    expect(paths(page)).toEqual(['/en-US']);
  });
});

function start(program: BrowserProgram, clock: Clock = systemClock): Promise<Browser> {
  const options = { disk: new Disk(), clock, userAgent: 'drumlin-test', flags: FLAGS };
  return Browser.start({ ...options, program, scriptMemory: 2 ** 28 });
}
