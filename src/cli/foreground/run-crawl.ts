/** A crawl in the foreground: its view, the signals that stop it, its summary and exit code. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../base/clock.ts';
import { DrumlinError, EXIT } from '../../base/errors.ts';
import { counted, formatCount, formatDuration } from '../../base/units.ts';
import type { CrawlConfig } from '../../config/settings.ts';
import { type Summary, startCrawl } from '../../crawl/crawl.ts';
import type { Asker } from '../../crawl/planned/ask.ts';
import type { CountersState } from '../../crawl/record/counters.ts';
import { remedyFor } from '../../crawl/record/fault-remedies.ts';
import type { Facts } from '../../crawl/record/log-events.ts';
import type { LastCheckpoint } from '../../crawl/state/agent-folder.ts';
import { noCrawlToResume } from '../../crawl/state/crawl-folder.ts';
import { configure, type Given, NEW_FOLDER } from '../input/configure.ts';
import { STOP_SIGNALS } from '../input/interrupt.ts';
import { readSeeds } from '../input/seeds.ts';
import { asTyped } from '../screen/as-typed.ts';
import { withRemedy } from '../screen/internal-error.ts';
import { showLive } from '../screen/live.ts';
import { printable, printableLines } from '../screen/printable.ts';
import { summaryText } from '../screen/progress.ts';
import { wantsColours } from '../screen/text-line.ts';
import { whyNothing } from '../screen/why-nothing.ts';
import { writeReport } from '../screen/write-report.ts';
import { type ConsoleAt, openConsole } from './open-console.ts';

interface CommandFlags {
  readonly json: boolean;
  /** Fail if the folder holds a crawl. */
  readonly fresh: boolean;
  /** Fail if the folder holds no crawl. */
  readonly resume: boolean;
  /** Begin the crawl in the folder again. */
  readonly recrawl: boolean;
  /** Print errors only. */
  readonly quiet: boolean;
  /** Show the crawl in a browser. */
  readonly console: ConsoleAt | undefined;
}

export async function runCommand(
  words: readonly string[],
  given: Given,
  { json, fresh, resume, recrawl, quiet, console }: CommandFlags,
): Promise<number> {
  const { config, sources, seeds, before, changes } = await configure(given, () =>
    freshFolder('crawl'),
  );
  const { dir } = config;
  const starts = words.length > 0 ? words : seeds;
  if (before && existsSync(join(dir, 'refresh', 'plan.json'))) throw isRefresh(dir);
  if (before && fresh) throw crawlExists(dir);
  if ((resume || recrawl) && !before) throw nothingToResume(dir);
  if (starts.length === 0 && !before)
    throw sources.dir === NEW_FOLDER ? noSeeds() : noCrawlToResume(dir);
  return exitCodeOf(
    await runInForeground(readSeeds([...starts]), config, {
      ...{ json, quiet, changes, recrawl, console },
    }),
  );
}

function noSeeds(): DrumlinError {
  return new DrumlinError(
    'NO_SEEDS',
    'There is no URL to start from.',
    'Name one or more (drumlin crawl https://example.org/), a file with one URL per line, or the folder of a crawl to resume (--dir).',
  );
}

interface Shown extends Pick<CommandFlags, 'json' | 'quiet'> {
  readonly console?: ConsoleAt | undefined;
  readonly recrawl?: boolean;
  /** The settings that differ from those of the last run, a sentence each. */
  readonly changes?: readonly string[];
  /** What is requested, if it is no crawl from seeds. */
  readonly planned?: Planned;
  /** Other threads of the process are not agents: V8's settings stay as they are. */
  readonly sharesProcess?: boolean;
}

/** A planned crawl in the foreground. */
interface Planned {
  readonly asker: Asker;
  /** The command that resumes it, without the folder. */
  readonly command: string;
  /** Called when the crawl has ended, before its report is written; returns what to print. */
  finish(): Promise<string>;
}

/**
 * Runs a crawl to its end, with progress on standard error and the summary on standard output.
 * `nextLine` is the last line of the summary while URLs are queued.
 */
export async function runInForeground(
  seeds: readonly string[],
  config: CrawlConfig,
  { json, quiet, changes = [], planned, recrawl = false, sharesProcess = false, console }: Shown,
  nextLine: (dir: string) => string = (dir) =>
    asTyped(`  resume     drumlin ${planned?.command ?? 'crawl'} --dir ${dir}\n`),
): Promise<Summary> {
  const resume = asTyped(`drumlin ${planned?.command ?? 'crawl'} --dir ${config.dir}`);
  const interrupts = listenForInterrupts(() => {
    if (!quiet)
      process.stderr.write(`\nstopped at once; resume from the last checkpoint: ${resume}\n`);
  });
  try {
    let view: ReturnType<typeof showLive> | undefined;
    let early: string | undefined;
    const notes: string[] = [];
    const note = (text: string) => (view ? view.note(text) : notes.push(text));
    const run = await startCrawl(seeds, config, {
      ownsProcess: !sharesProcess,
      recrawl,
      ...(planned && { asker: planned.asker }),
      onSeedTrouble: (trouble) => {
        early ??= String(trouble.fault);
        note(printable(troubleText(trouble)));
      },
      onWarning: (sentence) => void process.stderr.write(`drumlin: ${printable(sentence)}\n`),
      onResume: (from) => {
        if (!quiet)
          process.stderr.write(
            `${[resumeText(from, planned !== undefined), ...changes].join('\n')}\n`,
          );
      },
    });
    const served = console && (await openConsole([config.dir], console, false));
    if (served) process.stderr.write(`The console: ${served.url}\n`);
    view = showLive(() => run.progress(), process.stderr, {
      title: `drumlin ▸ ${config.dir}`,
      clock: systemClock,
      colours: wantsColours(process.env),
      quiet,
    });
    for (const text of notes) view.note(text);
    interrupts.onFirst(() => {
      if (!quiet) note('stopping after the requests under way; Ctrl-C again stops at once');
      run.stop();
    });
    try {
      const summary = await run.finished;
      const findings = (await planned?.finish()) ?? '';
      view.end();
      const page = await reportOf(config.dir);
      if (json) process.stdout.write(`${JSON.stringify(summary)}\n`);
      else if (!quiet)
        process.stdout.write(
          `\n${findings}${report(summary, run.progress().before, places(config, page), nextLine)}`,
        );
      const nothing = whyNothing(summary, early);
      if (nothing !== undefined) process.stderr.write(`drumlin: ${printableLines(nothing)}\n`);
      return summary;
    } catch (error) {
      throw withResume(withRemedy(error), config.dir, planned?.command);
    } finally {
      view.end();
      await served?.close();
    }
  } finally {
    interrupts.end();
  }
}

