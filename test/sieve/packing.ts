/** Offers as a test writes them, and batches as a sieve takes them. */

import type { KeyedBatch } from '../../src/drum/keyed-batch.ts';
import { BatchBuilder, entryBytes } from '../../src/drum/keyed-batch.ts';
import type { Sieve } from '../../src/sieve/sieve.ts';

export interface Offer {
  readonly key: bigint;
  readonly text: string;
}

export function pack(entries: readonly Offer[]): BatchBuilder {
  const batch = new BatchBuilder(1, 1);
  for (const { key, text } of entries) batch.addText(key, text);
  return batch;
}

export function unpack(batch: KeyedBatch): Offer[] {
  return Array.from({ length: batch.length }, (_, i) => ({
    key: batch.keys[i],
    text: Buffer.from(entryBytes(batch, i)).toString('utf8'),
  }));
}

export async function takeAll(sieve: Sieve): Promise<Offer[]> {
  const out: Offer[] = [];
  for (let batch = await sieve.take(); batch; batch = await sieve.take())
    out.push(...unpack(batch));
  return out;
}

/** First offers in order. */
export function firsts(entries: readonly Offer[]): Offer[] {
  const seen = new Set<bigint>();
  return entries.filter(({ key }) => !seen.has(key) && seen.add(key));
}
