/** spider, a crawler in Rust: `cargo` fetches and compiles it, which takes minutes once. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
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

export function spider(): Contender[] {
  const source = join(PEERS, 'spider');
  const target = join(source, 'node_modules');
  if (!builds('cargo', ['build', '--release', '--target-dir', target], source))
    return missing('spider', 'Install Rust with cargo.');
  const version = versionIn('spider/Cargo.toml', /spider = .*"=(.+?)"/);
  const contender = (kind: string, does: string, archive: boolean): Contender => ({
    name: `spider ${version}${kind}`,
    does,
    share: 1,
    async run({ seeds }, pages) {
      const folder = mkdtempSync(join(tmpdir(), 'spider-bench-'));
      const file = archive ? join(folder, 'crawl.warc') : '-';
      const command = join(target, 'release', 'spider-peer');
      try {
        return await resultOf({ command, args: [String(pages), CONCURRENCY, file, ...seeds] });
      } finally {
        rmSync(folder, { recursive: true });
      }
    },
  });
  return [
    contender(', WARC', 'WARC without compression and digests', true),
    contender('', 'nothing', false),
  ];
}
