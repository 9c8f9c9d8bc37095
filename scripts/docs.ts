/**
 * Writes the generated pages of docs/ and the interface of crawl options: `npm run docs`.
 * `test/generated.test.ts` checks that what is committed is what this script writes.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeApiDocs } from './pages/api.ts';
import { apiHttpPage, clusterOpenApiFile, openApiFile } from './pages/api-http.ts';
import { cliReference } from './pages/cli.ts';
import { configurationPage } from './pages/configuration.ts';
import { crawlOptions } from './pages/crawl-options.ts';
import { dependenciesPage } from './pages/dependencies.ts';
import { filtersPage } from './pages/filters.ts';
import { logPage } from './pages/log.ts';
import { metricsReference } from './pages/metrics.ts';
import type { GeneratedPage } from './pages/page.ts';

const ROOT = join(import.meta.dirname, '..');

export const PAGES: readonly GeneratedPage[] = [
  apiHttpPage,
  cliReference,
  configurationPage,
  crawlOptions,
  dependenciesPage,
  filtersPage,
  logPage,
  metricsReference,
  openApiFile,
  clusterOpenApiFile,
];

/** What a page holds now; empty when there is none. */
export function presentText({ path }: GeneratedPage): string {
  const file = join(ROOT, path);
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const page of PAGES) {
    writeFileSync(join(ROOT, page.path), await page.text(presentText(page)));
  }
  await writeApiDocs();
}
