/**
 * Bytes that are cheap to clone. A message port clones the whole buffer of a view, however small
 * the view is: a small `Buffer` is a view of a shared 8 KiB, and a body is often a view of
 * everything received.
 */
export function exactBytes(bytes: Uint8Array): Uint8Array {
  return bytes.length === bytes.buffer.byteLength ? bytes : Uint8Array.from(bytes);
}
