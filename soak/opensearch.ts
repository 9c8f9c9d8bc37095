/**
 * A real OpenSearch takes what `drumlin search export` writes: every document, and a search at a
 * moment finds the version of that moment.
 *
 *   npm run soak -- opensearch
 *
 * Needs Java 17 and Maven, which fetches OpenSearch 2.19. It listens on loopback, port 9201.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Disk } from '../src/disk/disk.ts';
import { indexArchives } from '../src/search/build/build-index.ts';
import { exportIndex } from '../src/search/export/export-index.ts';
import { SearchIndex } from '../src/search/query/search-index.ts';
import { writeCrawl } from '../test/corpus/lab-archive.ts';

const SERVER = 'http://127.0.0.1:9201';
const DAY = 86_400_000;
const OCTOBER = Date.UTC(2011, 9, 1);
const PAGES = 500;

export async function run(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'drumlin-opensearch-'));
  const server = await startServer(folder);
  try {
    const out = await exported(folder);
    await put('/pages', readFileSync(join(out, 'opensearch.json')));
    for (const name of readdirSync(out).filter((file) => file.endsWith('.ndjson')))
      await load(readFileSync(join(out, name)));
    const { count } = await ask('/pages/_count');
    check(count === 2 * PAGES, `${count} documents of ${2 * PAGES}`);
    for (const [day, word] of [
      [2, 'old'],
      [12, 'new'],
    ] as const)
      await searchAt(day, word);
    console.log(`${count} documents; searches at two moments find the versions of these.`);
  } finally {
    server.stdin?.end();
    await once(server, 'exit');
    rmSync(folder, { recursive: true });
  }
}

async function startServer(folder: string): Promise<ChildProcess> {
  cpSync(join(import.meta.dirname, 'opensearch'), folder, { recursive: true });
  const at = { cwd: folder };
  execFileSync('mvn', ['-q', '-B', 'dependency:build-classpath', '-Dmdep.outputFile=path'], at);
  const path = `${readFileSync(join(folder, 'path'), 'utf8').trim()}:.`;
  execFileSync('javac', ['-cp', path, 'Start.java'], at);
  const java = ['-Xmx1g', '-cp', path, 'Start', join(folder, 'node')];
  const server = spawn('java', java, { ...at, stdio: ['pipe', 'pipe', 'ignore'] });
  for await (const line of createInterface({ input: server.stdout }))
    if (line.endsWith('ready')) return server;
  throw new Error('OpenSearch did not start.');
}

/** Pages that change on the tenth day, indexed and exported. */
async function exported(folder: string): Promise<string> {
  for (const [i, word] of ['old', 'new'].entries()) {
    const text = `The ${word} government of the coast spoke about the price of bread that day.`;
    const pages = Array.from({ length: PAGES }, (_, page) => ({
      url: `http://a${page % 7}.example/${page}`,
      body: Buffer.from(`<title>${page}</title><main><p>${text} Page ${page}.</p></main>`),
    }));
    await writeCrawl(join(folder, word), pages, { from: OCTOBER + 10 * i * DAY });
  }
  const [index, out] = [join(folder, 'index'), join(folder, 'out')];
  await indexArchives([join(folder, 'old'), join(folder, 'new')], index);
  const opened = await SearchIndex.open([index]);
  await exportIndex(opened, out, { format: 'bulk', disk: new Disk() });
  await opened.close();
  return out;
}

async function searchAt(day: number, word: string): Promise<void> {
  const moment = new Date(OCTOBER + day * DAY).toISOString();
  const query = {
    size: PAGES,
    query: {
      bool: {
        must: { match: { text: 'government' } },
        filter: { range: { valid: { gte: moment, lte: moment } } },
      },
    },
  };
  const { hits } = await ask('/pages/_search', JSON.stringify(query));
  check(hits.hits.length === PAGES, `${hits.hits.length} pages at ${moment}`);
  for (const { _source: source } of hits.hits)
    check(source.text.includes(word), `${source.url} at ${moment}: ${source.text}`);
}

function check(holds: boolean, fact: string): void {
  if (!holds) throw new Error(`Wrong: ${fact}.`);
}

async function load(body: Buffer): Promise<void> {
  const { errors } = await ask('/pages/_bulk?refresh=true', body, 'application/x-ndjson');
  check(!errors, '_bulk reports errors');
}

const put = (path: string, body: Buffer) => ask(path, body, 'application/json', 'PUT');

/** What the answers have that is looked at. */
interface Answer {
  readonly count: number;
  readonly errors: boolean;
  readonly hits: {
    readonly hits: readonly { readonly _source: { readonly url: string; readonly text: string } }[];
  };
}

async function ask(
  path: string,
  body?: Buffer | string,
  type = 'application/json',
  method = body === undefined ? 'GET' : 'POST',
): Promise<Answer> {
  const headers = { 'content-type': type };
  const reply = await fetch(SERVER + path, {
    method,
    headers,
    ...(body !== undefined && { body }),
  });
  const answer = (await reply.json()) as Answer;
  check(reply.ok, `${path}: ${JSON.stringify(answer)}`);
  return answer;
}
