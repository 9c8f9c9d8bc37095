/**
 * The errors shown to users: a code for programs, the fact, and the remedy.
 *
 * The command line prints `fact remedy` as one line and exits with `exitCode`; the library throws
 * it. The exit codes are documented in docs/exit-codes.md and never change meaning.
 */
export const EXIT = {
  /** The command did what was asked. */
  ok: 0,
  /** A bug in Drumlin: an error without a remedy. */
  internal: 1,
  /** The command line, the configuration or an input file is wrong. */
  usage: 2,
  /** The crawl ended without a single page. */
  nothingCrawled: 3,
  /** The disk is full or refuses to be written. */
  disk: 4,
  /** Another process holds the folder, or this build cannot read its format. */
  folder: 5,
  /** A limit set by the user ended the crawl, and URLs are still queued. */
  limitReached: 6,
  /** `drumlin robots`, `drumlin filter test`: a URL given may not be fetched. */
  denied: 7,
  /** `drumlin archive`, `drumlin search`: what was asked for is damaged or missing. */
  damaged: 8,
  /** `drumlin doctor`: the machine is not ready to crawl. `bin/drumlin`: it runs Windows. */
  unfit: 9,
  /** Stopped by the user (128 + SIGINT, the convention of shells). */
  interrupted: 130,
} as const;

/** The exit code of the command line for an error. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** An error with a remedy. Its message is the fact, then the remedy. */
export class DrumlinError extends Error {
  /** Always `DrumlinError`. */
  override readonly name = 'DrumlinError';
  /** What kind of error it is, for programs: `SETTING`, `FOLDER_IN_USE`, … */
  readonly code: string;
  /** What is wrong, as a sentence. */
  readonly fact: string;
  /** What to do about it, as a sentence. */
  readonly remedy: string;
  /** The exit code of the command line for this error. */
  readonly exitCode: ExitCode;

  constructor(
    code: string,
    fact: string,
    remedy: string,
    options: { exitCode?: ExitCode; cause?: unknown } = {},
  ) {
    super(`${fact} ${remedy}`, { cause: options.cause });
    this.code = code;
    this.fact = fact;
    this.remedy = remedy;
    this.exitCode = options.exitCode ?? EXIT.usage;
  }
}

/** The system's error code (`ENOENT`, `ECONNRESET`, …), or '' when the error carries none. */
export function systemCode(error: unknown): string {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' ? code : '';
}
