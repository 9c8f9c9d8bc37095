/** What a worker believes that it holds, when messages come at bad moments. */
import { expect, test } from 'vitest';
import type { HoldAnswer } from '../../../src/cluster/addresses/grantor.ts';
import { HeldAddresses } from '../../../src/cluster/addresses/held-addresses.ts';
import { holdTimes } from '../../../src/cluster/addresses/hold-times.ts';

const IP = '192.0.2.1';
const { hold } = holdTimes(1);

function worker() {
  const told: number[] = [];
  const revoked: number[] = [];
  const givenBack: string[] = [];
  let answer = (_: HoldAnswer) => {};
  let fail = () => {};
  const held = new HeldAddresses({
    ...{ times: holdTimes(1), now: () => 1000 },
    ask: () =>
      new Promise<HoldAnswer>((resolve, reject) => {
        answer = resolve;
        fail = () => reject(new Error('no answer'));
      }),
    giveBack: (ip) => void givenBack.push(ip),
    tell: (agent) => void told.push(agent),
    revoke: (agent) => void revoked.push(agent),
  });
  return {
    held,
    told,
    revoked,
    givenBack,
    answer: (a: HoldAnswer) => answer(a),
    fail: () => fail(),
  };
}

test('an address that is wanted before the grant is read is not used, and given back once', async () => {
  const { held, told, givenBack, answer } = worker();
  const wanting = held.want(3, IP, 200);
  answer({ granted: hold }); // both messages come at once: the worker was stopped
  held.wantedBack(IP);
  expect(givenBack).toEqual([]);
  await wanting;
  expect([told, givenBack]).toEqual([[], [IP]]);
  expect(held.claims(() => true)).toEqual([]);
});

test('it is given back as well if the answer never comes', async () => {
  const { held, told, givenBack, fail } = worker();
  const wanting = held.want(3, IP, 200);
  held.wantedBack(IP);
  fail();
  await wanting;
  expect([told, givenBack]).toEqual([[], [IP]]);
});

test('a renewal that is answered after the address was given back does not bring it back', async () => {
  const { held, told, givenBack, revoked, answer } = worker();
  const first = held.want(3, IP, 200);
  answer({ granted: 100 }); // so short that it is renewed at once
  await first;
  const renewal = held.want(3, IP, 200);
  answer({ granted: hold });
  held.wantedBack(IP);
  held.unused(3, IP, 1200);
  await renewal;
  expect([told, revoked]).toEqual([[3], [3]]);
  expect(givenBack).toContain(IP);
  expect(held.claims(() => true)).toEqual([]);
});

test('what is asked for is claimed: the grant may be on its way while a new grantor asks', async () => {
  const { held, told, answer } = worker();
  const wanting = held.want(3, IP, 200);
  answer({ granted: hold });
  expect(held.claims(() => true)).toEqual([{ ip: IP, left: hold, delay: 200 }]);
  await wanting;
  expect([told, held.claims(() => true)]).toEqual([[3], [{ ip: IP, left: hold, delay: 200 }]]);
});
