/**
 * `npm run soak -- documents [seconds]`: 200 damaged and hostile documents, one after the other,
 * with a limit of so many seconds each (2). None may stall the reader, and memory must stay flat.
 */
import { DocumentReader } from '../src/text/documents/document-reader.ts';
import { TYPESCRIPT_THREAD } from '../test/crawl/threads/typescript-threads.ts';
import { damagedDocuments, hostileDocuments, textPdf } from '../test/text/documents/make-pdf.ts';

const TOTAL = 200;
/** Milliseconds to start a thread on a busy machine, which is no part of the limit. */
const START = 30_000;
/** Megabytes that the process may grow by: those of the reader's thread, and its buffers. */
const MOST_GROWTH = 2 * 256 + 100;

export async function run([seconds = '2']: string[]): Promise<void> {
  const time = Number(seconds) * 1000;
  const reader = new DocumentReader({ time }, TYPESCRIPT_THREAD);
  const lines = Array.from({ length: 40 }, (_, i) => `line ${i} of a page with some words in it`);
  const whole = textPdf([lines, lines, ['References', 'see http://a.example/x.pdf']]);
  const hostile = [...hostileDocuments()];
  const damaged = damagedDocuments(whole, TOTAL - hostile.length);
  const cases: [string, () => Uint8Array][] = [
    ...hostile,
    ...damaged.map((bytes, i): [string, () => Uint8Array] => [`damage ${i}`, () => bytes]),
  ];
  await reader.read(whole);
  const before = process.memoryUsage().rss;
  const statuses = new Map<string, number>();
  let [most, slowest] = [0, 0];
  for (const [name, make] of cases) {
    const bytes = make();
    const began = performance.now();
    const { status } = await reader.read(bytes);
    const took = performance.now() - began;
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    most = Math.max(most, process.memoryUsage().rss);
    slowest = Math.max(slowest, took);
    if (!name.startsWith('damage')) console.log(`${name}: ${status}, ${Math.round(took)} ms`);
  }
  const { status } = await reader.read(whole);
  await reader.close();
  const grown = Math.round((most - before) / 1e6);
  console.log(
    `${cases.length} documents: ${[...statuses].map(([s, n]) => `${n} ${s}`).join(', ')}; ` +
      `slowest ${Math.round(slowest)} ms; memory grew by at most ${grown} MB, ` +
      `${Math.round((process.memoryUsage().rss - before) / 1e6)} MB at the end; then: ${status}`,
  );
  if (status !== 'ok' || slowest > time + START || grown > MOST_GROWTH) process.exitCode = 1;
}
