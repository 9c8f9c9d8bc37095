/** What a committed page means for its ask, in a planned crawl. */
import { digest, digestMatches } from '../../archive/warc/digest.ts';
import type { Fingerprint } from '../../duplicates/fingerprint.ts';
import { redirectTarget } from '../../fetch/redirect.ts';
import type { Asks, Facts } from '../planned/asks.ts';
import type { Fetched, Reading } from './commit.ts';

/** Texts with fewer shingles say nothing: only equal payloads are the same page. */
const LEAST_SHINGLES = 5;

/** Reports the outcome of a page. Called in the step in which it is committed. */
export function settlePage(asks: Asks, fetched: Fetched, reading: Reading | undefined): void {
  asks.settle(fetched.discovery.url, factsOf(fetched, reading));
}

export function factsOf(fetched: Fetched, reading: Reading | undefined): Facts {
  const { exchange, asked } = fetched;
  const { status } = exchange;
  if (status === 304) return { status, ...(asked?.isConditional && { page: 'confirmed' }) };
  const target = reading ? reading.contents.target : redirectTarget(exchange);
  if (target !== undefined) return { status, target };
  if (status !== 200) return { status };
  if (isSame(fetched)) return { status, page: 'same' };
  const { fingerprint } = reading ?? {};
  return {
    status,
    page: 'other',
    digest: digest('sha1', exchange.payload),
    ...(fingerprint && fingerprint.distinct >= LEAST_SHINGLES && { sketch: textOf(fingerprint) }),
  };
}

/** The payload is that of the earlier capture; after HEAD, the validators are. */
function isSame({ exchange, asked }: Fetched): boolean {
  const earlier = asked?.earlier;
  if (!earlier || exchange.truncated) return false;
  const { headers, payload } = exchange;
  if (asked.request.method !== 'HEAD') {
    return earlier.digest !== undefined && digestMatches(earlier.digest, payload) === true;
  }
  if (earlier.etag !== undefined) return headers.get('etag') === earlier.etag;
  return earlier.modified !== undefined && headers.get('last-modified') === earlier.modified;
}

const textOf = ({ sketch }: Fingerprint): string =>
  Buffer.from(sketch.buffer, sketch.byteOffset, sketch.byteLength).toString('hex');
