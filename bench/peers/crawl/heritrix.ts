/** Heritrix, the crawler of the Internet Archive, in Java: fetched by Maven. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CONCURRENCY, type Contender, resultOf, versionIn } from './contender.ts';
import { javaPeer, missingJava } from './java.ts';

export function heritrix(): Contender[] {
  const peer = javaPeer('heritrix');
  if (!peer) return missingJava('Heritrix');
  const version = versionIn('heritrix/pom.xml', /heritrix-engine<[\s\S]*?<version>(.+?)</);
  return [
    {
      name: `Heritrix ${version}`,
      does: 'WARC with digests, gzip; robots.txt, DNS; queues on disk',
      share: 0.1,
      async run({ dns, seeds }, pages) {
        const folder = mkdtempSync(join(tmpdir(), 'heritrix-bench-'));
        const options = ['-Xmx2g', `-Ddns.server=${dns}`];
        const args = [String(pages), CONCURRENCY, folder, ...seeds];
        try {
          return await resultOf(peer.program(options, args));
        } finally {
          rmSync(folder, { recursive: true });
        }
      },
    },
  ];
}
