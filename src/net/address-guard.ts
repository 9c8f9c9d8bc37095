/**
 * Which addresses a crawl may connect to. A link is written by a stranger: it must not make the crawler talk to the machine it
 * runs on, to its neighbours, or to the service that hands out the machine's credentials.
 *
 * Idea      One table of the special ranges of the IANA registries. IPv6 is turned round: only 2000::/3 is in use for the
 *           public, so everything outside it is refused, mapped and translated IPv4 (which would be a way around) included.
 * Ensures   `allows` is true only for public addresses, and for those of the ranges that were opened by name. What is
 *           no address is refused. An IPv6 address that stands for an IPv4 one is opened only together with that one. Services
 *           that hand out credentials of the machine stay shut whatever is opened.
 * Cost      a pass over about 25 ranges, once per connection; the last answers are remembered.
 */
import { DrumlinError } from '../base/errors.ts';
import { type Ip, type IpRange, inRange, parseIp, parseRange } from './ip-range.ts';

export interface AddressGuard {
  allows(ip: string): boolean;
  /** Why the address is refused, in words; undefined when it is allowed. */
  reason(ip: string): string | undefined;
}

export interface AddressGuardOptions {
  /** True opens the ranges of a laboratory or intranet; a list opens exactly its ranges, as CIDR. Default: none. */
  readonly allowPrivate?: boolean | readonly string[];
}

interface SpecialRange {
  readonly range: IpRange;
  readonly what: string;
  /** Opened by `allowPrivate: true`. */
  readonly local: boolean;
}

const local = (what: string, ...ranges: string[]): SpecialRange[] =>
  ranges.map((range) => ({ range: parseRange(range), what, local: true }));
const never = (what: string, ...ranges: string[]): SpecialRange[] =>
  ranges.map((range) => ({ range: parseRange(range), what, local: false }));

const METADATA = 'a cloud metadata address';

/** Of instances, and of the containers on them. */
const METADATA_RANGES: readonly SpecialRange[] = [
  ...never(METADATA, '169.254.169.254', '169.254.170.2', '169.254.170.23'),
  ...never(METADATA, '100.100.100.200', '192.0.0.192', '168.63.129.16'),
  ...never(METADATA, 'fd00:ec2::254', 'fd00:ec2::23', 'fd20:ce::254'),
];

/** The first entry that holds an address decides. */
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

/** IPv6 addresses that stand for IPv4 ones, and how many bits lie behind those. */
const TRANSLATED: readonly { readonly range: IpRange; readonly behind: bigint }[] = [
  { range: parseRange('::/96'), behind: 0n }, // compatible
  { range: parseRange('::ffff:0:0/96'), behind: 0n }, // mapped
  { range: parseRange('::ffff:0:0:0/96'), behind: 0n }, // translated (SIIT)
  { range: parseRange('64:ff9b::/96'), behind: 0n }, // NAT64
  { range: parseRange('2002::/16'), behind: 80n }, // 6to4
];
/** Local NAT64 prefixes may be of any length in here, and the IPv4 address in any of the places of RFC 6052, section 2.2. */
const LOCAL_NAT64 = parseRange('64:ff9b:1::/48');

/** Enough for the hosts of the moment; emptied when full. */
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

/** Whoever cannot be reached may fetch what is his own, and nothing else. */
export function guardFor(
  identity: { readonly hasContact: boolean },
  options: AddressGuardOptions = {},
): AddressGuard {
  const guard = createAddressGuard(options);
  if (identity.hasContact) return guard;
  if (options.allowPrivate === undefined || options.allowPrivate === false) {
    throw new DrumlinError(
      'NO_CONTACT',
      'Sites on the public web want to know who crawls them, and no contact is given.',
      'Add --contact with a web page or an e-mail address of yours; or --allow-private for a local site.',
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

/** The IPv4 addresses that connecting to this one may lead to. */
function standsFor(ip: Ip): bigint[] {
  const found = TRANSLATED.filter(({ range }) => inRange(ip, range) && !isLoopback(ip));
  const known = found.map(({ behind }) => (ip.bits >> behind) & 0xffff_ffffn);
  // Where the address lies is not known: only what must never be reached is looked for.
  const guessed = inRange(ip, LOCAL_NAT64) ? placesOfV4(ip.bits).filter(isMetadata) : [];
  return [...known, ...guessed];
}

/** `::1` is loopback, and no compatible address. */
function isLoopback(ip: Ip): boolean {
  return ip.bits <= 1n;
}

/** With prefixes of 48, 56, 64 and 96 bits; the octet in the middle (bits 64 to 71) is left out. */
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
