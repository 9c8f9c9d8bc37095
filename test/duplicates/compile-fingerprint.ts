/**
 * `npx tsx test/duplicates/compile-fingerprint.ts` rewrites src/duplicates/fingerprint-wasm.ts
 * after a change of fingerprint.as.ts: see compile-assemblyscript.ts.
 */
import { fileURLToPath } from 'node:url';
import { compile, writeModule } from '../compile-assemblyscript.ts';

const SOURCE = new URL('../../src/duplicates/fingerprint.as.ts', import.meta.url);
const TARGET = new URL('../../src/duplicates/fingerprint-wasm.ts', import.meta.url);
/** In pages of 64 KiB: the memory that fingerprint.as.ts lays out. */
const PAGES = '9';
const FLAGS = [
  ...['-O3', '--noAssert', '--runtime', 'stub', '--enable', 'simd'],
  ...['--initialMemory', PAGES, '--maximumMemory', PAGES],
];

export const compileFingerprint = (): Promise<Uint8Array> => compile(SOURCE, FLAGS);

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const by = 'test/duplicates/compile-fingerprint.ts';
  await writeModule(TARGET, await compileFingerprint(), 'FINGERPRINT_WASM', by);
}
