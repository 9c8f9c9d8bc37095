/**
 * Puts pages where you want them: here, into one file of JSON lines, with the words of each page.
 *
 *   npx tsx examples/store.ts pages.jsonl
 *
 * The crawl waits for `write`, so a slow place slows it down and nothing piles up. `store: 'files'` puts pages into a folder, and
 * `store: 'warc'`, the default where there is a `dir`, into an archive.
 */
import { open } from 'node:fs/promises';
import { crawl, startLab } from 'drumlin';

const file = await open(process.argv[2] ?? 'pages.jsonl', 'w');
const lab = await startLab({ scenario: 'site', pages: 20 });
const pages = crawl({
  seeds: lab.seeds,
  dns: [lab.dns],
  allowPrivate: true,
  delay: 0,
  store: {
    async write({ url, status, body }) {
      const words = new TextDecoder()
        .decode(body)
        .replace(/<[^>]*>/g, ' ')
        .split(/\s+/)
        .filter(Boolean);
      await file.write(`${JSON.stringify({ url, status, words: words.length })}\n`);
    },
    close: () => file.close(),
  },
});

let count = 0;
for await (const _ of pages) count++;
console.log(`${count} pages stored`);
await lab.close();
