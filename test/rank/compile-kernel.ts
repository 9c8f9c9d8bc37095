/**
 * `npx tsx test/rank/compile-kernel.ts` rewrites src/rank/engine/kernel-wasm.ts after a change of
 * kernel.as.ts: see compile-assemblyscript.ts.
 */
import { fileURLToPath } from 'node:url';
import { COMMON_FLAGS, compile, SHARED_MEMORY, writeModule } from '../compile-assemblyscript.ts';

const SOURCE = new URL('../../src/rank/engine/kernel.as.ts', import.meta.url);
const TARGET = new URL('../../src/rank/engine/kernel-wasm.ts', import.meta.url);

export const compileKernel = (): Promise<Uint8Array> =>
  compile(SOURCE, [...COMMON_FLAGS, '--enable', 'threads', ...SHARED_MEMORY]);

if (process.argv[1] === fileURLToPath(import.meta.url))
  await writeModule(TARGET, await compileKernel(), 'KERNEL_WASM', 'test/rank/compile-kernel.ts');
