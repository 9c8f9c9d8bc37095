/**
 * Vitest compares arrays of bytes key by key, which takes seconds for pages. Those that are equal are told at once; those that are
 * not are left to Vitest, which says where they differ.
 */
import { expect } from 'vitest';

const bytesOf = (a: ArrayBufferView) => new Uint8Array(a.buffer, a.byteOffset, a.byteLength);

expect.addEqualityTesters([
  (a: unknown, b: unknown) => {
    if (!ArrayBuffer.isView(a) || !ArrayBuffer.isView(b) || a.constructor !== b.constructor)
      return undefined;
    return a.byteLength === b.byteLength && Buffer.compare(bytesOf(a), bytesOf(b)) === 0
      ? true
      : undefined;
  },
]);
