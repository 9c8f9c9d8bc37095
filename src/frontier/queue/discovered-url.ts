/**
 * A URL and how it was discovered: the auxiliary bytes in the sieve, and the entries of the
 * frontier.
 *
 * It has two forms. For the sieve it is text: one character of depth, one of redirects, the URL,
 * and behind a blank the trail, if there is one. The depth stops at 127 and the redirects at 31, so
 * that each is one byte; bit 6 of the redirects marks a requisite, bit 5 an urgent URL. In the
 * queue of its host it has no host name (`PathQueue`).
 */
export interface Discovery {
  readonly url: string;
  /** Links followed from a seed to here. */
  readonly depth: number;
  /** Redirects followed in a row to here. */
  readonly redirects: number;
  /** How often it was tried and failed. */
  readonly attempts?: number | undefined;
  /** It is part of how a page looks: an image, a style, a script, … It is no page itself. */
  readonly isRequisite?: boolean | undefined;
  /** The user wants it before others: it does not wait for the budget of its domain. */
  readonly isUrgent?: boolean | undefined;
  /**
   * The hops from a seed to here, a blank, and the URL that led here. Only in a crawl with a crawl
   * log; seeds have none.
   */
  readonly trail?: string | undefined;
}

/** The largest depth stored: larger ones become this. */
export const MOST = 127;
/** The largest number of redirects stored: larger ones become this. */
export const MOST_REDIRECTS = 31;
const URGENT = 32;
const REQUISITE = 64;
/** No canonical URL contains it. */
const TRAIL = ' ';

/** The two bytes before the URL: those of all links of a page are the same. */
export function headOf(how: Omit<Discovery, 'url'>): readonly [number, number] {
  return [Math.min(how.depth, MOST), redirectByte(how)];
}

export function encodeDiscovery(discovery: Discovery): string {
  const { url, trail } = discovery;
  const head = String.fromCharCode(...headOf(discovery));
  return trail === undefined ? head + url : `${head}${url}${TRAIL}${trail}`;
}

/** Canonical URLs are ASCII. */
export function decodeDiscovery(bytes: Uint8Array): Discovery {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + 2, bytes.length - 2).toString('latin1');
  return discoveryOf(bytes[0], bytes[1], undefined, text);
}

/** Whether an encoded discovery is a requisite. */
export const isRequisite = (bytes: Uint8Array): boolean => (bytes[1] & REQUISITE) !== 0;

/** Whether an encoded discovery waits for no budget. */
export const isHasty = (bytes: Uint8Array): boolean => (bytes[1] & (REQUISITE | URGENT)) !== 0;

/** The redirects, and the marks of requisites and urgent URLs, in seven bits. */
export function redirectByte({ redirects, isRequisite, isUrgent }: Omit<Discovery, 'url'>): number {
  const count = Math.min(redirects, MOST_REDIRECTS);
  return count | (isRequisite ? REQUISITE : 0) | (isUrgent ? URGENT : 0);
}

/** A discovery as it was stored: `text` is the URL, and the trail if there is one. */
export function discoveryOf(
  depth: number,
  redirectByte: number,
  attempts: number | undefined,
  text: string,
): Discovery {
  const redirects = redirectByte & MOST_REDIRECTS;
  const isRequisite = (redirectByte & REQUISITE) === 0 ? undefined : true;
  const isUrgent = (redirectByte & URGENT) === 0 ? undefined : true;
  const blank = text.indexOf(TRAIL);
  const [url, trail] =
    blank < 0 ? [text, undefined] : [text.slice(0, blank), text.slice(blank + 1)];
  return { url, depth, redirects, attempts, isRequisite, isUrgent, trail };
}
