import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Folders whose files run whole crawls or start processes: seconds a file. */
const SLOW = /\/test\/(conformance|crawl|cli|lab|simulator|api|console|render)\//;
/** What `npm run test:fast` leaves out: whole crawls, processes, and the longest property tests. */
const NOT_FAST = [
  'test/{conformance,crawl,cli,fuzz,simulator,api,render}/**',
  'test/{docs,kernels}.test.ts',
  'test/config/configuration-file.test.ts',
  'test/corpus/**',
  'test/doctor/**',
  'test/refresh/{run,compare}/**',
  'test/text/{hostile,text-reader}.test.ts',
  'test/archive/{compress/compression,tools/repair,write/warc-writer}.test.ts',
  'test/drum/drum.test.ts',
  'test/duplicates/likeness-crash.test.ts',
  'test/fetch/decode.test.ts',
  'test/filter/regexp.test.ts',
  'test/frontier/{backlog,beast}/**',
  'test/graph/{graphs,build}.test.ts',
  'test/graph/io/{bv,common-crawl,edge-list}.test.ts',
  'test/lab/{determinism,observe,requests,time,web}.test.ts',
  'test/lab/judge/**',
  'test/net/dns-grammar.test.ts',
  'test/parse/differential.test.ts',
  'test/rank/{rank.test.ts,methods/**,compare/**,supporters/**}',
  'test/reputation/{budget/domain-book.test.ts,edges/**}',
  'test/robots/oracle.test.ts',
  'test/sieve/{sieves,crash}.test.ts',
  'test/url/repeats.test.ts',
];
/** What takes more than five seconds: `npm run soak -- tests` runs it, and nothing else does. */
const LONG = 'test/**/*.long.test.ts';
const isLong = Boolean(process.env.DRUMLIN_LONG);
const left = [...(isLong ? [] : [LONG]), ...(process.env.DRUMLIN_FAST ? NOT_FAST : [])];
/** Files that change or measure the whole process, or replace a module of ours. */
const ALONE = [
  'test/{cli,doctor}/**/*.test.ts',
  'test/crawl/{clock-jumps,internal-errors,pauses,refused,simulate,agent/scope}.test.ts',
  'test/fuzz/command-line.test.ts',
  'test/lab/{observe,transfer}.test.ts',
  'test/sieve/lines.test.ts',
];

/** Slow files first, so that no core ends with one of them while the others are idle. */
class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isSlow = ({ moduleId }: TestSpecification) => SLOW.test(moduleId);
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))];
  }
}

/** `DRUMLIN_FILE_ORDER=n`: any order of files, that of seed n. No file may depend on another. */
const seed = process.env.DRUMLIN_FILE_ORDER;
const order = seed
  ? { shuffle: { files: true, tests: false }, seed: Number(seed) }
  : { sequencer: SlowFirst };

export default defineConfig({
  test: {
    pool: 'forks',
    // By default Vitest keeps one core free: of two that is half the machine.
    maxWorkers: '100%',
    // No test waits for time to pass, but a busy machine may delay one.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    sequence: order,
    // Names what was left out, in the last lines of a run.
    globalSetup: ['test/built-program.ts', 'test/left-out.ts', 'test/temporary-files.ts'],
    setupFiles: ['test/compare-bytes.ts', 'test/own-folder.ts', 'test/property-seed.ts'],
    projects: [
      { extends: true, test: { name: 'alone', include: isLong ? [] : ALONE, exclude: left } },
      // Sharing processes saves a third of the time: the sources are loaded and warmed up once.
      {
        extends: true,
        test: {
          name: 'together',
          include: [isLong ? LONG : 'test/**/*.test.ts'],
          exclude: [...ALONE, ...left],
          isolate: false,
        },
      },
    ],
  },
});
