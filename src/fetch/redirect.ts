/**
 * Where a redirect leads. A Location is meant to be ASCII; servers that put UTF-8 there mean its bytes, as browsers read them.
 */
import type { CanonicalOptions } from '../url/canonical.ts';
import { canonicalise } from '../url/canonical.ts';
import type { Exchange } from './exchange.ts';

/** The canonical target, or undefined when the response is no redirect or leads nowhere we go. */
export function redirectTarget(
  { status, url, headers }: Pick<Exchange, 'status' | 'url' | 'headers'>,
  options: Omit<CanonicalOptions, 'base'> = {},
): string | undefined {
  const location = status >= 300 && status < 400 ? headers.get('location') : undefined;
  if (location === undefined) return undefined;
  return canonicalise(Buffer.from(location, 'latin1').toString('utf8'), { ...options, base: url });
}
