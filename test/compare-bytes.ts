/**
 * Vitest compares arrays of bytes key by key, which takes seconds for pages. This finds equal
 * arrays at once; for others Vitest reports where they differ.
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
