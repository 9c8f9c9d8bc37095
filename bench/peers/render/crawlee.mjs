// Crawlee's PlaywrightCrawler on the synthetic web: render every page until the network is idle,
// follow every link, keep url, title and HTML of each page. Plain JavaScript, because its types are
// not installed with the project.
// node crawlee.mjs <browser> <pages> <concurrency> <seed>…
// prints {"pages":…,"seconds":…}
import { Configuration, log, PlaywrightCrawler } from '@crawlee/playwright';
import { chromium } from 'playwright';

const [executablePath, pages, concurrency, ...seeds] = process.argv.slice(2);
log.setLevel(log.LEVELS.ERROR);
let handled = 0;
let links = 0;
const crawler = new PlaywrightCrawler(
  {
    maxRequestsPerCrawl: Number(pages),
    minConcurrency: Number(concurrency),
    maxConcurrency: Number(concurrency),
    maxRequestRetries: 0,
    useSessionPool: false,
    launchContext: {
      launcher: chromium,
      launchOptions: {
        executablePath,
        // Every name of the synthetic web is served at 127.0.0.1.
        args: ['--no-sandbox', '--no-zygote', '--host-resolver-rules=MAP *.test 127.0.0.1'],
      },
    },
    browserPoolOptions: { useFingerprints: false },
    async requestHandler({ request, page, enqueueLinks, pushData }) {
      await page.waitForLoadState('networkidle');
      handled++;
      const html = await page.content();
      await pushData({ url: request.url, title: await page.title(), html });
      const { processedRequests } = await enqueueLinks({ strategy: 'all' });
      links += processedRequests.length;
    },
  },
  new Configuration({ persistStorage: false, purgeOnStart: true }),
);
const startedAt = performance.now();
await crawler.run(seeds);
const seconds = (performance.now() - startedAt) / 1000;
console.log(JSON.stringify({ pages: handled, links, seconds }));
process.exit(0);
