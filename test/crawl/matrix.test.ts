/** The fault matrix in its short form: a sample of places, one fault each. */
import { expect, test } from 'vitest';
import { places, throwEverywhere } from '../../soak/matrix/phases.ts';

/** Which sample of the matrix. */
const SEED = 20_774;
const SAMPLE = 5;
/** Each of these hung a crawl once. */
const ALWAYS = ['BodyBudget.refund 4', 'TurnPolicy.release 1'];

test('an exception in a part of an agent: survived, or resumed without a loss', async () => {
  const all = places([1, 4]);
  const step = Math.ceil(all.length / SAMPLE);
  const chosen = all.filter(
    ({ name, method, call }, i) =>
      i % step === SEED % step || ALWAYS.includes(`${name}.${method} ${call}`),
  );
  const { failures, outcomes } = await throwEverywhere(chosen);
  expect(failures).toEqual([]);
  expect(outcomes.survived + outcomes['ended and resumed']).toBeGreaterThan(1);
});
