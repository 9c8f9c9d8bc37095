/**
 * One line of JSON per request, so that politeness can be judged from the server's side.
 *
 * Lines are gathered and written a few times a second. If the disk is slower than the requests,
 * lines stay in memory up to `MAX_WAITING`; the rest are counted and reported in a line of their
 * own, so that the web does not slow down. A log that fails later (a full disk) does not end the
 * web either: one message goes to stderr, and further lines are only counted.
 */
import { DrumlinError, EXIT, systemCode } from '../../base/errors.ts';
import { type AppendStream, openAppendStream } from '../../disk/append-stream.ts';

const FLUSH_BYTES = 64 * 1024;
const FLUSH_MILLIS = 200;
const MAX_WAITING = 16 * 1024 * 1024;

export interface Access {
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly host: string;
  /** Our address that the client connected to. */
  readonly address: string;
  /** Empty if the request could not be read. */
  readonly method: string;
  readonly path: string;
  /** The validators that the request named: `etag`, `date`, both (`etag,date`); absent if none. */
  readonly condition?: string;
  readonly status: number;
  /** Bytes of the body. */
  readonly bytes: number;
}

export class AccessLog {
  readonly #file: AppendStream;
  readonly #timer: NodeJS.Timeout;
  #lines = '';
  #count = 0;
  #dropped = 0;

  private constructor(file: AppendStream) {
    this.#file = file;
    file.on('error', (error) => {
      process.stderr.write(
        `The log ${file.path} cannot be written any more (${systemCode(error)}); the web continues without it.\n`,
      );
    });
    this.#timer = setInterval(() => this.#flush(), FLUSH_MILLIS);
    this.#timer.unref();
  }

  static async open(path: string): Promise<AccessLog> {
    try {
      return new AccessLog(await openAppendStream(path));
    } catch (error) {
      throw new DrumlinError(
        'LAB_LOG',
        `The log ${path} cannot be written (${systemCode(error)}).`,
        'Choose another --log.',
        {
          exitCode: EXIT.disk,
          cause: error,
        },
      );
    }
  }

  /** Lines that were not written and are not reported in the log yet. */
  get dropped(): number {
    return this.#dropped;
  }

  add(access: Access): void {
    if (this.#file.destroyed || this.#file.writableLength + this.#lines.length > MAX_WAITING) {
      this.#dropped++;
      return;
    }
    this.#lines += `${JSON.stringify(access)}\n`;
    this.#count++;
    if (this.#lines.length >= FLUSH_BYTES) this.#flush();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#flush();
    if (this.#file.closed) return;
    const closed = new Promise<void>((resolve) => this.#file.once('close', resolve));
    this.#file.end();
    await closed;
  }

  #flush(): void {
    if (this.#dropped > 0 && !this.#file.destroyed) {
      this.#lines += `${JSON.stringify({ dropped: this.#dropped })}\n`;
      this.#count += this.#dropped;
      this.#dropped = 0;
    }
    if (this.#lines === '') return;
    const lines = this.#count;
    this.#file.write(this.#lines, (error) => {
      if (error) this.#dropped += lines;
    });
    this.#lines = '';
    this.#count = 0;
  }
}
