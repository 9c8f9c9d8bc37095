/**
 * A URL and how it was come by: what travels through the sieve as auxiliary bytes, and waits in the frontier.
 *
 * Format    UTF-8 text: one character of depth, one of redirects, then the URL. Both counts stop at 127, so that
 *           each is one byte.
 */
export interface Discovery {
  readonly url: string;
  /** Links followed from a seed to here. */
  readonly depth: number;
  /** Redirects followed in a row to here. */
  readonly redirects: number;
  /** Times it was tried and failed; not stored, since a restarted crawl may try afresh. */
  readonly attempts?: number;
}

const MOST = 127;
const decoder = new TextDecoder();

export function encodeDiscovery({ url, depth, redirects }: Discovery): string {
  return String.fromCharCode(Math.min(depth, MOST), Math.min(redirects, MOST)) + url;
}

export function decodeDiscovery(bytes: Uint8Array): Discovery {
  return { depth: bytes[0], redirects: bytes[1], url: decoder.decode(bytes.subarray(2)) };
}
