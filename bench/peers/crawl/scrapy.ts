/** Scrapy, a crawler in Python: Debian's, which needs Debian's Python. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { CONCURRENCY, type Contender, missing, PEERS, resultOf } from './contender.ts';

const PYTHON = '/usr/bin/python3';

export function scrapy(): Contender[] {
  const version = spawnSync(PYTHON, ['-c', 'import scrapy; print(scrapy.__version__)'], {
    encoding: 'utf8',
  });
  if (version.status !== 0) return missing('Scrapy', "Install Debian's python3-scrapy.");
  return [
    {
      name: `Scrapy ${version.stdout.trim()}`,
      does: 'keeps URL and title',
      share: 0.1,
      run: ({ seeds }, pages) =>
        resultOf({
          command: PYTHON,
          args: [join(PEERS, 'scrapy_peer.py'), String(pages), CONCURRENCY, ...seeds],
        }),
    },
  ];
}