/** `docs.example: the server refuses connections (…). Check the port. It is tried again in 1 m.` */
function troubleText({ host, fault, why, wait }: Facts<'seed-trouble'>): string {
  const [fact, remedy] = remedyFor(String(fault));
  const again = typeof wait === 'number' ? ` It is tried again in ${formatDuration(wait)}.` : '';
  return `drumlin: ${host}: ${fact} (${why}). ${remedy}${again}`;
}

/**
 * Adds how to resume. The folder may have a name that we chose: the same command again would start
 * another crawl.
 */
function withResume(
  { code, fact, remedy, exitCode, cause }: DrumlinError,
  dir: string,
  command = 'crawl',
): DrumlinError {
  return new DrumlinError(code, fact, `${remedy} To resume: drumlin ${command} --dir ${dir}`, {
    exitCode,
    cause,
  });
}

/** A planned crawl queues what its coordinator asks for: an empty queue is no end. */
function resumeText({ savedAt, pages, waiting }: LastCheckpoint, isPlanned: boolean): string {
  const time = new Date(savedAt).toISOString().slice(0, 19).replace('T', ' ');
  const fetched = `resuming from the checkpoint of ${time} UTC: ${counted(pages, 'page')} fetched`;
  if (isPlanned) return fetched;
  return `${fetched}, ${formatCount(waiting)} queued${waiting === 0 ? ': it was finished' : ''}`;
}

function isRefresh(dir: string): DrumlinError {
  return new DrumlinError(
    'CRAWL_EXISTS',
    `${dir} holds a refresh.`,
    `Resume it with "drumlin refresh --dir ${dir}", or choose another --dir.`,
    { exitCode: EXIT.folder },
  );
}

function crawlExists(dir: string): DrumlinError {
  return new DrumlinError(
    'CRAWL_EXISTS',
    `${dir} already holds a crawl.`,
    'Choose another --dir, or remove --fresh to resume it.',
    { exitCode: EXIT.folder },
  );
}

function nothingToResume(dir: string): DrumlinError {
  return new DrumlinError(
    'NO_CRAWL',
    `There is no crawl in ${dir} to resume.`,
    'Check --dir, or remove --resume to start one.',
  );
}

/** Writes the report; if that fails, the crawl itself still counts as a success. */
async function reportOf(dir: string): Promise<string> {
  try {
    return await writeReport(dir);
  } catch (error) {
    if (!(error instanceof DrumlinError)) throw error;
    return `not written: ${error.message}`;
  }
}

function report(
  summary: Summary,
  before: CountersState,
  where: string,
  nextLine: (dir: string) => string,
): string {
  const { dir, urlsQueued } = summary;
  return `${summaryText(summary, before)}\n\n${where}${urlsQueued > 0 ? nextLine(String(dir)) : ''}`;
}

/** The lines that say where the pages and the report are. */
function places({ dir, store, listSkipped }: CrawlConfig, page: string): string {
  const stored = {
    warc: `  archive    ${dir}/archive\n`,
    files: `  pages      ${dir}/pages\n`,
    none: '',
  };
  const skipped = listSkipped
    ? asTyped(`  skipped    drumlin archive list ${dir} --skipped\n`)
    : '';
  return `${stored[store]}${skipped}  report     ${page}\n`;
}

/**
 * The first signal asks for a clean stop, even if it comes before the crawl has started; the
 * second ends the process at once.
 */
function listenForInterrupts(onSecond: () => void): {
  onFirst(stop: () => void): void;
  end(): void;
} {
  let interrupted = false;
  let stop: (() => void) | undefined;
  const onSignal = () => {
    if (interrupted) {
      onSecond();
      process.exit(EXIT.interrupted);
    }
    interrupted = true;
    stop?.();
  };
  for (const signal of STOP_SIGNALS) process.on(signal, onSignal);
  return {
    onFirst(action) {
      stop = action;
      if (interrupted) action();
    },
    end: () => {
      for (const signal of STOP_SIGNALS) process.removeListener(signal, onSignal);
    },
  };
}

/** Distinguishes a finished crawl, a reached limit and a crawl that fetched no page. */
export function exitCodeOf(summary: Summary): number {
  const { end, urlsQueued } = summary;
  if (end === 'interrupted') return EXIT.interrupted;
  if (whyNothing(summary) !== undefined) return EXIT.nothingCrawled;
  return end !== 'finished' && urlsQueued > 0 ? EXIT.limitReached : EXIT.ok;
}

/** A folder that does not exist yet: `crawls/<name>-<time>`. */
export function freshFolder(name: string): string {
  const time = new Date().toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-');
  for (let i = 1; ; i++) {
    const folder = `crawls/${name}-${time}${i > 1 ? `-${i}` : ''}`;
    if (!existsSync(folder)) return folder;
  }
}
