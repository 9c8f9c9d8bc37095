/**
 * Compiles the kernels: `npx tsx test/drum/compile-kernel.ts` rewrites src/drum/kernel-wasm.ts
 * after a change of kernel.as.ts. The compiled bytes are committed, so that the package needs no
 * compiler; a test compares them.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import asc from 'assemblyscript/asc';

const SOURCE = new URL('../../src/drum/kernel.as.ts', import.meta.url);
const TARGET = new URL('../../src/drum/kernel-wasm.ts', import.meta.url);

export async function compileKernel(): Promise<Uint8Array> {
  const source = await readFile(SOURCE, 'utf8');
  let wasm: Uint8Array | undefined;
  const { error, stderr } = await asc.main(
    [
      'kernel.ts',
      '-O3',
      '--noAssert',
      '--runtime',
      'stub',
      '--importMemory',
      '--enable',
      'simd',
      '-o',
      'kernel.wasm',
    ],
    {
      readFile: (name) => (name === 'kernel.ts' ? source : null),
      writeFile: (name, contents) => {
        if (name === 'kernel.wasm') wasm = contents as Uint8Array;
      },
      listFiles: () => [],
    },
  );
  if (error || !wasm) throw new Error(`The kernels do not compile:\n${stderr.toString()}`);
  return wasm;
}

export function asModule(wasm: Uint8Array): string {
  const lines =
    Buffer.from(wasm)
      .toString('base64')
      .match(/.{1,104}/g) ?? [];
  return `/** Generated from kernel.as.ts by test/drum/compile-kernel.ts; not to be edited. */
export const KERNEL_WASM = Buffer.from(
  \`
${lines.join('\n')}
\`,
  'base64',
);
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  await writeFile(TARGET, asModule(await compileKernel()));
