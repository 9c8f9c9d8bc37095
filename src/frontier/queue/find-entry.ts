/** Looks for one URL among packed entries, without unpacking the others. */
import { varintSize, writeVarint } from '../../base/varint.ts';
import { type Discovery, decodeDiscovery } from './discovered-url.ts';
import { type Entries, entryEnd, PathQueue } from './path-queue.ts';

/** A URL in a queue, and how many of its host come before it. */
export interface Queued extends Discovery {
  readonly before: number;
}

/** The first entry of a URL in the queue of its host. */
export function findInQueue(
  { count, bytes }: Entries,
  host: string,
  url: string,
): Queued | undefined {
  const start = (url.charCodeAt(4) === 0x73 ? 8 : 7) + host.length;
  const path = Buffer.from(url.slice(start), 'latin1');
  for (let at = 0, before = 0; before < count; before++) {
    const end = entryEnd(bytes, at);
    if (end > bytes.length) return undefined;
    const tail = bytes.subarray(end - path.length, end);
    if (end - at > path.length && path.equals(tail)) {
      const one = new PathQueue(host);
      one.appendRange(bytes, at, end, 1);
      const found = one.shift();
      if (found?.url === url) return { ...found, before };
    }
    at = end;
  }
  return undefined;
}

/**
 * The first entry of a URL among texts that each follow their length: those of the sieve, of the
 * book of domains and of BEAST.
 */
export function findText(bytes: Uint8Array, url: string): Discovery | undefined {
  const text = Buffer.from(url, 'latin1');
  const length = text.length + 2;
  const lead = new Uint8Array(varintSize(length));
  writeVarint(lead, 0, length);
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = view.indexOf(text); at >= 0; at = view.indexOf(text, at + 1)) {
    const start = at - 2 - lead.length;
    if (start < 0 || !view.subarray(start, at - 2).equals(lead)) continue;
    return decodeDiscovery(view.subarray(at - 2, at + text.length));
  }
  return undefined;
}
