/**
 * A real browser for tests: Chromium and the libraries it needs, out of the npm package where that
 * has one for this system, else the one on the PATH.
 */
import { chromium as driver, type Page } from 'playwright-core';
import { Disk } from '../src/disk/disk.ts';
import { installedBrowser, packagedBrowser } from '../src/render/find-browser.ts';

/** Opens a page, hands it over, and ends the browser. */
export async function withBrowser(use: (page: Page) => Promise<void>): Promise<void> {
  const disk = new Disk();
  const program = (await packagedBrowser(disk)) ?? (await installedBrowser(disk));
  if (!program) throw new Error('There is no browser: install Chromium, and put it on the PATH.');
  const browser = await driver.launch({
    executablePath: program.path,
    env: program.env as Record<string, string>,
    // Containers seldom have the namespaces that Chromium's sandbox needs.
    args: ['--no-sandbox', '--no-zygote', '--disable-gpu', '--headless=shell'],
  });
  try {
    await use(await browser.newPage());
  } finally {
    await browser.close();
  }
}
