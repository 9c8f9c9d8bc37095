/**
 * Stories of the lab, indexed: `npm run bench -- stories --out FOLDER [--seed 1] [--domains 500]
 * [--pages 40] [--one]`.
 *
 * Indexes all pages of a web at three steps, as three full crawls would store them: a page that did
 * not change is a revisit. Writes FOLDER/index, FOLDER/queries.tsv and FOLDER/judgements.txt: what
 * `drumlin search eval` takes. With --one, a call indexes half of the pages of a step; call it six
 * times.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { judgementLines, queryLine, storyTruths } from '../src/lab/judge/story-truth.ts';
import { webOf } from '../src/lab/server/lab.ts';
import { secondsOf } from '../src/lab/time.ts';
import type { Web } from '../src/lab/web.ts';
import { parsePage } from '../src/parse/page.ts';
import { buildIndex } from '../src/search/build/build-index.ts';
import type { Reading } from '../src/search/build/read-archives.ts';
import { openTextReader, type TextReader } from '../src/text/text-reader.ts';
import { canonicalise } from '../src/url/canonical.ts';
import { hostOf, pathOf } from '../src/url/parts.ts';

const PORTS = { http: 8080, https: 0, dns: 0, control: 0 };
const STEPS = [0, 1, 2];
/** Pages of a step are indexed in two parts. */
const HALVES = 2;

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      out: { type: 'string' },
      seed: { type: 'string', default: '1' },
      domains: { type: 'string', default: '500' },
      pages: { type: 'string', default: '40' },
      one: { type: 'boolean', default: false },
    },
  });
  const { out, seed, domains, pages, one } = values;
  if (out === undefined) throw new Error('Name a folder with --out.');
  const web = (step: number) =>
    webOf({ seed: Number(seed), domains: Number(domains), pages: Number(pages), step }, PORTS);
  mkdirSync(out, { recursive: true });
  const stories = storyTruths(web(2));
  const write = (name: string, lines: readonly string[]) =>
    writeFileSync(join(out, name), `${lines.join('\n')}\n`);
  write('queries.tsv', stories.map(queryLine));
  write('judgements.txt', stories.flatMap(judgementLines));
  const texts = await openTextReader({ extract: 'main' });
  for (const step of STEPS) {
    for (let half = 0; half < HALVES; half++) {
      const began = process.cpuUsage();
      const name = `step-${step}`;
      const summary = await buildIndex(
        join(out, 'index'),
        [{ path: `/${name}-${half}`, bytes: 1, place: name, crawl: name }],
        (_, start) => {
          const counts = { ...start.counts };
          const read = () => readings(web, step, half, texts, counts);
          return { counts, damage: [], read };
        },
        { positions: false }, // no query has a phrase
      );
      if (summary.skippedFiles > 0) continue;
      const { user, system } = process.cpuUsage(began);
      const seconds = ((user + system) / 1e6).toFixed(0);
      process.stdout.write(
        `${name}, half ${half + 1}: ${summary.pages} captures, ${summary.revisits} revisits, ` +
          `${summary.versions} new versions; ${seconds} s\n`,
      );
      if (one) return;
    }
  }
  process.stdout.write(`${stories.length} stories\n`);
}

/** Every page of a web as a crawl at its step would store it. */
function* readings(
  webAt: (step: number) => Web,
  step: number,
  half: number,
  texts: TextReader,
  counts: { pages: number; revisits: number },
): Generator<Reading> {
  const [web, earlier] = [webAt(step), webAt(Math.max(0, step - 1))];
  const start = 1000 * secondsOf(step);
  let offset = 0;
  for (const address of web.allUrls()) {
    if (offset++ % HALVES !== half) continue;
    const answer = web.answer(hostOf(address), pathOf(address));
    const url = canonicalise(address);
    if (answer?.status !== 200 || url === undefined) continue;
    const contentType = /Content-Type: ([^\r]*)/.exec(answer.headers)?.[1];
    if (!contentType?.startsWith('text/html')) continue;
    const time = start + 100 * offset;
    const place = { file: 0, offset: offset - 1, hasResponses: true };
    if (step > 0 && earlier.answer(hostOf(address), pathOf(address))?.body === answer.body) {
      counts.revisits++;
      yield { ...place, capture: { url, time, refersTo: undefined } };
      continue;
    }
    counts.pages++;
    const body = Buffer.from(answer.body, 'latin1');
    const read = texts.read(body, { contentType });
    const { title = '', text } = read;
    const links = parsePage(body, { url, contentType }, { texts: true }).links;
    const language = read.language.code;
    const targets = links.filter(({ kind }) => kind === 'a');
    yield {
      ...place,
      capture: { url, time, file: 0, offset: 0, title, text, language, links: targets },
    };
  }
}
