/**
 * URLs in one spelling: the canonical form, the registered domain, and keys for indexes.
 *
 * @example
 * ```ts
 * import { canonicalise, payLevelDomain } from 'drumlin/url';
 *
 * const url = canonicalise('HTTP://Example.ORG:80/%7Euser/?#top');
 * console.log(url); // http://example.org/~user/
 * console.log(payLevelDomain('www.shop.example.co.uk')); // example.co.uk
 * ```
 *
 * @module url
 */
import { surt as surtOf } from '../archive/index/surt.ts';
import {
  type CanonicalOptions as Canonical,
  canonicaliseOrReason,
  MAX_URL_LENGTH as LONGEST,
} from '../url/canonical.ts';
import { payLevelDomain as domainOfHost } from '../url/domain.ts';
import { fingerprint as fingerprintOf, partitionOf } from '../url/fingerprint.ts';
import { ParameterList, TRACKING_PARAMETERS as TRACKING } from '../url/parameters.ts';
import { repeatsIn } from '../url/repeats.ts';

/** How {@link canonicalise} reads a text. */
export interface CanonicalOptions {
  /** The absolute URL that a relative reference belongs to. Default: none. */
  readonly base?: string;
  /** The longest canonical URL, in characters. Default: 2048. */
  readonly maxLength?: number;
  /** Query parameters to drop, from {@link parametersToDrop}. Default: none. */
  readonly drop?: DroppedParameters;
}

/** Why a text has no canonical form. */
export interface UrlRefusal {
  /** `invalid`: not a URL. `scheme`: neither http nor https. `too-long`: beyond `maxLength`. */
  readonly reason: 'invalid' | 'scheme' | 'too-long';
  /** The reason as a sentence. */
  readonly fact: string;
}

/** A compiled list of query parameters; make one with {@link parametersToDrop} and reuse it. */
export interface DroppedParameters {
  /** Whether the list has the parameter, written `name` or `name=value`. */
  has(parameter: string): boolean;
  /** A canonical URL without the parameters of the list. */
  dropFrom(url: string): string;
}

/** The longest canonical URL by default, in characters: 2048. */
export const MAX_URL_LENGTH: number = LONGEST;

/** Rules for the usual session and tracking parameters, such as `utm_*` and `phpsessid`. */
export const TRACKING_PARAMETERS: readonly string[] = TRACKING;

/**
 * The canonical form of a URL: the one spelling under which a page is seen, stored and counted.
 *
 * It has a lower-case host, no default port, no credentials, no fragment and escapes only where
 * they are needed. The canonical form of a canonical URL is the same URL.
 *
 * @param text An absolute URL, or a relative reference if `options.base` is given.
 * @returns The canonical URL, or undefined if there is none.
 */
export function canonicalise(text: string, options: CanonicalOptions = {}): string | undefined {
  const result = canonicaliseOrReason(text, options as Canonical);
  return typeof result === 'string' ? result : undefined;
}

/**
 * Why {@link canonicalise} returns undefined for a text.
 *
 * @returns The reason, or undefined if the text has a canonical form.
 */
export function whyNotCanonical(
  text: string,
  options: CanonicalOptions = {},
): UrlRefusal | undefined {
  const result = canonicaliseOrReason(text, options as Canonical);
  return typeof result === 'string' ? undefined : result;
}

/**
 * Compiles rules for query parameters to drop.
 *
 * @param rules Names (`gclid`), prefixes (`utm_*`), or names that must hold a token (`sid=token`).
 * Case does not matter. Default: {@link TRACKING_PARAMETERS}.
 */
export function parametersToDrop(rules: Iterable<string> = TRACKING_PARAMETERS): DroppedParameters {
  return new ParameterList(rules);
}

/**
 * The pay-level domain of a host: the name that somebody registered.
 *
 * An IP address, a bare public suffix and a name without a dot are their own domains. The answer
 * depends on the public suffix list in the installed version of `tldts`.
 *
 * @param host A host in lower case, without a port: `www.example.co.uk`.
 * @param privateSuffixes Whether `alice.blogspot.com` is a domain of its own. Default: false.
 */
export function payLevelDomain(host: string, privateSuffixes = false): string {
  return domainOfHost(host, { privateSuffixes });
}

/**
 * The 64-bit fingerprint of a canonical URL. It never changes between versions.
 *
 * The first 10 bits are the partition of the URL's pay-level domain, the others a hash of the URL.
 */
export function fingerprint(url: string): bigint {
  return fingerprintOf(url);
}

/** The partition of a pay-level domain, 0 to 1023: which agent owns all URLs of the domain. */
export function partition(domain: string): number {
  return partitionOf(domain);
}

/**
 * The key of a URL in a CDXJ index: `http://www.example.org/A?b=2&a=1` becomes
 * `org,example)/a?a=1&b=2`.
 *
 * The rules are those of the Internet Archive, as used by pywb and Common Crawl.
 */
export function surt(url: string): string {
  return surtOf(url);
}

/**
 * The most times that a sequence of path segments occurs in a row in a canonical URL. For
 * `http://a.org/x/y/x/y/x/y/` it is 3: a sign of a relative link that piles up.
 */
export function segmentRepeats(url: string): number {
  return repeatsIn(url);
}
