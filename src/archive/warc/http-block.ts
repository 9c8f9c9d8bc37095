/**
 * The parts of an HTTP block in an archive: where its head ends, and its payload without chunk
 * framing.
 *
 * Requires  Bytes from any server and any crawler: nothing about them can be relied on.
 * Ensures   Never throws. A body that claims to be chunked but is not is returned unchanged (other
 *           readers do the same). If the framing breaks off, the data up to there counts.
 */

/** The offset after the empty line that ends the head; -1 if there is none. */
export function headEnd(block: Uint8Array): number {
  for (let i = block.indexOf(10); i >= 0; i = block.indexOf(10, i + 1)) {
    if (block[i + 1] === 10) return i + 2;
    if (block[i + 1] === 13 && block[i + 2] === 10) return i + 3;
  }
  return -1;
}

/** Everything after the head; empty if the head does not end. */
export function bodyOf(block: Uint8Array): Uint8Array {
  const end = headEnd(block);
  return block.subarray(end < 0 ? block.length : end);
}

/** Whether the last Transfer-Encoding line of the head names chunked as the last coding. */
export function isChunked(head: Uint8Array): boolean {
  const text = Buffer.from(head.buffer, head.byteOffset, head.length).toString('latin1');
  // Blanks at the end are trimmed apart: in the expression they take quadratic time.
  const values = [...text.matchAll(/^transfer-encoding[ \t]*:(.*)$/gim)];
  return /(^|,)[ \t]*chunked$/i.test(values.at(-1)?.[1].trim() ?? '');
}

/** The payload of an HTTP message: transfer coding removed, content coding kept. */
export function payloadOf(block: Uint8Array): Uint8Array {
  const body = bodyOf(block);
  return isChunked(block.subarray(0, block.length - body.length)) ? dechunk(body) : body;
}

/** Removes chunk framing and trailers. */
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
    // The line end after a chunk: CR LF, or LF alone from sloppy servers.
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
