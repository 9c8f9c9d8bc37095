/**
 * Reads collected tuples back, for a folder that is opened with buffers of another size.
 *
 * Ensures   all tuples of the log, bucket by bucket, in the order of arrival: tuples of one key
 *           keep their order.
 */

import { VarintReader } from '../base/varint.ts';
import type { Chunk, ChunkLog } from './chunk-log.ts';
import type { KeyedBatch } from './keyed-batch.ts';
import { BatchBuilder } from './keyed-batch.ts';

export async function* collectedBatches(
  log: ChunkLog,
  buckets: number,
): AsyncGenerator<KeyedBatch> {
  const batch = new BatchBuilder();
  for (let bucket = 0; bucket < buckets; bucket++) {
    const open = log.opened(bucket);
    for (const chunk of open ? [...log.chunks(bucket), open] : log.chunks(bucket)) {
      await readChunk(log, chunk, batch);
      yield batch;
    }
  }
}

async function readChunk(log: ChunkLog, chunk: Chunk, into: BatchBuilder): Promise<void> {
  const keys = new BigUint64Array(chunk.count);
  await log.read(new Uint8Array(keys.buffer), chunk.keysAt);
  const texts = new Uint8Array(chunk.textBytes);
  await log.read(texts, chunk.textsAt);
  const reader = new VarintReader(texts);
  into.clear();
  for (const key of keys) into.add(key, reader.take(reader.next()));
}
