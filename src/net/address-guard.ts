/**
 * Which addresses a crawl may connect to. Strangers write links: a link must not make the crawler
 * connect to its own machine, to its neighbours, or to the service that hands out the machine's
 * credentials.
 *
 * Idea      One table of the special ranges of the IANA registries. For IPv6 it is the other way
 *           round: only 2000::/3 is in public use, so everything outside of it is refused. That
 *           includes mapped and translated IPv4 addresses, which would bypass the table.
 * Ensures   `allows` is true only for public addresses and for ranges that were opened by name.
 *           Text that is not an address is refused. An IPv6 address that stands for an IPv4 address
 *           is opened only together with it. Services that hand out credentials of the machine are
 *           always refused.
 * Cost      A pass over about 25 ranges, once per connection; the latest answers are cached.
 */
import { DrumlinError } from '../base/errors.ts';
import { type Ip, type IpRange, inRange, parseIp, parseRange } from './ip-range.ts';

export interface AddressGuard {
  allows(ip: string): boolean;
  /** Why the address is refused; undefined if it is allowed. */
  reason(ip: string): string | undefined;
}

interface AddressGuardOptions {
  /**
   * True opens the ranges of a lab or an intranet; a list opens exactly its CIDR ranges. Default:
   * none.
   */
  readonly allowPrivate?: boolean | readonly string[];
}

interface SpecialRange {
  readonly range: IpRange;
  readonly what: string;
  /** Whether `allowPrivate: true` opens it. */
  readonly local: boolean;
}

const local = (what: string, ...ranges: string[]): SpecialRange[] =>
  ranges.map((range) => ({ range: parseRange(range), what, local: true }));
const never = (what: string, ...ranges: string[]): SpecialRange[] =>
  ranges.map((range) => ({ range: parseRange(range), what, local: false }));

const METADATA = 'a cloud metadata address';

/** The services of instances, and of containers on them. */
const METADATA_RANGES: readonly SpecialRange[] = [
  ...never(METADATA, '169.254.169.254', '169.254.170.2', '169.254.170.23'),
  ...never(METADATA, '100.100.100.200', '192.0.0.192', '168.63.129.16'),
  ...never(METADATA, 'fd00:ec2::254', 'fd00:ec2::23', 'fd20:ce::254'),
];

