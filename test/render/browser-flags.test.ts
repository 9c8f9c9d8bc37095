/** Flags of the user are used, and open no wall. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { browserFlags } from '../../src/render/browser-flags.ts';
import { isUntried, TRIED } from '../../src/render/find-browser.ts';
import { temporaryFolder } from '../disk/temporary-folder.ts';
import { browsers, FLAGS, renderer } from './browsers.ts';
import { paths, text } from './pages.ts';

const AROUND = { userAgent: 'drumlin-test', profile: '/profile', heap: 64 };
const OWN = browserFlags([], AROUND);

/** What Playwright passes to a browser: a script that notes it, and is none. */
async function flagsOfPlaywright(): Promise<string[]> {
  const folder = temporaryFolder();
  const script = join(folder, 'browser');
  const notes = join(folder, 'flags');
  writeFileSync(script, `#!/bin/sh\nprintf '%s\\n' "$@" > '${notes}'\n`, { mode: 0o755 });
  await expect(chromium.launch({ executablePath: script })).rejects.toThrow();
  return readFileSync(notes, 'utf8').split('\n').filter(Boolean);
}

const valuesOf = (flags: readonly string[], name: string): string[] =>
  flags.filter((flag) => flag.startsWith(`--${name}=`)).map((flag) => flag.replace(/^.*?=/, ''));

test('the walls come after what a user passes, and keep their features off', () => {
  const against = ['proxy-server=evil.test:1', 'host-resolver-rules=', 'disable-features=LazyLoad'];
  const flags = browserFlags([...against, 'enable-features=MediaRouter'], AROUND);
  for (const name of ['proxy-server', 'host-resolver-rules'])
    expect(valuesOf(flags, name).at(-1)).toBe(valuesOf(OWN, name)[0]);
  const [disabled, ...more] = valuesOf(flags, 'disable-features');
  expect(more).toEqual([]);
  expect(disabled.split(',')).toEqual(expect.arrayContaining(['LazyLoad', 'MediaRouter']));
});

test('a list of flags may have lists of features in it', () => {
  const list = 'disable-features=LazyLoad,BackForwardCache,mute-audio,js-flags=--expose-gc';
  const flags = browserFlags(list.split(','), AROUND);
  expect(valuesOf(flags, 'disable-features')[0]).toContain('LazyLoad,BackForwardCache,');
  expect(flags).toContain('--mute-audio');
  expect(flags).toContain('--js-flags=--expose-gc --max-old-space-size=64');
});

test('only a browser that is newer than all that were tried is worth a note', () => {
  const products = [`Chrome/${TRIED.newest}.0.1.2`, `HeadlessChrome/${TRIED.oldest}.0.1.2`];
  expect(products.filter(isUntried)).toEqual([]);
  expect([`Chrome/${TRIED.newest + 1}.0.0.0`, 'Other'].every(isUntried)).toBe(true);
});

describe.each(await browsers())('$name', ({ program }) => {
  const flags: string[] = [];
  const { pool, show } = renderer(program, flags);

  test('pages are rendered with the flags that Playwright passes', async () => {
    flags.push(...(await flagsOfPlaywright()), ...FLAGS);
    expect(flags).toContain('--remote-debugging-pipe');
    const page = await show(
      `<iframe src=/frame></iframe><script>
        const worker = new Worker(URL.createObjectURL(new Blob(['postMessage(typeof WebTransport)'])));
        worker.onmessage = ({ data }) => 
          document.body.insertAdjacentHTML('beforeend', '<a href=/' + data + '>x</a>');
      </script>`,
      { '/frame': text('<script>fetch("/in-frame").catch(() => {})</script>') },
    );
    expect(paths(page)).toEqual(['/undefined']);
    expect(page.asked.sort()).toEqual([
      ...['GET https://site.test/frame', 'GET https://site.test/in-frame'],
    ]);
    expect(pool.started).toBe(1);
  });
});
