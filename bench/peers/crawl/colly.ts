/** Colly, a crawler in Go: `go` fetches and compiles it. */
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

export function colly(): Contender[] {
  const source = join(PEERS, 'colly');
  const command = join(source, 'node_modules', 'colly-peer');
  if (!builds('go', ['build', '-o', command, '.'], source)) return missing('Colly', 'Install Go.');
  return [
    {
      name: `Colly ${versionIn('colly/go.mod', /colly\/v2 v(\S+)/)}`,
      does: 'keeps URL and title',
      share: 1,
      run: ({ seeds }, pages) =>
        resultOf({ command, args: [String(pages), CONCURRENCY, ...seeds] }),
    },
  ];
}
