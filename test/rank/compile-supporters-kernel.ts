/**
 * `npx tsx test/rank/compile-supporters-kernel.ts` rewrites
 * src/rank/supporters/supporters-kernel-wasm.ts after a change of supporters-kernel.as.ts: see
 * compile-assemblyscript.ts.
 */
import { fileURLToPath } from 'node:url';
import { COMMON_FLAGS, compile, SHARED_MEMORY, writeModule } from '../compile-assemblyscript.ts';

const SOURCE = new URL('../../src/rank/supporters/supporters-kernel.as.ts', import.meta.url);
const TARGET = new URL('../../src/rank/supporters/supporters-kernel-wasm.ts', import.meta.url);

export const compileSupportersKernel = (): Promise<Uint8Array> =>
  compile(SOURCE, [...COMMON_FLAGS, '--enable', 'threads,simd', ...SHARED_MEMORY]);

if (process.argv[1] === fileURLToPath(import.meta.url))
  await writeModule(
    TARGET,
    await compileSupportersKernel(),
    'SUPPORTERS_KERNEL_WASM',
    'test/rank/compile-supporters-kernel.ts',
  );
