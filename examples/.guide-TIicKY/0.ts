import { crawl } from 'drumlin';
import { startLab } from 'drumlin/lab';

const web = await startLab({ scenario: 'site', pages: 20 });
const pages = crawl({
  seeds: web.seeds,
  dns: [web.dns],
  allowPrivate: true,
  delay: 0,
  maxPages: 3,
});
for await (const page of pages) console.log(page.status, page.links.length, page.url);
await web.close();