/** The first entry that contains an address decides. */
const SPECIAL: readonly SpecialRange[] = [
  ...METADATA_RANGES,
  ...local('a loopback address', '127.0.0.0/8', '::1'),
  ...local('a private address', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'),
  ...local('a link-local address', '169.254.0.0/16', 'fe80::/10'),
  ...local('a carrier-grade NAT address', '100.64.0.0/10'),
  ...local('a benchmark address', '198.18.0.0/15', '2001:2::/48'),
  ...local('a documentation address', '192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24'),
  ...local('a documentation address', '2001:db8::/32', '3fff::/20'),
  ...never('an unspecified address', '0.0.0.0/8', '::'),
  ...never('a multicast address', '224.0.0.0/4', 'ff00::/8'),
  ...never('a reserved address', '192.0.0.0/24', '192.88.99.0/24', '240.0.0.0/4'),
  ...never('an IPv4-mapped IPv6 address', '::ffff:0:0/96'),
  ...never('a NAT64 address', '64:ff9b::/96', '64:ff9b:1::/48'),
  ...never('a 6to4 address', '2002::/16'),
  ...never('a reserved address', '2001::/23'),
];
const PUBLIC_V6 = parseRange('2000::/3');

/** IPv6 ranges that stand for IPv4 addresses, and the number of bits after the IPv4 address. */
const TRANSLATED: readonly { readonly range: IpRange; readonly behind: bigint }[] = [
  { range: parseRange('::/96'), behind: 0n }, // compatible
  { range: parseRange('::ffff:0:0/96'), behind: 0n }, // mapped
  { range: parseRange('::ffff:0:0:0/96'), behind: 0n }, // translated (SIIT)
  { range: parseRange('64:ff9b::/96'), behind: 0n }, // NAT64
  { range: parseRange('2002::/16'), behind: 80n }, // 6to4
];
/**
 * The prefix of a local NAT64 may have any length in this range, with the IPv4 address at any
 * position of RFC 6052, section 2.2.
 */
const LOCAL_NAT64 = parseRange('64:ff9b:1::/48');

/** Whether an address is of a lab or an intranet: one that `allowPrivate: true` opens. */
export function isPrivateAddress(text: string): boolean {
  const ip = parseIp(text);
  return ip !== undefined && SPECIAL.find(({ range }) => inRange(ip, range))?.local === true;
}

/** Enough for the current hosts; cleared when full. */
const MAX_REMEMBERED = 4096;

export function createAddressGuard(options: AddressGuardOptions = {}): AddressGuard {
  const { allowPrivate = false } = options;
  const opened = typeof allowPrivate === 'boolean' ? [] : allowPrivate.map(parseRange);
  const remembered = new Map<string, string | undefined>();

  const judge = (text: string): string | undefined => {
    const ip = parseIp(text);
    if (ip === undefined) return `${JSON.stringify(text)} is not an address`;
    const special = SPECIAL.find(({ range }) => inRange(ip, range));
    const what = special?.what ?? (isPublic(ip) ? undefined : 'a reserved address');
    if (what === undefined) return undefined;
    const isOpen =
      opened.some((range) => inRange(ip, range)) || (allowPrivate === true && special?.local);
    if (!isOpen || what === METADATA) return `${text} is ${what}`;
    return standsFor(ip)
      .map((inner) => judge(textOfV4(inner)))
      .find((refused) => refused !== undefined);
  };

  const reason = (text: string): string | undefined => {
    if (remembered.has(text)) return remembered.get(text);
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    const answer = judge(text);
    remembered.set(text, answer);
    return answer;
  };
  return { allows: (ip) => reason(ip) === undefined, reason };
}

/** Without a contact, only private addresses are allowed. */
export function guardFor(
  identity: { readonly hasContact: boolean },
  options: AddressGuardOptions = {},
): AddressGuard {
  const guard = createAddressGuard(options);
  if (identity.hasContact) return guard;
  if (options.allowPrivate === undefined || options.allowPrivate === false) {
    throw new DrumlinError(
      'NO_CONTACT',
      'Sites on the public web need to know who crawls them, and no contact is given.',
      'Add --contact with your web page or e-mail address, or --allow-private for a local site.',
    );
  }
  const publicOnly = createAddressGuard();
  const reason = (ip: string) =>
    guard.reason(ip) ??
    (publicOnly.allows(ip) ? `${ip} is a public address, and no contact is given` : undefined);
  return { allows: (ip) => reason(ip) === undefined, reason };
}

function isPublic(ip: Ip): boolean {
  return ip.family === 4 || inRange(ip, PUBLIC_V6);
}

/** The IPv4 addresses to which a connection to this address may lead. */
function standsFor(ip: Ip): bigint[] {
  const found = TRANSLATED.filter(({ range }) => inRange(ip, range) && !isLoopback(ip));
  const known = found.map(({ behind }) => (ip.bits >> behind) & 0xffff_ffffn);
  // The position of the IPv4 address is unknown: check only for what must never be reached.
  const guessed = inRange(ip, LOCAL_NAT64) ? placesOfV4(ip.bits).filter(isMetadata) : [];
  return [...known, ...guessed];
}

/** `::1` is loopback, not an IPv4-compatible address. */
function isLoopback(ip: Ip): boolean {
  return ip.bits <= 1n;
}

/** The IPv4 address after prefixes of 48, 56, 64 and 96 bits; bits 64 to 71 are skipped. */
function placesOfV4(bits: bigint): bigint[] {
  const joined = ((bits >> 64n) << 56n) | (bits & ((1n << 56n) - 1n)); // 120 bits
  return [40n, 32n, 24n]
    .map((behind) => (joined >> behind) & 0xffff_ffffn)
    .concat(bits & 0xffff_ffffn);
}

function isMetadata(bits: bigint): boolean {
  return METADATA_RANGES.some(({ range }) => inRange({ family: 4, bits }, range));
}

function textOfV4(bits: bigint): string {
  return [24n, 16n, 8n, 0n].map((behind) => (bits >> behind) & 0xffn).join('.');
}
