/**
 * Reads a robots.txt and explains which URLs a crawler may fetch.
 *
 *   npx tsx examples/robots.ts
 */
import { parseRobots } from 'drumlin/robots';

const file = `
User-agent: *
Disallow: /

User-agent: my-crawler
Allow: /private/index.html
Disallow: /private/
Disallow: /*.pdf$
Crawl-delay: 2.5

Sitemap: https://example.org/sitemap.xml
`;

const robots = parseRobots(file, 'My-Crawler');
for (const path of ['/', '/private/', '/private/index.html', '/paper.pdf', '/paper.pdf?page=2']) {
  const { allowed, line, rule } = robots.explain(`https://example.org${path}`);
  const why = rule === undefined ? 'no rule applies' : `line ${line}, ${rule}`;
  console.log(`${allowed ? 'fetch' : 'skip '} ${path} (${why})`);
}
console.log(`Wait ${robots.crawlDelay} ms between two requests.`);
console.log(`Sitemaps: ${robots.sitemaps.join(', ')}`);
