/** Crawlee, a crawler in TypeScript: installed by npm into this folder. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  builds,
  CONCURRENCY,
  type Contender,
  missing,
  PEERS,
  resultOf,
  versionIn,
} from './contender.ts';

export function crawlee(): Contender[] {
  const install = ['install', '--no-package-lock', '--ignore-scripts'];
  if (!existsSync(join(PEERS, 'node_modules')) && !builds('npm', install, PEERS))
    return missing('Crawlee', 'Let npm reach its registry.');
  return [
    {
      name: `Crawlee ${versionIn('package.json', /"@crawlee\/cheerio": "(.+?)"/)}`,
      does: 'keeps URL and title',
      share: 0.1,
      run: ({ seeds }, pages) =>
        resultOf({
          command: process.execPath,
          args: [join(PEERS, 'crawlee.mjs'), String(pages), CONCURRENCY, ...seeds],
          cwd: PEERS,
        }),
    },
  ];
}
