/**
 * A URL and how it was discovered: the auxiliary bytes in the sieve, and the entries of the
 * frontier.
 *
 * It has two forms. For the sieve it is text: one character of depth, one of redirects, then the
 * URL; both counts stop at 127, so that each is one byte. In the queue of its host it has no host
 * name (`PathQueue`).
 */
export interface Discovery {
  readonly url: string;
  /** Links followed from a seed to here. */
  readonly depth: number;
  /** Redirects followed in a row to here. */
  readonly redirects: number;
  /** How often it was tried and failed. */
  readonly attempts?: number;
}

/** The largest count stored: larger ones become this. */
export const MOST = 127;

export function encodeDiscovery({ url, depth, redirects }: Discovery): string {
  return String.fromCharCode(Math.min(depth, MOST), Math.min(redirects, MOST)) + url;
}

/** Canonical URLs are ASCII. */
export function decodeDiscovery(bytes: Uint8Array): Discovery {
  const url = Buffer.from(bytes.buffer, bytes.byteOffset + 2, bytes.length - 2).toString('latin1');
  return { depth: bytes[0], redirects: bytes[1], url };
}
