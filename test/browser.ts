/** A real browser for tests: Chromium and the libraries it needs, out of the npm package. */
import { chromium as driver, type Page } from 'playwright-core';

/** The package unpacks its libraries only where it finds this: on servers without them. */
const BARE_SERVER = 'AWS_LAMBDA_JS_RUNTIME';

/** Opens a page, hands it over, and ends the browser. */
export async function withBrowser(use: (page: Page) => Promise<void>): Promise<void> {
  const browser = await driver.launch({
    ...(await unpacked()),
    // Containers seldom have the namespaces that Chromium's sandbox needs.
    args: ['--no-sandbox', '--no-zygote', '--disable-gpu', '--headless=shell'],
  });
  try {
    await use(await browser.newPage());
  } finally {
    await browser.close();
  }
}

interface Unpacked {
  readonly executablePath: string;
  readonly env: Record<string, string>;
}

/** The package looks at the environment once: when it is loaded. */
let once: Promise<Unpacked> | undefined;

/** The program, and the environment in which it finds its libraries. Ours stays as it is. */
function unpacked(): Promise<Unpacked> {
  once ??= unpack();
  return once;
}

async function unpack(): Promise<Unpacked> {
  const before = process.env.LD_LIBRARY_PATH;
  process.env[BARE_SERVER] = 'nodejs20.x';
  try {
    const { default: chromium } = await import('@sparticuz/chromium');
    const executablePath = await chromium.executablePath();
    return { executablePath, env: { ...process.env } as Record<string, string> };
  } finally {
    delete process.env[BARE_SERVER];
    if (before === undefined) delete process.env.LD_LIBRARY_PATH;
    else process.env.LD_LIBRARY_PATH = before;
  }
}
