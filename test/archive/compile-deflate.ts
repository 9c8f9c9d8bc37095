/**
 * Compiles the deflate kernel: `npx tsx test/archive/compile-deflate.ts` rewrites
 * src/archive/compress/deflate-wasm.ts after a change of deflate.as.ts or huffman.as.ts. The
 * compiled bytes are committed, because users who install the package have no compiler. A test
 * compares them.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import asc from 'assemblyscript/asc';

const FOLDER = new URL('../../src/archive/compress/', import.meta.url);
const SOURCES = ['deflate.as.ts', 'huffman.as.ts'];
/** In pages of 64 KiB: the memory that deflate.as.ts lays out. */
const PAGES = '12';

export async function compileDeflate(): Promise<Uint8Array> {
  const sources = new Map<string, string>();
  for (const name of SOURCES) sources.set(name, await readFile(new URL(name, FOLDER), 'utf8'));
  let wasm: Uint8Array | undefined;
  const { error, stderr } = await asc.main(
    [
      'deflate.as.ts',
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
      'deflate.wasm',
    ],
    {
      readFile: (name) => sources.get(name) ?? null,
      writeFile: (name, contents) => {
        if (name === 'deflate.wasm') wasm = contents as Uint8Array;
      },
      listFiles: () => [],
    },
  );
  if (error || !wasm) throw new Error(`The deflate kernel does not compile:\n${stderr.toString()}`);
  return wasm;
}

function asModule(wasm: Uint8Array): string {
  const lines =
    Buffer.from(wasm)
      .toString('base64')
      .match(/.{1,104}/g) ?? [];
  return `/** Generated from deflate.as.ts by test/archive/compile-deflate.ts; not to be edited. */
export const DEFLATE_WASM = Buffer.from(
  \`
${lines.join('\n')}
\`,
  'base64',
);
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await writeFile(new URL('deflate-wasm.ts', FOLDER), asModule(await compileDeflate()));
}
