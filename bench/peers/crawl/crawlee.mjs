// Crawlee's CheerioCrawler on the synthetic web: follow every link, keep url and title of each
// page. Plain JavaScript, because its types are not installed with the project.
// node crawlee.mjs <pages> <concurrency> <seed>…
// prints {"pages":…,"cpuSeconds":…,"seconds":…,"maxRssBytes":…}
import dns from 'node:dns';
import { CheerioCrawler, Configuration, log } from '@crawlee/cheerio';

// Every name of the synthetic web is served at 127.0.0.1; a look-up that costs nothing favours the
// peer.
dns.lookup = (_host, options, callback) => {
  const done = typeof options === 'function' ? options : callback;
  if (options?.all) done(null, [{ address: '127.0.0.1', family: 4 }]);
  else done(null, '127.0.0.1', 4);
};

const [pages, concurrency, ...seeds] = process.argv.slice(2);
log.setLevel(log.LEVELS.ERROR);
let handled = 0;
const crawler = new CheerioCrawler(
  {
    maxRequestsPerCrawl: Number(pages),
    minConcurrency: Number(concurrency),
    maxConcurrency: Number(concurrency),
    maxRequestRetries: 0,
    useSessionPool: false,
    async requestHandler({ request, $, enqueueLinks, pushData }) {
      handled++;
      await pushData({ url: request.url, title: $('title').text() });
      await enqueueLinks({ strategy: 'all' });
    },
  },
  new Configuration({ persistStorage: false, purgeOnStart: true }),
);
const before = process.cpuUsage();
const startedAt = performance.now();
await crawler.run(seeds);
const { user, system } = process.cpuUsage(before);
console.log(
  JSON.stringify({
    pages: handled,
    cpuSeconds: (user + system) / 1e6,
    seconds: (performance.now() - startedAt) / 1000,
    maxRssBytes: process.resourceUsage().maxRSS * 1024,
  }),
);
process.exit(0);
