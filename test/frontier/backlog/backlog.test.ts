import fc from 'fast-check';
import { describe, test } from 'vitest';
import type { BacklogLimits } from '../../../src/frontier/backlog/backlog.ts';
import { PowerCutFileSystem } from '../../disk/power-cut-file-system.ts';
import { temporaryFolder } from '../../disk/temporary-folder.ts';
import { Life } from './backlog-life.ts';

/**
 * Hosts of all kinds; the last two have the same 64-bit key, the two before them agree in 53 bits.
 */
const HOSTS = [
  'example.org',
  'a',
  '[2001:db8::1]',
  '192.0.2.1',
  `${'long.'.repeat(30)}example.net`,
  'h1262.example.com',
  'h1439.example.com',
  'h16227.example.com',
  'h61480.example.com',
];

const host = fc.constantFrom(...HOSTS);
const path = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('', 'a', 'b/c?d=e') },
  { weight: 1, arbitrary: fc.integer({ min: 50, max: 300 }).map((length) => 'x'.repeat(length)) },
);
const port = fc.constantFrom('', ':8080');

type Step = (life: Life, cutPower: () => void) => void | Promise<void>;

const add = fc.tuple(host, path, port).map(
  ([name, text, number]): Step =>
    (life) =>
      life.add(name, text, number),
);
const steps: { weight: number; arbitrary: fc.Arbitrary<Step> }[] = [
  { weight: 12, arbitrary: add },
  { weight: 3, arbitrary: fc.constant((life) => life.makeRoom()) },
  {
    weight: 8,
    arbitrary: fc.integer({ min: 0, max: 4 }).map(
      (most): Step =>
        (life) =>
          life.step(most),
    ),
  },
  { weight: 1, arbitrary: fc.constant((life) => life.drop()) },
  { weight: 1, arbitrary: fc.constant((life) => life.finishRound()) },
  {
    weight: 3,
    arbitrary: host.map(
      (name): Step =>
        (life) =>
          life.fetch(name),
    ),
  },
  {
    weight: 2,
    arbitrary: host.map(
      (name): Step =>
        (life) =>
          life.putBack(name),
    ),
  },
];
const indexInMemory = fc.constantFrom(0, 150, 1e6);
const crash = indexInMemory.map(
  (bytes): Step =>
    (life, cutPower) =>
      life.crash(cutPower, { indexInMemory: bytes }),
);
/** Continues to the next round, and dies before the checkpoint is settled. */
const dieLate: Step = (life, cutPower) =>
  life.checkpoint(async () => {
    await life.finishRound();
    await life.step(1);
    await life.crash(cutPower);
  });
const restarts: typeof steps = [
  { weight: 2, arbitrary: fc.constant((life) => life.checkpoint()) },
  { weight: 1, arbitrary: crash },
  { weight: 1, arbitrary: fc.constant(dieLate) },
];

const story = (arbitraries: typeof steps) =>
  fc.array(fc.oneof(...arbitraries), { minLength: 20, maxLength: 150, size: 'max' });
const limits = fc.record({
  memory: fc.constantFrom(0, 700, 3000),
  mostRuns: fc.constantFrom(2, 3, 5),
  mergedAtOnce: fc.constant(2),
  waste: fc.constantFrom(0, 200, 1e9),
  window: fc.constantFrom(40, 64, 4096),
  indexInMemory,
});

type Steps = readonly Step[];
type Limits = BacklogLimits & { readonly memory: number };

async function live(
  steps: Steps,
  { memory, ...limits }: Limits,
  isPowerCut = false,
): Promise<void> {
  const fileSystem = new PowerCutFileSystem();
  const life = await Life.begin({ fileSystem, folder: temporaryFolder(), memory, limits });
  for (const step of steps) {
    await step(life, () => isPowerCut && fileSystem.cutPower());
    life.check();
  }
  await life.drain();
}

describe('the backlog agrees with a list of URLs for each host', () => {
  const inQuiet = (steps: Steps, limits: Limits) => live(steps, limits);

  test('whatever is added, taken, dropped and put back, and whenever memory is written out', async () => {
    await fc.assert(fc.asyncProperty(story(steps), limits, inQuiet), { numRuns: 25 });
  });

  test('whenever it is frozen and opened again there, also in the middle of a sweep', async () => {
    await fc.assert(fc.asyncProperty(story([...steps, ...restarts]), limits, inQuiet), {
      numRuns: 30,
    });
  });

  test('whenever the power is cut', async () => {
    const withPowerCuts = (steps: Steps, limits: Limits) => live(steps, limits, true);
    await fc.assert(fc.asyncProperty(story([...steps, ...restarts]), limits, withPowerCuts), {
      numRuns: 25,
    });
  });
});
