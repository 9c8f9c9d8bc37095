/**
 * The pay-level domain: the name somebody registered, which is the unit of budgets, ranks and ownership.
 *
 * Idea      One label more than the public suffix. By default only the ICANN section of the suffix list counts, so
 *           that `alice.blogspot.com` belongs to `blogspot.com`: who rents names out shares one budget with his
 *           tenants. With `privateSuffixes` the tenants count as domains.
 * Requires  a host as it stands in a canonical URL: lower-case ASCII, an IPv6 address in brackets, no port.
 * Ensures   never empty for a host that is not: an address, a bare suffix or a name without a dot is its own domain.
 *           The answer depends on the suffix list, so on the version of the library; docs/url.md says what follows.
 */
import { getDomain } from 'tldts';

export interface DomainOptions {
  /** Count the private section of the public suffix list too. Default false. */
  readonly privateSuffixes?: boolean;
}

const ICANN_ONLY = { allowPrivateDomains: false, extractHostname: false, mixedInputs: false };
const WITH_PRIVATE = { ...ICANN_ONLY, allowPrivateDomains: true };

export function payLevelDomain(host: string, options: DomainOptions = {}): string {
  return getDomain(host, options.privateSuffixes ? WITH_PRIVATE : ICANN_ONLY) ?? host;
}
