/**
 * What a command does when its standard output or standard error cannot be written any more.
 *
 * Idea      A reader that leaves early (`| head`) is not a failure. A command that prints has
 *           nothing more to do, and ends at once. A command that works (a crawl, a conversion)
 *           finishes its work without a terminal.
 * Ensures   No failed write throws. Standard error carries progress and messages only: a failure of
 *           it is ignored. Any failure of standard output except a closed pipe is reported once,
 *           and gives exit code 4 to a command that would exit with 0.
 */
import { EXIT, systemCode } from '../../base/errors.ts';

interface Output {
  on(event: 'error', listener: (error: Error) => void): unknown;
  write(text: string): unknown;
}

/** The parts of `process` that are used here. */
interface Host {
  readonly stdout: Output;
  readonly stderr: Output;
  exit(code: number): void;
}

export class Outputs {
  readonly #host: Host;
  #working = false;
  #lost = false;

  /** A command that must clean up first removes the listener, and handles the error itself. */
  constructor(host: Host) {
    this.#host = host;
    host.stdout.on('error', (error) => this.#outputFailed(systemCode(error)));
    host.stderr.on('error', () => {});
  }

  /** From now on the command continues without its output. */
  keepWorking(): void {
    this.#working = true;
  }

  /** The exit code of a command that ends with `code`. */
  exitCode(code: number): number {
    return code === EXIT.ok && this.#lost ? EXIT.disk : code;
  }

  #outputFailed(code: string): void {
    const closed = code === 'EPIPE';
    if (!closed && !this.#lost)
      this.#host.stderr.write(`drumlin: Cannot write to standard output (${code}).\n`);
    this.#lost ||= !closed;
    if (!this.#working) this.#host.exit(closed ? EXIT.ok : EXIT.disk);
  }
}
