/**
 * Hosts as users write them in lists and settings: `example.org`, or `.example.org` for a domain
 * and every host below it.
 */

import { canonicalise } from '../url/canonical.ts';
import { hostOf } from '../url/parts.ts';
import { parseIp } from './ip-range.ts';

/** The usual case, which needs no parser. A last label of digits would be part of an address. */
const PLAIN = /^\.?(?:[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?\.)*[a-z](?:[a-z0-9-]*[a-z0-9])?$/;

/**
 * The host in the spelling of canonical URLs, or a domain with a leading dot; undefined if it is
 * neither.
 */
export function hostName(name: string): string | undefined {
  // Only the parser can check an "xn--" label.
  if (PLAIN.test(name) && !name.includes('xn--')) return name;
  const dot = name.startsWith('.') ? '.' : '';
  const bare = name.slice(dot.length);
  if (/[/?#@\\]|:\d*$/.test(bare.replace(/\[.*\]/, ''))) return undefined;
  const url = canonicalise(`http://${bare}/`);
  if (url === undefined) return undefined;
  const host = hostOf(url);
  const isAddress = host.startsWith('[') || parseIp(host) !== undefined;
  return isAddress && dot !== '' ? undefined : dot + host;
}
