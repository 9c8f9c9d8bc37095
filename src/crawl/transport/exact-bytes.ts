/**
 * Bytes as they are cheap to clone: a message port takes a view's whole buffer along, of which the view may show little (a small
 * `Buffer` is a view of a shared 8 KiB, a body often one of all that was received).
 */
export function exactBytes(bytes: Uint8Array): Uint8Array {
  return bytes.length === bytes.buffer.byteLength ? bytes : Uint8Array.from(bytes);
}
