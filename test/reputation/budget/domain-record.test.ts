import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FieldReader, FieldWriter } from '../../../src/base/fields.ts';
import {
  type DomainRecord,
  isNameless,
  ledgerAt,
  newRecord,
  openRecord,
  readRecord,
  writeOpened,
  writeRecord,
} from '../../../src/reputation/budget/domain-record.ts';

const count = fc.oneof(fc.nat(200), fc.nat(2 ** 31 - 1), fc.maxSafeNat());
const real = fc.double({ noNaN: true, noDefaultInfinity: true, min: 0 });

const anyRecord: fc.Arbitrary<DomainRecord> = fc
  .record({
    name: fc.constantFrom(
      '',
      'a.example',
      'xn--p1ai.example',
      '[2001:db8::1]',
      `${'x'.repeat(60)}.example`,
    ),
    pages: fc.nat(),
    inDegree: count,
    cash: fc.oneof(fc.constant(0), real),
    supporters: fc.option(real, { nil: undefined }),
    exchangesLinks: fc.boolean(),
    firstSeen: count,
    override: fc.option(
      fc.oneof(count, fc.constant('blocked' as const), fc.constant('trusted' as const)),
      {
        nil: undefined,
      },
    ),
    spam: fc.option(
      fc.nat(10_000).map((steps) => steps / 10_000),
      { nil: undefined },
    ),
    nextRound: count,
    used: count,
    most: count,
    held: count,
    heldUntil: count,
    budget: count,
    version: count,
    urls: count,
    later: count,
    refused: count,
  })
  .map((fields) => ({ ...fields, blocked: fields.override === 'blocked' }));

function bytesOf(record: DomainRecord): Uint8Array {
  const out = new FieldWriter();
  writeRecord(out, record);
  return out.finish();
}

test('a record is read as it was written', () => {
  fc.assert(
    fc.property(anyRecord, (record) => {
      const fields = new FieldReader(bytesOf(record));
      expect(readRecord(fields)).toEqual(record);
      expect(fields.atEnd).toBe(true);
    }),
  );
});

test('the ledger is read and written without the rest, which does not change', () => {
  fc.assert(
    fc.property(anyRecord, count, (record, used) => {
      const opened = openRecord(new FieldReader(bytesOf(record)));
      expect(record).toMatchObject(opened.ledger);
      expect(ledgerAt(new FieldReader(bytesOf(record)))).toEqual(opened.ledger);
      expect(isNameless(opened)).toBe(record.name === '');
      opened.ledger.used = used;
      const out = new FieldWriter();
      writeOpened(out, opened);
      expect(readRecord(new FieldReader(out.finish()))).toEqual({ ...record, used });
    }),
  );
});

test('a domain discovered a moment ago takes little more than its name', () => {
  const record = {
    ...newRecord('example.com', 1_700_000_000),
    inDegree: 3,
    urls: 40,
    budget: 10,
    version: 2,
  };
  expect(bytesOf(record).length).toBe('example.com'.length + 20);
});
