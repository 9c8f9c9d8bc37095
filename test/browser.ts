/** A real browser for tests: Chromium out of the npm package, without the network. */
import chromium from '@sparticuz/chromium';
import { chromium as driver, type Page } from 'playwright-core';

/** Opens a page, hands it over, and ends the browser. */
export async function withBrowser(use: (page: Page) => Promise<void>): Promise<void> {
  const browser = await driver.launch({
    executablePath: await chromium.executablePath(),
    // Containers seldom have the namespaces that Chromium's sandbox needs.
    args: ['--no-sandbox', '--no-zygote', '--disable-gpu', '--headless=shell'],
  });
  try {
    await use(await browser.newPage());
  } finally {
    await browser.close();
  }
}
