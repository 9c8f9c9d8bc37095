import fc from 'fast-check';
import { describe, test } from 'vitest';
import { PowerCutFileSystem } from '../../disk/power-cut-file-system.ts';
import { temporaryFolder } from '../../disk/temporary-folder.ts';
import { Life, type LifeOptions } from './beast-life.ts';

type Step = (life: Life, cutPower: () => void) => unknown;

const distance = fc.constantFrom(1, 1, 2, 3, 5, 9, 40, Infinity);
const size = fc.constantFrom(0, 0, 3, 20, 60, 300);
const put = fc.tuple(distance, size).map(
  ([far, length]): Step =>
    (life) =>
      life.put(far, length),
);
const takeLater = fc.constantFrom(1, 4).map(
  (far): Step =>
    (life) =>
      life.takeLater(far),
);
const rescan: Step = async (life) => {
  while (await life.takeLater());
};
type Weighted = { weight: number; arbitrary: fc.Arbitrary<Step> }[];
const steps: Weighted = [
  { weight: 14, arbitrary: put },
  { weight: 3, arbitrary: fc.constant((life) => life.makeRoom()) },
  { weight: 4, arbitrary: fc.constant((life) => life.take()) },
  { weight: 3, arbitrary: fc.constant((life) => life.advance()) },
  { weight: 2, arbitrary: takeLater },
  { weight: 2, arbitrary: fc.constant(rescan) },
  {
    weight: 2,
    arbitrary: fc.array(distance, { maxLength: 5 }).map(
      (distances): Step =>
        (life) =>
          life.meanwhile(() => life.makeRoom(), distances),
    ),
  },
];
const memory = fc.constantFrom(0, 1500, 5000, 1e9);
const crash = memory.map(
  (bytes): Step =>
    (life, cutPower) =>
      life.crash(cutPower, { memory: bytes }),
);
/** Continues, and dies before the checkpoint is settled. */
const dieLate: Step = (life, cutPower) =>
  life.checkpoint(async () => {
    await life.advance();
    await life.takeLater();
    await life.makeRoom();
    await life.crash(cutPower);
  });
const checkpointMeanwhile = fc.array(distance, { maxLength: 5 }).map(
  (distances): Step =>
    (life) =>
      life.meanwhile(() => life.checkpoint(), distances),
);
const restarts: Weighted = [
  { weight: 3, arbitrary: fc.constant((life) => life.checkpoint()) },
  { weight: 1, arbitrary: checkpointMeanwhile },
  { weight: 1, arbitrary: crash },
  { weight: 1, arbitrary: fc.constant(dieLate) },
];

const story = (arbitraries: Weighted) =>
  fc.array(fc.oneof(...arbitraries), { minLength: 20, maxLength: 150, size: 'max' });
const options = fc.record({
  memory,
  queues: fc.constantFrom(1, 2, 3),
  mostQueues: fc.constantFrom(3, 8, 1000),
  limits: fc.record({
    window: fc.constantFrom(8, 24, 4096),
    piece: fc.constantFrom(0, 300, 1e9),
    journalSlack: fc.constantFrom(0, 300, 1e9),
  }),
});
type Options = Omit<LifeOptions, 'fileSystem' | 'folder'>;

async function live(steps: readonly Step[], given: Options, isPowerCut = false): Promise<void> {
  const fileSystem = new PowerCutFileSystem();
  const life = await Life.begin({ ...given, fileSystem, folder: temporaryFolder() });
  for (const step of steps) {
    await step(life, () => isPowerCut && fileSystem.cutPower());
    life.check();
  }
  await life.drain();
}

describe('BEAST agrees with queues that are arrays, reused in a circle', () => {
  test('whatever is put, taken and put again, and whenever memory is written out', async () => {
    const inQuiet = (steps: readonly Step[], given: Options) => live(steps, given);
    await fc.assert(fc.asyncProperty(story(steps), options, inQuiet), { numRuns: 12 });
  });

  test('whenever it is frozen and opened again there, also in the middle of a round or of a rescan', async () => {
    const withRestarts = (steps: readonly Step[], given: Options) => live(steps, given);
    await fc.assert(fc.asyncProperty(story([...steps, ...restarts]), options, withRestarts), {
      numRuns: 18,
    });
  });

  test('whenever the power is cut', async () => {
    const withPowerCuts = (steps: readonly Step[], given: Options) => live(steps, given, true);
    await fc.assert(fc.asyncProperty(story([...steps, ...restarts]), options, withPowerCuts), {
      numRuns: 12,
    });
  });
});
