/**
 * The target of a redirect. A Location should be ASCII. If a server sends UTF-8, its bytes are
 * percent-encoded, as browsers do.
 */
import type { CanonicalOptions } from '../url/canonical.ts';
import { canonicalise } from '../url/canonical.ts';
import type { Exchange } from './exchange.ts';

/**
 * The canonical target; undefined if the response is not a redirect or the target cannot be
 * crawled.
 */
export function redirectTarget(
  { status, url, headers }: Pick<Exchange, 'status' | 'url' | 'headers'>,
  options: Omit<CanonicalOptions, 'base'> = {},
): string | undefined {
  const location = status >= 300 && status < 400 ? headers.get('location') : undefined;
  if (location === undefined) return undefined;
  return canonicalise(Buffer.from(location, 'latin1').toString('utf8'), { ...options, base: url });
}
