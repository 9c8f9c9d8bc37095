// Crawlee's PlaywrightCrawler on the synthetic web: render every page, follow every link, keep url,
// title and text of each. It archives nothing. Plain JavaScript, because its types are not
// installed with the project.
// node crawlee.mjs <pages> <browser> <seed>…
// prints {"pages":…,"seconds":…,"links":…}
import { Configuration, log, PlaywrightCrawler } from '@crawlee/playwright';

const [pages, executablePath, ...seeds] = process.argv.slice(2);
log.setLevel(log.LEVELS.ERROR);
let handled = 0;
let found = 0;
const crawler = new PlaywrightCrawler(
  {
    maxRequestsPerCrawl: Number(pages),
    minConcurrency: 1,
    maxConcurrency: 1,
    maxRequestRetries: 0,
    useSessionPool: false,
    retryOnBlocked: false,
    browserPoolOptions: { useFingerprints: false },
    launchContext: {
      launchOptions: {
        executablePath,
        headless: true,
        args: [
          '--no-sandbox',
          '--no-zygote',
          '--headless=shell',
          '--ignore-certificate-errors',
          // Every name of the synthetic web is served at 127.0.0.1.
          '--host-resolver-rules=MAP * 127.0.0.1',
          '--proxy-server=direct://',
        ],
      },
    },
    async requestHandler({ request, page, enqueueLinks, pushData }) {
      // As drumlin does: scripts may ask for data after the load.
      await page.waitForLoadState('networkidle', { timeout: 10_000 });
      handled++;
      const text = await page.evaluate('document.body.innerText');
      await pushData({ url: request.url, title: await page.title(), text });
      const { processedRequests } = await enqueueLinks({ strategy: 'all' });
      found += processedRequests.length;
    },
    failedRequestHandler({ request }, error) {
      process.stderr.write(`${request.url}: ${String(error.message).split('\n')[0]}\n`);
    },
  },
  new Configuration({ persistStorage: false, purgeOnStart: true }),
);
const startedAt = performance.now();
await crawler.run(seeds);
const seconds = (performance.now() - startedAt) / 1000;
console.log(JSON.stringify({ pages: handled, seconds, links: found }));
process.exit(0);
