/**
 * Puts pages into a place of our own: a file of JSON lines with the number of words of each page.
 *
 *   npx tsx examples/store.ts pages.jsonl
 *
 * The crawl waits for `write`, so a slow place slows it down and memory stays bounded. The store
 * `files` puts pages into a folder; `warc`, the default with a `dir`, puts them into an archive.
 */
import { open } from 'node:fs/promises';
import { crawl } from 'drumlin';
import { startLab } from 'drumlin/lab';

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
