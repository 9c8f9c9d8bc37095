import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type GzipLevel, gzipMember } from '../../../src/archive/compress/gzip.ts';
import { RecordAssembler, type RecordFields } from '../../../src/archive/warc/warc-record.ts';

const FIELDS: RecordFields = { type: 'resource', id: 'a', date: 0, contentType: 'text/plain' };

function fieldOf(record: Uint8Array, name: string): string | undefined {
  const [head] = Buffer.from(record).toString().split('\r\n\r\n');
  return head
    .split('\r\n')
    .find((line) => line.startsWith(`${name}: `))
    ?.slice(name.length + 2);
}

test('a date is precise to the millisecond, independent of earlier calls', () => {
  const assembler = new RecordAssembler();
  const date = fc.oneof(
    fc.integer({ min: 0, max: 4e12 }),
    fc.integer({ min: 0, max: 5000 }).map((n) => Date.UTC(2026, 2, 14, 15, 9, 26) + n),
    fc.double({ min: 0, max: 4e12, noNaN: true }),
  );
  fc.assert(
    fc.property(fc.array(date, { minLength: 1 }), (dates) => {
      for (const date of dates) {
        const record = assembler.assemble({ ...FIELDS, date }, []);
        expect(fieldOf(record, 'WARC-Date')).toBe(new Date(date).toISOString());
      }
    }),
  );
});

test('a URL is written as UTF-8, for any characters', () => {
  const assembler = new RecordAssembler();
  const url = fc.oneof(
    fc.string(),
    fc.string({ unit: 'grapheme' }),
    fc.constant('http://a.test/über'),
  );
  fc.assert(
    fc.property(
      url.filter((text) => !/[\r\n]/.test(text)),
      (targetUri) => {
        const record = assembler.assemble({ ...FIELDS, targetUri }, [Buffer.from('block')]);
        expect(fieldOf(record, 'WARC-Target-URI')).toBe(targetUri);
        expect(Buffer.from(record.subarray(-9)).toString()).toBe('block\r\n\r\n');
      },
    ),
  );
});

test('records of several writers in one thread do not mix', async () => {
  const levels: GzipLevel[] = [0, 1, 1, 6];
  const lengths = [10, 1500, 90_000, 127_000, 131_000, 132_000, 400_000];
  const writers = levels.map(async (level, w) => {
    const assembler = new RecordAssembler();
    for (const length of lengths) {
      const block = Buffer.alloc(length, `writer ${w} writes ${length} bytes. `);
      const made = gzipMember(assembler.assemble(FIELDS, [block]), level, Buffer.from);
      const record = gunzipSync(await made);
      expect(record.includes(block)).toBe(true);
      expect(fieldOf(record, 'Content-Length')).toBe(String(length));
    }
  });
  await Promise.all(writers);
});
