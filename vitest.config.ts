import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Where whole crawls are run and processes are started: seconds a file, where others take a moment. */
const SLOW = /\/test\/(crawl|cli|lab|simulator)\//;
/** Those that change or measure what belongs to the whole process, or put another module in the place of ours. */
const ALONE = [
  'test/{cli,doctor}/**/*.test.ts',
  'test/crawl/{clock-jumps,agent/scope}.test.ts',
  'test/fuzz/command-line.test.ts',
  'test/lab/{observe,transfer}.test.ts',
  'test/sieve/lines.test.ts',
];

/** The slow files first, so that no core is left with one of them while the others have nothing to do. */
class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isSlow = ({ moduleId }: TestSpecification) => SLOW.test(moduleId);
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))];
  }
}

export default defineConfig({
  test: {
    pool: 'forks',
    // Left to itself, Vitest keeps one core free: of two that is half the machine.
    maxWorkers: '100%',
    // No test waits for time to pass; a machine that is busy elsewhere may still let one wait for its turn.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    sequence: { sequencer: SlowFirst },
    setupFiles: ['test/compare-bytes.ts'],
    projects: [
      { extends: true, test: { name: 'alone', include: ALONE } },
      // To start a process for every file, and to load and warm up the same sources in each, took as long as a third of the tests.
      {
        extends: true,
        test: { name: 'together', include: ['test/**/*.test.ts'], exclude: ALONE, isolate: false },
      },
    ],
  },
});
