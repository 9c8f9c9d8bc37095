/** Addresses that are lent to workers, in virtual time. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AddressGrantor } from '../../../src/cluster/addresses/grantor.ts';
import { holdTimes } from '../../../src/cluster/addresses/hold-times.ts';

const TIMES = holdTimes(1);
const DELAY = 700;

function started(isFirst = true) {
  let now = 1_000_000;
  const asked: string[] = [];
  const askBack = (worker: string, ip: string) => void asked.push(`${worker} ${ip}`);
  const grantor = new AddressGrantor(TIMES, () => now, isFirst, askBack);
  const ask = (worker: string, ip = 'a') => grantor.ask({ ip, worker, delay: DELAY });
  const pass = (time: number) => {
    now += time;
  };
  return { grantor, ask, pass, asked };
}

describe('a grantor', () => {
  test('lends an address to one worker, and again to that one', () => {
    const { ask, pass } = started();
    expect(ask('x')).toEqual({ granted: TIMES.hold });
    expect(ask('y')).toEqual({ again: TIMES.retry });
    pass(TIMES.hold - 1);
    expect(ask('x')).toEqual({ granted: TIMES.hold });
    expect(ask('y', 'b')).toEqual({ granted: TIMES.hold });
  });

  test('asks for an address that another wants, once, and lends it when it is ready', () => {
    const { grantor, ask, pass, asked } = started();
    ask('x');
    ask('y');
    expect(asked).toEqual([]);
    pass(TIMES.keep);
    ask('y');
    ask('y');
    expect(asked).toEqual(['x a']);
    expect(ask('x')).toEqual({ again: TIMES.retry });
    grantor.released('x', 'a', 300);
    expect(ask('y')).toEqual({ again: 300 });
    pass(300);
    expect(ask('y')).toEqual({ granted: TIMES.hold });
  });

  test('waits for the delay after the hold of a worker that says nothing more', () => {
    const { ask, pass } = started();
    ask('x');
    pass(TIMES.hold + DELAY - 1);
    expect(ask('y')).toEqual({ again: 1 });
    pass(1);
    expect(ask('y')).toEqual({ granted: TIMES.hold });
  });

  test('that is new lends nothing until all workers have said what they hold, or the longest hold is over', () => {
    const first = started(false);
    expect(first.ask('x')).toEqual({ again: TIMES.retry });
    first.grantor.claimed('y', [{ ip: 'a', left: 5000, delay: DELAY }]);
    first.grantor.open();
    expect(first.ask('x')).toEqual({ again: TIMES.retry });
    expect(first.ask('y')).toEqual({ granted: TIMES.hold });
    expect(first.ask('x', 'b')).toEqual({ granted: TIMES.hold });
    const second = started(false);
    second.pass(TIMES.hold);
    expect(second.ask('x')).toEqual({ granted: TIMES.hold });
  });

  test('never lets two workers hold an address within its delay, whatever they do', () => {
    const step = fc.oneof(
      fc.record({ ask: fc.constantFrom('x', 'y', 'z') }),
      fc.record({ release: fc.constantFrom('x', 'y', 'z') }),
      fc.record({ pass: fc.nat(2 * TIMES.hold) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { grantor, ask, pass } = started();
        let now = 0;
        /** Until when each worker may send a request. */
        const until = new Map<string, number>();
        for (const step of steps) {
          if ('pass' in step) {
            pass(step.pass);
            now += step.pass;
          } else if ('release' in step) {
            if ((until.get(step.release) ?? 0) > now) until.set(step.release, now);
            grantor.released(step.release, 'a', DELAY);
          } else {
            const answer = ask(step.ask);
            if (!('granted' in answer)) continue;
            for (const [worker, last] of until)
              if (worker !== step.ask) expect(now).toBeGreaterThanOrEqual(last + DELAY);
            until.set(step.ask, now + answer.granted);
          }
        }
      }),
    );
  });
});
