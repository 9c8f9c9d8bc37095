/**
 * `drumlin unique`: read lines, print those never seen before. Like `sort -u`, but it remembers
 * across runs and its memory does not grow.
 *
 * Crash     A line is remembered only after it was written: a checkpoint is made when every
 *           decided line is delivered. So lines read before the last checkpoint are never lost
 *           and never printed twice; lines read after it must be given again, and are printed
 *           again.
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
import { STOP_SIGNALS } from '../input/interrupt.ts';

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
    .description('read lines, print those never seen before, and remember them')
    .addHelpText(
      'after',
      examples(
        'unique < urls.txt > new.txt',
        'unique --dir seen < today.txt > never-seen-before.txt',
        'unique --count --memory 256Mi < urls.txt',
      ),
    )
    .option('--dir <folder>', 'folder that remembers lines across runs (default: none)')
    .option('--memory <size>', 'memory to use', '64Mi')
    .option('--disk <size>', 'disk space for undecided lines', '8Gi')
    .option('--count', 'print the number of new lines instead of the lines')
    .addOption(
      new Option('--sieve <form>', 'mercator keeps the input order; drum is faster on large inputs')
        .choices(['drum', 'mercator'])
        .default('drum'),
    )
    .action((flags: UniqueFlags) => {
      // main.ts exits at once on a broken pipe: the folder would stay locked, or not be deleted.
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
      stop.check(); // an input that a signal ended is not a failure
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
 * Fails if an interrupted run left lines that it read and never printed: a count would include
 * them, and they would never be printed. Deciding them tells them from repeats; no checkpoint
 * follows, so the folder stays as it was.
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

/**
 * Waits until the bytes are written: only then a line counts as printed. Copies them, because the
 * sieve reuses its memory.
 */
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
      ? ['The reader closed the output before its end.', 'Run it again with the same input.']
      : [
          `The output could not be written (${code || cause.message}).`,
          'Free some space and run it again.',
        ];
  const kept = 'Lines that were not written are not remembered.';
  return new DrumlinError('OUTPUT', `${fact} ${kept}`, remedy, { exitCode: EXIT.disk, cause });
}

/** Ctrl-C ends the input early and leaves the folder as it was at its last checkpoint. */
function stopOnSignals(input: Readable): { check(): void; end(): void } {
  let stopped = false;
  const stop = () => {
    stopped = true;
    input.destroy();
  };
  for (const signal of STOP_SIGNALS) process.once(signal, stop);
  return {
    check() {
      if (!stopped) return;
      const fact = 'Stopped: lines read since the last checkpoint are not remembered.';
      throw new DrumlinError('STOPPED', fact, 'Run it again with the same input.', {
        exitCode: EXIT.interrupted,
      });
    },
    end() {
      for (const signal of STOP_SIGNALS) process.removeListener(signal, stop);
    },
  };
}
