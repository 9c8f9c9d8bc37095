/**
 * Which addresses a crawl may connect to. A link is written by a stranger: it must not make the crawler talk to the machine it
 * runs on, to its neighbours, or to the service that hands out the machine's credentials.
 *
 * Idea      One table of the special ranges of the IANA registries. IPv6 is turned round: only 2000::/3 is in use for the
 *           public, so everything outside it is refused, mapped and translated IPv4 (which would be a way around) included.
 * Ensures   `allows` is true only for public addresses, and for those of the ranges that were opened by name. What is
 *           no address is refused. Metadata services stay shut under `allowPrivate: true`, and open only to a range that cannot have
 *           been written for another purpose: /16 or narrower, /32 or narrower for IPv6.
 * Cost      a pass over about 25 ranges, once per connection; the last answers are remembered.
 */
import { DrumlinError } from '../errors.ts';
import type { Identity } from './identity.ts';
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

/** The first entry that holds an address decides. */
const SPECIAL: readonly SpecialRange[] = [
  ...never(METADATA, '169.254.169.254', '100.100.100.200', '192.0.0.192', '168.63.129.16'),
  ...never(METADATA, 'fd00:ec2::254', 'fd20:ce::254'),
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
    if (opened.some((range) => inRange(ip, range) && (what !== METADATA || isNarrow(range))))
      return undefined;
    return allowPrivate === true && special?.local ? undefined : `${text} is ${what}`;
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
export function guardFor(identity: Identity, options: AddressGuardOptions = {}): AddressGuard {
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

function isNarrow(range: IpRange): boolean {
  return range.prefix >= (range.family === 4 ? 16 : 32);
}
