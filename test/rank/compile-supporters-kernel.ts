/**
 * Compiles the kernels of counting supporters: `npx tsx test/rank/compile-supporters-kernel.ts` rewrites
 * src/rank/supporters-kernel-wasm.ts after a change of supporters-kernel.as.ts. The compiled bytes are committed, because whoever
 * installs the package has no compiler; a test compares them.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import asc from 'assemblyscript/asc';

const SOURCE = new URL('../../src/rank/supporters-kernel.as.ts', import.meta.url);
const TARGET = new URL('../../src/rank/supporters-kernel-wasm.ts', import.meta.url);

const FLAGS = [
  ...['-O3', '--noAssert', '--runtime', 'stub', '--importMemory', '--enable', 'threads,simd'],
  ...['--sharedMemory', '--initialMemory', '1', '--maximumMemory', '65536'],
];

export async function compileSupportersKernel(): Promise<Uint8Array> {
  const source = await readFile(SOURCE, 'utf8');
  let wasm: Uint8Array | undefined;
  const { error, stderr } = await asc.main(['kernel.ts', ...FLAGS, '-o', 'kernel.wasm'], {
    readFile: (name) => (name === 'kernel.ts' ? source : null),
    writeFile: (name, contents) => {
      if (name === 'kernel.wasm') wasm = contents as Uint8Array;
    },
    listFiles: () => [],
  });
  if (error || !wasm) throw new Error(`The kernels do not compile:\n${stderr.toString()}`);
  return wasm;
}

function asModule(wasm: Uint8Array): string {
  const lines =
    Buffer.from(wasm)
      .toString('base64')
      .match(/.{1,104}/g) ?? [];
  return `/** Generated from supporters-kernel.as.ts by test/rank/compile-supporters-kernel.ts; not to be edited. */
export const SUPPORTERS_KERNEL_WASM = Buffer.from(
  \`
${lines.join('\n')}
\`,
  'base64',
);
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  await writeFile(TARGET, asModule(await compileSupportersKernel()));
