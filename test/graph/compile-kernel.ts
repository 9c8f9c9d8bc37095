/**
 * `npx tsx test/graph/compile-kernel.ts` rewrites src/graph/kernel-wasm.ts after a change of
 * kernel.as.ts: see compile-assemblyscript.ts.
 */
import { fileURLToPath } from 'node:url';
import { COMMON_FLAGS, compile, writeModule } from '../compile-assemblyscript.ts';

const SOURCE = new URL('../../src/graph/kernel.as.ts', import.meta.url);
const TARGET = new URL('../../src/graph/kernel-wasm.ts', import.meta.url);

export const compileKernel = (): Promise<Uint8Array> =>
  compile(SOURCE, [...COMMON_FLAGS, '--enable', 'simd']);

if (process.argv[1] === fileURLToPath(import.meta.url))
  await writeModule(TARGET, await compileKernel(), 'KERNEL_WASM', 'test/graph/compile-kernel.ts');
