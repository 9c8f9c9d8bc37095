/** wget with an archive: one connection, and a limit of bytes instead of pages. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Contender, missing, PEERS, runProgram, succeeds } from './contender.ts';

/** The mean of both webs. */
const BYTES_PER_PAGE = 25_000;

export function wget(): Contender[] {
  const source = join(PEERS, 'wget');
  const loopback = join(source, 'node_modules', 'loopback.so');
  mkdirSync(join(source, 'node_modules'), { recursive: true });
  const version = spawnSync('wget', ['--version'], { encoding: 'utf8' }).stdout ?? '';
  const compiled = succeeds(
    'gcc',
    ['-O2', '-shared', '-fPIC', 'loopback.c', '-o', loopback, '-ldl'],
    source,
  );
  if (!version || !compiled) return missing('wget', 'Install wget and gcc.');
  return [
    {
      name: `wget ${/Wget (\S+)/.exec(version)?.[1]}`,
      does: 'WARC with digests, gzip; robots.txt; one connection',
      share: 0.3,
      async run({ seeds }, pages) {
        const folder = mkdtempSync(join(tmpdir(), 'wget-bench-'));
        const log = join(folder, 'log');
        const archive = [`--warc-file=${join(folder, 'crawl')}`, '--no-warc-keep-log'];
        const follow = ['-r', '-l', 'inf', '-H', '-t', '1', '-Q', String(pages * BYTES_PER_PAGE)];
        const output = ['-nv', '-o', log, '-P', join(folder, 'files'), '--delete-after'];
        const env = { LD_PRELOAD: loopback, LC_ALL: 'C' };
        try {
          const { cpuSeconds, maxRssBytes, seconds } = await runProgram({
            command: 'wget',
            args: [...archive, ...follow, ...output, ...seeds],
            env,
          });
          // One line for each file; robots.txt is no page.
          const fetched = readFileSync(log, 'utf8').match(/ URL:(?!.*\/robots\.txt).* ->/g);
          return { pages: fetched?.length ?? 0, cpuSeconds, maxRssBytes, seconds };
        } finally {
          rmSync(folder, { recursive: true });
        }
      },
    },
  ];
}
