/**
 * Compiles the kernel: `npx tsx test/duplicates/compile-fingerprint.ts` rewrites src/duplicates/fingerprint-wasm.ts after a change of
 * fingerprint.as.ts. The compiled bytes are committed, because whoever installs the package has no compiler; a test compares them.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import asc from 'assemblyscript/asc';

const SOURCE = new URL('../../src/duplicates/fingerprint.as.ts', import.meta.url);
const TARGET = new URL('../../src/duplicates/fingerprint-wasm.ts', import.meta.url);
/** 64 KiB each: what fingerprint.as.ts lays out. */
const PAGES = '9';

export async function compileFingerprint(): Promise<Uint8Array> {
  const source = await readFile(SOURCE, 'utf8');
  let wasm: Uint8Array | undefined;
  const { error, stderr } = await asc.main(
    [
      'kernel.ts',
      '-O3',
      '--noAssert',
      '--runtime',
      'stub',
      '--initialMemory',
      PAGES,
      '--maximumMemory',
      PAGES,
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
  if (error || !wasm) throw new Error(`The kernel does not compile:\n${stderr.toString()}`);
  return wasm;
}

function asModule(wasm: Uint8Array): string {
  const lines =
    Buffer.from(wasm)
      .toString('base64')
      .match(/.{1,104}/g) ?? [];
  return `/** Generated from fingerprint.as.ts by test/duplicates/compile-fingerprint.ts; not to be edited. */
export const FINGERPRINT_WASM = Buffer.from(
  \`
${lines.join('\n')}
\`,
  'base64',
);
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await writeFile(TARGET, asModule(await compileFingerprint()));
}
