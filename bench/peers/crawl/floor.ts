/** The floor: the least that a page costs in C, in parts (floor/floor.c). */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CONCURRENCY, type Contender, missing, PEERS, resultOf, succeeds } from './contender.ts';

export function floor(): Contender[] {
  const source = join(PEERS, 'floor');
  const command = join(source, 'node_modules', 'floor');
  mkdirSync(join(source, 'node_modules'), { recursive: true });
  const gcc = ['-O2', '-march=native', '-Wno-deprecated-declarations', 'floor.c', '-o', command];
  const deflate = succeeds('gcc', [...gcc, '-DWITH_LIBDEFLATE', '-ldeflate', '-lcrypto'], source)
    ? 'libdeflate'
    : 'zlib';
  if (deflate === 'zlib' && !succeeds('gcc', [...gcc, '-lz', '-lcrypto'], source))
    return missing('The floor', 'Install gcc, libssl-dev and libdeflate-dev (or zlib1g-dev).');
  const contender = (name: string, does: string, level: string): Contender => ({
    name,
    does,
    share: 1,
    async run({ seeds }, pages) {
      const folder = mkdtempSync(join(tmpdir(), 'floor-bench-'));
      const file = join(folder, 'crawl.warc');
      try {
        return await resultOf({
          command,
          args: [String(pages), CONCURRENCY, file, level, ...seeds],
        });
      } finally {
        rmSync(folder, { recursive: true });
      }
    },
  });
  return [
    contender('floor in C', `WARC with digests, ${deflate} level 1`, '1'),
    contender('floor in C, plain', 'WARC with digests, no compression', '0'),
  ];
}
