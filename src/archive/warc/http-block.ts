/**
 * What an HTTP block in an archive holds: where its head ends, and its payload without chunk framing.
 *
 * Requires  Bytes as they came from some server and some crawler: nothing about them can be relied on.
 * Ensures   Never throws. A body that says it is chunked but is not counts as it stands (other readers do so
 *           too); of framing that breaks off, what was framed whole or in part counts.
 */

/** The offset behind the empty line that ends the head; -1 where there is none. */
export function headEnd(block: Uint8Array): number {
  for (let i = block.indexOf(10); i >= 0; i = block.indexOf(10, i + 1)) {
    if (block[i + 1] === 10) return i + 2;
    if (block[i + 1] === 13 && block[i + 2] === 10) return i + 3;
  }
  return -1;
}

/** Everything behind the head; nothing where the head does not end. */
export function bodyOf(block: Uint8Array): Uint8Array {
  const end = headEnd(block);
  return block.subarray(end < 0 ? block.length : end);
}

/** Does the last Transfer-Encoding line of the head name chunked as the last coding? */
export function isChunked(head: Uint8Array): boolean {
  const text = Buffer.from(head.buffer, head.byteOffset, head.length).toString('latin1');
  const values = [...text.matchAll(/^transfer-encoding[ \t]*:[ \t]*(.*?)[ \t]*$/gim)];
  return /(^|,)[ \t]*chunked$/i.test(values.at(-1)?.[1] ?? '');
}

/** The payload of an HTTP message: transfer coding removed, content coding kept. */
export function payloadOf(block: Uint8Array): Uint8Array {
  const body = bodyOf(block);
  return isChunked(block.subarray(0, block.length - body.length)) ? dechunk(body) : body;
}

/** Removes chunk framing; trailers are dropped with it. */
export function dechunk(body: Uint8Array): Uint8Array {
  const chunks: Uint8Array[] = [];
  let at = 0;
  for (;;) {
    const lineEnd = body.indexOf(10, at);
    const size = lineEnd < 0 ? Number.NaN : chunkSize(body.subarray(at, lineEnd));
    if (Number.isNaN(size)) return at === 0 ? body : Buffer.concat(chunks);
    if (size === 0) return Buffer.concat(chunks);
    chunks.push(body.subarray(lineEnd + 1, lineEnd + 1 + size));
    at = lineEnd + 1 + size;
    // The line end behind a chunk: CR LF, or LF alone where the server is sloppy.
    if (body[at] === 13) at++;
    if (body[at] === 10) at++;
    else return Buffer.concat(chunks);
  }
}

function chunkSize(line: Uint8Array): number {
  const match = /^[ \t]*([0-9a-f]{1,12})[ \t]*(;.*)?\r?$/is.exec(
    Buffer.from(line).toString('latin1'),
  );
  return match ? Number.parseInt(match[1], 16) : Number.NaN;
}
