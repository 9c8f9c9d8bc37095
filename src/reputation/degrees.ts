/**
 * The number of domains that link to each domain, beside its record.
 *
 * Idea      Records and lists come in the order of keys: one pass over both.
 * Requires  both by strictly increasing keys.
 * Ensures   every key of either, in increasing order.
 */
import type { KeyedRecord } from './budget/domain-book.ts';
import type { EdgeLists } from './edges/edge-lists.ts';

interface CountedDomain {
  readonly key: bigint;
  /** Undefined for a domain that is linked to and has no record. */
  readonly record: KeyedRecord['record'] | undefined;
  readonly degree: number;
}

export async function* degreesBeside(
  records: AsyncIterable<KeyedRecord>,
  lists: AsyncIterable<EdgeLists>,
): AsyncGenerator<CountedDomain> {
  const degrees = degreesOf(lists);
  try {
    let next = await degrees.next();
    for await (const { key, record } of records) {
      for (; !next.done && next.value.key < key; next = await degrees.next())
        yield { ...next.value, record: undefined };
      const degree = !next.done && next.value.key === key ? next.value.degree : 0;
      yield { key, record, degree };
      if (degree > 0) next = await degrees.next();
    }
    for (; !next.done; next = await degrees.next()) yield { ...next.value, record: undefined };
  } finally {
    await degrees.return(undefined);
  }
}

async function* degreesOf(
  lists: AsyncIterable<EdgeLists>,
): AsyncGenerator<{ readonly key: bigint; readonly degree: number }, undefined> {
  for await (const { length, targets, degrees, before } of lists)
    for (let i = before > 0 ? 1 : 0; i < length; i++) yield { key: targets[i], degree: degrees[i] };
  return undefined;
}
