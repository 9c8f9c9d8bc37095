/** BUbiNG, the crawler whose design Drumlin follows, in Java: fetched by Maven. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CONCURRENCY, type Contender, resultOf, versionIn } from './contender.ts';
import { javaPeer, missingJava } from './java.ts';

export function bubing(): Contender[] {
  const peer = javaPeer('bubing');
  if (!peer) return missingJava('BUbiNG');
  return [
    {
      name: `BUbiNG ${versionIn('bubing/pom.xml', /<artifactId>bubing<[\s\S]*?<version>(.+?)</)}`,
      does: 'WARC, gzip; robots.txt; queues on disk',
      share: 0.3,
      async run({ seeds }, pages) {
        const folder = mkdtempSync(join(tmpdir(), 'bubing-bench-'));
        const settings = join(peer.source, 'bubing.properties');
        const args = [String(pages), CONCURRENCY, join(folder, 'crawl'), settings, ...seeds];
        const options = [
          '-Xmx1500m',
          '-Djgroups.bind_addr=127.0.0.1',
          '-Dlogback.configurationFile=logback.xml',
        ];
        try {
          return await resultOf(peer.program(options, args));
        } finally {
          rmSync(folder, { recursive: true });
        }
      },
    },
  ];
}
