/**
 * `drumlin unique`: lines in, those never seen before out. `sort -u` that remembers, in memory that does not grow.
 *
 * Crash     a line is remembered only after it was written: checkpoints are made when everything decided has been delivered.
 *           So what was read before the last checkpoint is never lost and never printed twice; what came after it must
 *           be given again, and is printed again.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { type Command, Option } from 'commander';
import { DrumlinError, EXIT, systemCode } from '../../base/errors.ts';
import { parseBytes } from '../../base/units.ts';
import type { KeyedBatch } from '../../drum/keyed-batch.ts';
import type { DiskSieve } from '../../sieve/disk-sieve.ts';
import { examples } from '../input/example.ts';

export interface UniqueFlags {
  readonly dir?: string;
  readonly memory: string;
  readonly disk: string;
  readonly count?: boolean;
  readonly sieve: 'drum' | 'mercator';
}

export function register(program: Command): void {
  program
    .command('unique')
    .description('Read lines, write those never seen before, and remember them.')
    .addHelpText(
      'after',
      examples(
        'unique < urls.txt > new.txt',
        'unique --dir seen < today.txt > never-seen-before.txt',
        'unique --count --memory 256Mi < urls.txt',
      ),
    )
    .option('--dir <folder>', 'where to remember, across runs; without it only this run counts')
    .option('--memory <size>', 'memory for everything', '64Mi')
    .option('--disk <size>', 'disk space for lines that wait to be decided', '8Gi')
    .option('--count', 'print how many lines are new in place of the lines')
    .addOption(
      new Option(
        '--sieve <form>',
        'mercator keeps the order of the input, drum is faster on large inputs',
      )
        .choices(['drum', 'mercator'])
        .default('drum'),
    )
    .action((flags: UniqueFlags) => {
      // The program's own answer to a broken pipe is to exit at once: the folder would stay locked, or stay behind.
      process.stdout.removeAllListeners('error');
      return unique(flags, process.stdin, process.stdout);
    });
}

export async function unique(flags: UniqueFlags, input: Readable, output: Writable): Promise<void> {
  const memory = parseBytes(flags.memory);
  const lineBuffer = Math.min(1024 * 1024, Math.floor(memory / 16));
  const folder = flags.dir ?? (await mkdtemp(join(tmpdir(), 'drumlin-unique-')));
  const stop = stopOnSignals(input);
  try {
    // A buffer of lines needs almost as much again for their keys and ends.
    const sieve = await openSieve(flags, folder, memory - 2 * lineBuffer);
    try {
      if (flags.count) await refuseUnprinted(sieve, folder);
      const { lineBatches } = await import('../../sieve/lines.ts');
      await pass(sieve, lineBatches(input, lineBuffer), output, flags.count === true);
      stop.check();
      await sieve.checkpoint();
    } catch (error) {
      stop.check(); // an input that was cut off by a signal is no failure of its own
      throw error;
    } finally {
      await sieve.close();
    }
  } finally {
    stop.end();
    if (flags.dir === undefined) await rm(folder, { recursive: true, force: true });
  }
}

async function openSieve(flags: UniqueFlags, folder: string, memory: number): Promise<DiskSieve> {
  const { DrumSieve, MercatorSieve } = await import('../../sieve/disk-sieve.ts');
  const { flatOut } = await import('../../base/pacer.ts');
  const form = flags.sieve === 'mercator' ? MercatorSieve : DrumSieve;
  return form.open({ folder, memory, diskLimit: parseBytes(flags.disk), pacer: flatOut });
}

/**
 * A count would take the lines that an interrupted run read and never printed for its own, and nobody would ever see them.
 * They are decided to be told from repeats; no checkpoint follows, so a refusal leaves the folder as it was.
 */
async function refuseUnprinted(sieve: DiskSieve, folder: string): Promise<void> {
  if (sieve.pending > 0) await sieve.flush();
  let left = 0;
  for (let batch = await sieve.take(); batch; batch = await sieve.take()) left += batch.length;
  if (left === 0) return;
  const lines = left === 1 ? '1 line' : `${left} lines`;
  throw new DrumlinError(
    'LINES_UNPRINTED',
    `An interrupted run left ${lines} in ${folder} that ${left === 1 ? 'was' : 'were'} never printed.`,
    'Run once without --count, then count.',
    { exitCode: EXIT.folder },
  );
}

async function pass(
  sieve: DiskSieve,
  lines: AsyncIterable<KeyedBatch>,
  output: Writable,
  count: boolean,
): Promise<void> {
  const deliver = delivery(output);
  let novel = 0;
  const drain = async () => {
    const before = novel;
    for (let batch = await sieve.take(); batch; batch = await sieve.take()) {
      novel += batch.length;
      if (!count) await deliver(batch.bytes);
    }
    return novel > before;
  };
  for await (const batch of lines) {
    if (count) batch.ends.fill(0); // the keys are enough
    await sieve.offer(batch);
    if ((await drain()) && !count) await sieve.checkpoint();
  }
  await sieve.flush();
  await drain();
  if (count) await deliver(Buffer.from(`${novel}\n`));
}

/** Waits until the bytes have left: only then a line counts as printed. They are copied, because the sieve reuses its memory. */
function delivery(output: Writable): (bytes: Uint8Array) => Promise<void> {
  output.on('error', () => undefined); // each write reports its own failure
  return (bytes) =>
    new Promise((resolve, reject) => {
      output.write(Buffer.from(bytes), (error) => (error ? reject(undelivered(error)) : resolve()));
    });
}

function undelivered(cause: Error): DrumlinError {
  const code = systemCode(cause);
  const [fact, remedy] =
    code === 'EPIPE'
      ? ['Whoever read the output went away before its end.', 'Run it again with the same input.']
      : [
          `The output could not be written (${code || cause.message}).`,
          'Make room for it and run it again.',
        ];
  const kept = 'What was not delivered is not remembered.';
  return new DrumlinError('OUTPUT', `${fact} ${kept}`, remedy, { exitCode: EXIT.disk, cause });
}

/** Ctrl-C ends the input early and leaves the folder as it was at its last checkpoint. */
function stopOnSignals(input: Readable): { check(): void; end(): void } {
  let stopped = false;
  const stop = () => {
    stopped = true;
    input.destroy();
  };
  process.once('SIGINT', stop).once('SIGTERM', stop);
  return {
    check() {
      if (!stopped) return;
      const fact = 'Stopped: what was read since the last checkpoint is not remembered.';
      throw new DrumlinError('STOPPED', fact, 'Run it again with the same input.', {
        exitCode: EXIT.interrupted,
      });
    },
    end() {
      process.removeListener('SIGINT', stop).removeListener('SIGTERM', stop);
    },
  };
}
