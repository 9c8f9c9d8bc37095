/**
 * A URL and how it was come by: what travels through the sieve as auxiliary bytes, and waits in the frontier.
 *
 * Two forms. On its way to the sieve it is text: one character of depth, one of redirects, then the URL; both counts stop
 * at 127, so that each is one byte. Where it waits it stands among others of its host, so the host is left out
 * (`PathQueue`).
 */
export interface Discovery {
  readonly url: string;
  /** Links followed from a seed to here. */
  readonly depth: number;
  /** Redirects followed in a row to here. */
  readonly redirects: number;
  /** Times it was tried and failed. */
  readonly attempts?: number;
}

/** The largest count that is told apart. */
export const MOST = 127;

export function encodeDiscovery({ url, depth, redirects }: Discovery): string {
  return String.fromCharCode(Math.min(depth, MOST), Math.min(redirects, MOST)) + url;
}

/** Canonical URLs are ASCII. */
export function decodeDiscovery(bytes: Uint8Array): Discovery {
  const url = Buffer.from(bytes.buffer, bytes.byteOffset + 2, bytes.length - 2).toString('latin1');
  return { depth: bytes[0], redirects: bytes[1], url };
}
