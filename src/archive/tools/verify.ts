/** Verifies the digests of a record: computes them again from the block. */
import { digestMatches } from '../warc/digest.ts';
import { bodyOf, payloadOf } from '../warc/http-block.ts';
import { isSegment } from '../warc/segments.ts';
import type { WarcRecord } from '../warc/warc-reader.ts';

/**
 * `ok`, `mismatch`; `framed`: correct for the body with its chunk framing, as some crawlers wrongly
 * compute it; `absent`: none is stated; `unknown`: stated with an unknown algorithm.
 */
export type DigestVerdict = 'ok' | 'mismatch' | 'framed' | 'absent' | 'unknown';

export interface DigestVerdicts {
  readonly block: DigestVerdict;
  readonly payload: DigestVerdict;
}

/**
 * Computes the digests of a record again. The payload of a revisit is elsewhere, and that of a
 * segment in other records too: it counts as absent.
 */
export function verifyDigests(record: WarcRecord): DigestVerdicts {
  const isHttp = /^application\/http/i.test(record.headers.get('Content-Type') ?? '');
  const payload = isHttp ? payloadOf(record.block) : record.block;
  const isElsewhere = record.type === 'revisit' || isSegment(record);
  const stated = isElsewhere ? undefined : record.headers.get('WARC-Payload-Digest');
  const verdict = judge(stated, payload);
  const framed = verdict === 'mismatch' && isHttp && stated !== undefined;
  return {
    block: judge(record.headers.get('WARC-Block-Digest'), record.block),
    payload: framed && digestMatches(stated, bodyOf(record.block)) ? 'framed' : verdict,
  };
}

function judge(stated: string | undefined, bytes: Uint8Array): DigestVerdict {
  if (stated === undefined) return 'absent';
  const matches = digestMatches(stated, bytes);
  if (matches === undefined) return 'unknown';
  return matches ? 'ok' : 'mismatch';
}
