import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Inbox } from '../../../src/crawl/transport/inbox.ts';
import { Outbox } from '../../../src/crawl/transport/outbox.ts';

const bytes = (length: number) => new Uint8Array(length);

test('an outbox agrees with a list of unacknowledged parcels', () => {
  const step = fc.oneof(
    fc.record({ send: fc.nat(5) }),
    fc.record({ acknowledge: fc.integer({ min: -2, max: 12 }) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), fc.nat(3), (steps, incarnation) => {
      const outbox = new Outbox(1, incarnation);
      const base = incarnation * 2 ** 32;
      let model: { sequence: number; length: number }[] = [];
      let sent = 0;
      for (const step of steps) {
        if ('send' in step) {
          model.push({ sequence: base + ++sent, length: step.send });
          expect(outbox.add(0, bytes(step.send)).sequence).toBe(base + sent);
        } else {
          outbox.acknowledge(base + step.acknowledge);
          model = model.filter(({ sequence }) => sequence > base + step.acknowledge);
        }
        expect(
          outbox.kept.map(({ sequence, bytes: { length } }) => ({ sequence, length })),
        ).toEqual(model);
        expect(outbox.bytes).toBe(model.reduce((sum, { length }) => sum + length, 0));
      }
    }),
  );
});

test('an inbox reports every parcel as new once, whatever is sent again, across incarnations', () => {
  const run = fc.record({ parcels: fc.integer({ min: 1, max: 6 }), again: fc.array(fc.nat(20)) });
  fc.assert(
    fc.property(fc.array(run, { maxLength: 5 }), (runs) => {
      const inbox = new Inbox(0);
      const sequences: number[] = [];
      for (const [incarnation, { parcels, again }] of runs.entries()) {
        for (const i of again)
          if (i < sequences.length) expect(inbox.isNew(sequences[i])).toBe(false);
        for (let n = 1; n <= parcels; n++) {
          const sequence = incarnation * 2 ** 32 + n;
          expect(inbox.isNew(sequence)).toBe(true);
          inbox.took(sequence, 10);
          expect(inbox.isNew(sequence)).toBe(false);
          sequences.push(sequence);
        }
      }
      expect(inbox.received).toBe(sequences.at(-1) ?? 0);
      expect(inbox.owedBytes).toBe(10 * sequences.length);
    }),
  );
});

test('an inbox rejects a gap in the numbers, because a later parcel in it would look like a repeat', () => {
  const inbox = new Inbox(3, 7);
  expect(() => inbox.isNew(9)).toThrow('Agent 3 sent parcel 9 after 7');
  expect(() => inbox.isNew(2 ** 32 + 2)).toThrow('were lost');
  expect(inbox.isNew(2 ** 32 + 1)).toBe(true);
});

test('an inbox acknowledges only forwards, and only parcels that arrived', () => {
  const inbox = new Inbox(3, 7);
  expect(inbox.acknowledge(7)).toBe(false);
  inbox.took(8, 100);
  inbox.took(9, 20);
  expect(inbox.acknowledge(8)).toBe(true);
  expect([inbox.acknowledged, inbox.owedBytes]).toEqual([8, 20]);
  expect(inbox.acknowledge(8)).toBe(false);
  expect(() => inbox.acknowledge(10)).toThrow('was not received');
});

test('an outbox rejects an incarnation whose numbers are in use', () => {
  const kept = [{ to: 1, sequence: 2 ** 32 + 4, kind: 0, bytes: bytes(1) }];
  expect(() => new Outbox(1, 1, kept)).toThrow('Incarnation 1 was used before');
  expect(new Outbox(1, 2, kept).add(0, bytes(2)).sequence).toBe(2 ** 33 + 1);
});
