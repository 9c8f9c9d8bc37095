/** The project's tests against planted faults: those of `DRUMLIN_FAULT_TESTS`, in that order. */
import { defineConfig, mergeConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import base from '../../vitest.config.ts';

const order = (process.env.DRUMLIN_FAULT_TESTS ?? '').split('\n').filter(Boolean);

class AsGiven extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) =>
      order.findIndex((path) => moduleId.endsWith(`/${path}`));
    return files.sort((a, b) => place(a) - place(b));
  }
}

export default mergeConfig(
  base,
  defineConfig({
    test: {
      // A project takes these from here.
      setupFiles: ['scripts/mutants/name-test.ts'],
      testTimeout: 40_000,
      hookTimeout: 40_000,
      ...(order.length > 0 && { sequence: { sequencer: AsGiven }, maxWorkers: 1 }),
    },
  }),
);
