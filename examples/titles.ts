/**
 * Prints the address and the title of every page of a small web, and of none outside it.
 *
 *   npx tsx examples/titles.ts
 *
 * It crawls the synthetic web that comes with drumlin; for a site of your own leave out the lab, name your seeds and
 * add `contact`, so that its owner can reach you.
 */
import { crawl, startLab } from 'drumlin';

const lab = await startLab({ scenario: 'site', pages: 20 });
const pages = crawl({ seeds: lab.seeds, dns: [lab.dns], allowPrivate: true, delay: 0 });

for await (const { url, status, body, links } of pages) {
  const title = /<title>(.*?)<\/title>/s.exec(new TextDecoder().decode(body))?.[1] ?? '(no title)';
  console.log(`${status} ${url} "${title}" ${links.length} links`);
}
await lab.close();
