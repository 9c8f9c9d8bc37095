/**
 * The errors shown to users: a code for programs, the fact, and the remedy.
 *
 * The command line prints `fact remedy` as one line and exits with `exitCode`; the library throws
 * it. The exit codes are documented in docs/exit-codes.md and never change meaning.
 */
export const EXIT = {
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
  /** `drumlin archive`: the records asked for are damaged or missing. */
  damaged: 8,
  /** `drumlin doctor`: the machine is not ready to crawl. */
  unfit: 9,
  /** Stopped by the user (128 + SIGINT, the convention of shells). */
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export class DrumlinError extends Error {
  override readonly name = 'DrumlinError';
  readonly code: string;
  readonly fact: string;
  readonly remedy: string;
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
