/**
 * Compiles the AssemblyScript kernels to WebAssembly: `npm run kernels`.
 *
 * The bytes are committed beside their sources, because users who install the package have no
 * compiler. `test/kernels.test.ts` checks that they are what the sources compile to.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import asc from 'assemblyscript/asc';

const ROOT = join(import.meta.dirname, '..');
const ALWAYS = ['-O3', '--noAssert', '--runtime', 'stub'];
const SHARED = ['--sharedMemory', '--initialMemory', '1', '--maximumMemory', '65536'];

export interface KernelSource {
  /** The AssemblyScript file; it may import others. */
  readonly source: string;
  /** The constant that its `-wasm.ts` module exports. */
  readonly constant: string;
  readonly flags: readonly string[];
}

/** A memory of its own, of a fixed number of 64 KiB pages: as the source lays it out. */
const ownMemory = (pages: number): string[] => [
  ...['--enable', 'simd'],
  ...['--initialMemory', String(pages), '--maximumMemory', String(pages)],
];

export const KERNELS: readonly KernelSource[] = [
  {
    source: 'src/archive/compress/deflate.as.ts',
    constant: 'DEFLATE_WASM',
    flags: ownMemory(12),
  },
  {
    source: 'src/base/xxh64.as.ts',
    constant: 'XXH64_WASM',
    flags: ['--initialMemory', '1'],
  },
  {
    source: 'src/drum/kernel.as.ts',
    constant: 'KERNEL_WASM',
    flags: ['--importMemory', '--enable', 'simd'],
  },
  {
    source: 'src/duplicates/fingerprint.as.ts',
    constant: 'FINGERPRINT_WASM',
    flags: ownMemory(19),
  },
  {
    source: 'src/graph/kernel.as.ts',
    constant: 'KERNEL_WASM',
    flags: ['--importMemory', '--enable', 'simd'],
  },
  {
    source: 'src/matrix/dense/dense.as.ts',
    constant: 'DENSE_WASM',
    flags: ['--enable', 'simd', '--initialMemory', '1'],
  },
  { source: 'src/parse/links.as.ts', constant: 'LINKS_WASM', flags: ownMemory(22) },
  {
    source: 'src/rank/engine/kernel.as.ts',
    constant: 'KERNEL_WASM',
    flags: ['--importMemory', '--enable', 'threads,simd', ...SHARED],
  },
  {
    source: 'src/rank/supporters/supporters-kernel.as.ts',
    constant: 'SUPPORTERS_KERNEL_WASM',
    flags: ['--importMemory', '--enable', 'threads,simd', ...SHARED],
  },
  {
    source: 'src/search/build/run-kernel.as.ts',
    constant: 'RUN_KERNEL_WASM',
    flags: ['--initialMemory', '8'],
  },
  {
    source: 'src/search/query/scan-kernel.as.ts',
    constant: 'SCAN_KERNEL_WASM',
    flags: ['--enable', 'simd', '--initialMemory', '5'],
  },
  {
    source: 'src/search/store/posting-kernel.as.ts',
    constant: 'POSTING_KERNEL_WASM',
    flags: ['--initialMemory', '1'],
  },
  {
    source: 'src/spam/features/content/page-kernel.as.ts',
    constant: 'PAGE_KERNEL_WASM',
    flags: ownMemory(24),
  },
  { source: 'src/text/signals.as.ts', constant: 'SIGNALS_WASM', flags: ['--initialMemory', '16'] },
];

export const targetOf = ({ source }: KernelSource): string =>
  join(ROOT, source.replace(/\.as\.ts$/, '-wasm.ts'));

/** The module that `-wasm.ts` must hold. */
export async function moduleOf(kernel: KernelSource): Promise<string> {
  const wasm = await compile(kernel);
  const lines = Buffer.from(wasm)
    .toString('base64')
    .match(/.{1,96}/g);
  return `/** Generated from ${basename(kernel.source)} by \`npm run kernels\`; do not edit. */
export const ${kernel.constant} = Buffer.from(
  \`
${lines?.join('\n')}
\`,
  'base64',
);
`;
}

async function compile({ source, flags }: KernelSource): Promise<Uint8Array> {
  const folder = join(ROOT, dirname(source));
  let wasm: Uint8Array | undefined;
  const { error, stderr } = await asc.main(
    [basename(source), ...ALWAYS, ...flags, '-o', 'kernel.wasm'],
    {
      readFile: (name) => readFile(join(folder, name), 'utf8').catch(() => null),
      writeFile: (name, contents) => {
        if (name === 'kernel.wasm') wasm = contents as Uint8Array;
      },
      listFiles: () => [],
    },
  );
  if (error || !wasm) throw new Error(`${source} does not compile:\n${stderr.toString()}`);
  return wasm;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const kernel of KERNELS) await writeFile(targetOf(kernel), await moduleOf(kernel));
}
