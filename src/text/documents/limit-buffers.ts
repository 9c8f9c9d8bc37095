/**
 * A limit on the buffers of a thread.
 *
 * Idea      The limits of a worker thread cover its heap, not its typed arrays, and a few kilobytes
 *           of deflate become gigabytes of those. PDF.js unpacks with `DecompressionStream`, or
 *           into byte arrays that it doubles. Here the constructor of byte arrays refuses one that
 *           is too large, alone or together with those that exist, and the stream has the same
 *           limit.
 * Requires  A thread of its own: both are replaced for all code in it.
 * Cost      nothing for arrays below 1 MB.
 */
import { TransformStream } from 'node:stream/web';
import { inflateSync } from 'node:zlib';
import { systemCode } from '../../base/errors.ts';

/** Smaller arrays are not counted one by one. */
const SMALL = 1024 * 1024;

/** Calls `onRefusal` before something beyond the limit is refused. */
export function limitBuffers(most: number, onRefusal: () => void): void {
  const ByteArray = globalThis.Uint8Array;
  const room = () => Math.max(0, most - process.memoryUsage().arrayBuffers);
  const refuse = () => {
    onRefusal();
    throw new RangeError('bytes beyond the limit');
  };
  globalThis.Uint8Array = new Proxy(ByteArray, {
    construct(target, values, newTarget) {
      const [length] = values;
      if (typeof length === 'number' && length >= SMALL && length > room()) refuse();
      return Reflect.construct(target, values, newTarget);
    },
  });
  const inflate = (bytes: Uint8Array): Uint8Array => {
    try {
      return inflateSync(bytes, { maxOutputLength: Math.max(SMALL, room()) });
    } catch (error) {
      if (systemCode(error) === 'ERR_BUFFER_TOO_LARGE') refuse();
      throw error;
    }
  };
  Reflect.set(globalThis, 'DecompressionStream', streamOf(inflate));
}

/** A `DecompressionStream` for deflate that unpacks at once when it has everything. */
function streamOf(inflate: (bytes: Uint8Array) => Uint8Array) {
  return class extends TransformStream<Uint8Array, Uint8Array> {
    constructor(format: string) {
      if (format !== 'deflate') throw new TypeError(`no stream for ${format}`);
      const parts: Uint8Array[] = [];
      super({
        transform: (part) => void parts.push(part),
        flush: (controller) => controller.enqueue(inflate(Buffer.concat(parts))),
      });
    }
  };
}
