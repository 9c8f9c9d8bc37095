/**
 * Prints the status, the address and the title of every page of a small web.
 *
 *   npx tsx examples/titles.ts
 *
 * It crawls the synthetic web that comes with Drumlin. For a site of your own, remove the lab, name
 * your seeds and add `contact`, so that the owner of the site can reach you.
 */
import { crawl } from 'drumlin';
import { startLab } from 'drumlin/lab';

const lab = await startLab({ scenario: 'site', pages: 20 });
const pages = crawl({ seeds: lab.seeds, dns: [lab.dns], allowPrivate: true, delay: 0 });

for await (const { url, status, body, links } of pages) {
  const title = /<title>(.*?)<\/title>/s.exec(new TextDecoder().decode(body))?.[1] ?? '(no title)';
  console.log(`${status} ${url} "${title}" ${links.length} links`);
}
await lab.close();
