/**
 * The pay-level domain: the registered name, which is the unit of budgets, ranks and ownership.
 *
 * Idea      One label more than the public suffix. By default only the ICANN section of the suffix
 *           list counts, so that `alice.blogspot.com` belongs to `blogspot.com`: a host of user
 *           sites shares one budget with them. With `privateSuffixes` each user site is a domain.
 * Requires  A host as in a canonical URL: lower-case ASCII, an IPv6 address in brackets, no port.
 * Ensures   Never empty for a non-empty host: an address, a bare suffix or a name without a dot is
 *           its own domain. The answer depends on the suffix list, and so on the version of the
 *           library; docs/url.md states the consequences.
 */
import { getDomain } from 'tldts';

interface DomainOptions {
  /** Also use the private section of the public suffix list. Default false. */
  readonly privateSuffixes?: boolean;
}

const ICANN_ONLY = { allowPrivateDomains: false, extractHostname: false, mixedInputs: false };
const WITH_PRIVATE = { ...ICANN_ONLY, allowPrivateDomains: true };

export function payLevelDomain(host: string, options: DomainOptions = {}): string {
  return getDomain(host, options.privateSuffixes ? WITH_PRIVATE : ICANN_ONLY) ?? host;
}
