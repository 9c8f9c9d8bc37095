/**
 * The memory that the dense kernel works in: matrices are copied in, worked on, and copied out.
 *
 * Requires  one user at a time: `take` gives the same memory to the next. No user waits for
 *           anything between `take` and its last use.
 * Costs     the memory of the largest matrices so far; it grows and never shrinks.
 */
import { type KernelMemory, WebAssembly } from '../../base/web-assembly.ts';
import { DENSE_WASM } from './dense-wasm.ts';

const PAGE = 65_536;
/** AssemblyScript keeps its first bytes to itself. */
const START = 1024;

/** Addresses and strides are in bytes, counts in numbers; dense.as.ts says what each does. */
interface Functions {
  readonly memory: KernelMemory<ArrayBuffer>;
  hessenberg(a: number, n: number, z: number, rows: number, v: number, sums: number): void;
  reflectRows(p: number, stride: number, count: number, v1: number, v2: number, tau: number): void;
  reflectColumns(
    p: number,
    stride: number,
    count: number,
    v1: number,
    v2: number,
    tau: number,
  ): void;
  reflectTwoRows(p: number, stride: number, count: number, v1: number, tau: number): void;
  reflectTwoColumns(p: number, stride: number, count: number, v1: number, tau: number): void;
  times(m: number, n: number, count: number, x: number, length: number, result: number): void;
}

export const kernel = new WebAssembly.Instance(new WebAssembly.Module(DENSE_WASM))
  .exports as unknown as Functions;

/** Arrays of these lengths; their contents are left over. */
export function take(...lengths: number[]): Float64Array[] {
  const bytes = START + 8 * lengths.reduce((sum, length) => sum + length, 0);
  const missing = Math.ceil((bytes - kernel.memory.buffer.byteLength) / PAGE);
  if (missing > 0) kernel.memory.grow(missing);
  let at = START;
  return lengths.map((length) => {
    const array = new Float64Array(kernel.memory.buffer, at, length);
    at += 8 * length;
    return array;
  });
}
