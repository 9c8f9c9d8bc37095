/**
 * The part of WebAssembly that kernels use, with its types. TypeScript has them only in its DOM
 * library, whose other names do not exist in Node.
 */

export interface KernelMemory<Buffer extends ArrayBufferLike> {
  readonly buffer: Buffer;
  /** Returns how many pages there were before. */
  grow(pages: number): number;
}

interface Engine {
  /** Sizes are in pages of 64 kB. */
  readonly Memory: {
    new (size: { initial: number; maximum: number; shared: true }): KernelMemory<SharedArrayBuffer>;
    new (size: { initial: number; maximum?: number }): KernelMemory<ArrayBuffer>;
  };
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports?: object) => { readonly exports: object };
}

export const { WebAssembly } = globalThis as unknown as { readonly WebAssembly: Engine };
