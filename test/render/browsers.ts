/**
 * The browsers that tests render with: that of the npm package where it has one for this system,
 * and a full browser where one is installed. Users have either.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { Disk } from '../../src/disk/disk.ts';
import { BrowserPool, shareRenderSlots } from '../../src/render/browser-pool.ts';
import type { BrowserProgram } from '../../src/render/cdp-pipe.ts';
import { installedBrowser, packagedBrowser } from '../../src/render/find-browser.ts';
import type { PageRequest, PageResponse } from '../../src/render/interception.ts';
import type { RenderedPage, RenderRequest } from '../../src/render/render-page.ts';
import { leftOut } from '../left-out.ts';
import { LeapingClock } from './leaping-clock.ts';
import { text } from './pages.ts';

/** Containers seldom have the namespaces that Chromium's sandbox needs. */
export const FLAGS = ['no-sandbox', 'no-zygote'];
/** No page of a test is out of time, except by a leap of the clock. */
export const LIMITS = {
  ...{ memory: 2 ** 30, html: 2 ** 20, links: 50, requests: 20, bytes: 2 ** 20 },
  time: 600_000,
};

const disk = new Disk();

interface NamedBrowser {
  readonly name: string;
  readonly program: BrowserProgram;
}

/** The first of `browsers`. */
export async function anyBrowser(): Promise<BrowserProgram> {
  const [first] = await browsers();
  if (!first) throw new Error('There is no browser: install Chromium, and put it on the PATH.');
  return first.program;
}

export async function browsers(): Promise<NamedBrowser[]> {
  const [packaged, installed] = [await packagedBrowser(disk), await installedBrowser(disk)];
  const here = `none for ${process.platform} on ${process.arch}`;
  leftOut({ kind: 'programs', name: 'chromium', why: installed ? '' : 'none is on the PATH' });
  leftOut({ kind: 'programs', name: 'the browser of npm', why: packaged ? '' : here });
  return [
    ...(packaged ? [{ name: 'the browser of the npm package', program: packaged }] : []),
    ...(installed ? [{ name: 'the browser on the PATH', program: installed }] : []),
  ];
}

/** A script that starts a browser with its libraries, for settings that take only a path. */
export function browserScript(folder: string, { path, env }: BrowserProgram): string {
  const script = join(folder, 'browser');
  const names = ['LD_LIBRARY_PATH', 'FONTCONFIG_PATH', 'FONTCONFIG_FILE'];
  const set = names.flatMap((name) => (env[name] ? [`export ${name}='${env[name]}'`] : []));
  const lines = ['#!/bin/sh', ...set, `exec '${path}' "$@"`, ''];
  writeFileSync(script, lines.join('\n'), { mode: 0o755 });
  return script;
}

type Page = Omit<RenderRequest, 'screenshot' | 'state'> & Partial<Pick<RenderRequest, 'state'>>;

/**
 * A pool of one browser, which ends after the tests of a group. Pages are of `https:`: such pages
 * may try more.
 */
export function renderer(program: BrowserProgram, flags: readonly string[] = FLAGS) {
  const clock = new LeapingClock();
  const pool = new BrowserPool({
    ...{ program: async () => program, disk, clock, flags },
    ...{ userAgent: 'drumlin-test', scriptMemory: 256 * 2 ** 20, slots: shareRenderSlots(1) },
  });
  afterAll(() => pool.close());
  const render = (page: Page): Promise<RenderedPage> =>
    pool.render({ state: undefined, screenshot: false, ...page }, LIMITS);
  /** Shows a page, and notes what it asks for. */
  const show = async (
    html: string,
    answers: Readonly<Record<string, PageResponse>> = {},
  ): Promise<RenderedPage & { readonly asked: string[] }> => {
    const asked: string[] = [];
    const answer = async ({ url, method }: PageRequest) => {
      asked.push(`${method} ${url}`);
      return answers[url.replace('https://site.test', '')];
    };
    const page = { url: 'https://site.test/page', response: text(html), answer };
    return { ...(await render(page)), asked };
  };
  return { clock, pool, render, show };
}
