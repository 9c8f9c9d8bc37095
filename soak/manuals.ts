/**
 * `npm run soak -- manuals <folder> <nginx> [python]`: crawls real manuals, served by nginx on
 * loopback, and compares what is fetched with wget and with a Python script that follows `<a
 * href>`. Every URL that one of them finds must be fetched, or listed as skipped with its reason.
 *
 * The folder is `usr/share/doc` of the unpacked Debian packages ghc-doc, python3.11-doc,
 * postgresql-doc-15 and libghc-aeson-doc; all folders `html` in it with an index are crawled.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { canonicalise } from '../src/url/canonical.ts';

const ROOT = join(import.meta.dirname, '..');
const WALK = join(ROOT, 'bench/peers/manuals/walk.py');
const MOST_OUTPUT = 2 ** 28;

export async function run([folder, nginx, python = 'python3']: string[]): Promise<void> {
  const work = mkdtempSync(join(tmpdir(), 'drumlin-manuals-'));
  const port = await freePort();
  const server = spawn(nginx, ['-p', work, '-c', configuration(work, folder, port)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  try {
    await sleep(1000);
    const origin = `http://127.0.0.1:${port}`;
    const seeds = readdirSync(folder)
      .filter((name) => existsSync(join(folder, name, 'html', 'index.html')))
      .map((name) => `${origin}/${name}/html/index.html`);
    compare(seeds, { work, python });
  } finally {
    server.kill();
    rmSync(work, { recursive: true, force: true });
  }
}

function configuration(work: string, folder: string, port: number): string {
  const path = join(work, 'nginx.conf');
  mkdirSync(join(work, 'logs'));
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${join(work, name)};`)
    .join(' ');
  writeFileSync(
    path,
    `daemon off; worker_processes 1; pid ${join(work, 'nginx.pid')}; error_log ${join(work, 'error.log')};
user root; events { worker_connections 64; }
http { access_log off; ${paths} keepalive_requests 1000000;
  types { text/html html htm; text/css css; application/javascript js; image/png png; text/plain txt; }
  default_type application/octet-stream;
  server { listen 127.0.0.1:${port}; root ${folder}; }
}\n`,
  );
  return path;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => void server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as { port: number };
  await new Promise((closed) => server.close(closed));
  return port;
}

function compare(
  seeds: readonly string[],
  { work, python }: { readonly work: string; readonly python: string },
): void {
  const dir = join(work, 'crawl');
  const drumlin = join(ROOT, 'bin/drumlin');
  const read = (command: string, args: readonly string[]) =>
    execFileSync(command, args, { maxBuffer: MOST_OUTPUT, encoding: 'utf8', cwd: work });
  const timed = <T>(name: string, work: () => T): T => {
    const began = performance.now();
    const result = work();
    console.log(`${name}: ${((performance.now() - began) / 1000).toFixed(1)} s`);
    return result;
  };
  const flags = ['--scope', 'host', '--allow-private', '--delay', '0', '--config', '', '--json'];
  const summary = JSON.parse(
    timed('drumlin', () => read(drumlin, ['crawl', ...seeds, '--dir', dir, ...flags])),
  );
  const jsonLines = (...args: string[]) =>
    read(drumlin, ['archive', 'list', dir, '--json', ...args])
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  const fetched = new Set(jsonLines().map(({ url }) => url as string));
  const skipped = new Map(
    jsonLines('--skipped').map(({ url, kind, reason }) => [url as string, `${kind} ${reason}`]),
  );
  const walked = timed('python', () => read(python, [WALK, ...seeds]))
    .split('\n')
    .filter(Boolean);
  const found = {
    python: walked.map((line) => line.slice(line.indexOf(' ') + 1)),
    wget: timed('wget', () => wget(seeds, work)),
  };
  const { pages, statuses, cpuSeconds, refused } = summary;
  console.log(
    `drumlin: ${pages} pages (${JSON.stringify(statuses)}) in ${cpuSeconds.toFixed(1)} s of CPU time; ` +
      `${skipped.size} URLs skipped; links ${JSON.stringify(refused)}`,
  );
  const kinds = new Map<string, number>();
  for (const why of skipped.values()) kinds.set(why, (kinds.get(why) ?? 0) + 1);
  for (const [why, n] of kinds) console.log(`  skipped: ${n} ${why}`);
  for (const [name, urls] of Object.entries(found)) judge(name, urls, fetched, skipped);
}

/** The URLs that wget requests when it follows only `<a href>`. */
function wget(seeds: readonly string[], work: string): string[] {
  const into = join(work, 'wget');
  const flags = ['-r', '-l', 'inf', '--follow-tags=a', '-e', 'robots=off', '-nv', '--delete-after'];
  const { stderr } = spawnSync('wget', [...flags, '--max-redirect=20', '-P', into, ...seeds], {
    ...{ maxBuffer: MOST_OUTPUT, encoding: 'utf8', cwd: work },
  });
  const urls = stderr.matchAll(/URL:\s*(http\S+)|^(http\S+):$/gm);
  return [...urls].map(([, fetched, failed]) => fetched ?? failed);
}

function judge(
  name: string,
  urls: readonly string[],
  fetched: ReadonlySet<string>,
  skipped: ReadonlyMap<string, string>,
): void {
  const canonical = new Set(urls.map((url) => canonicalise(url) ?? url));
  const missing = [...canonical].filter((url) => !fetched.has(url) && !skipped.has(url));
  const both = [...canonical].filter((url) => fetched.has(url)).length;
  console.log(
    `${name}: ${canonical.size} URLs; ${both} fetched by Drumlin too, ` +
      `${canonical.size - both - missing.length} listed as skipped, ${missing.length} missing`,
  );
  for (const url of missing.slice(0, 20)) console.log(`  missing: ${url}`);
  if (missing.length > 0) process.exitCode = 1;
}
