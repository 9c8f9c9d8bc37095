/**
 * One line of JSON a request, so that politeness can be judged from the server's side.
 *
 * Lines are gathered and written a few times a second; if the disk is slower than the requests,
 * lines wait in memory up to `MAX_WAITING` and the rest are counted and reported in a line of their
 * own, rather than slowing the web down. A log that fails later on (a full disk) does not end the
 * web either: it is said once on stderr, and the lines are counted only.
 */
import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { DrumlinError, EXIT, systemCode } from '../../base/errors.ts';

const FLUSH_BYTES = 64 * 1024;
const FLUSH_MILLIS = 200;
const MAX_WAITING = 16 * 1024 * 1024;

export interface Access {
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly host: string;
  /** The address of ours that was connected to. */
  readonly address: string;
  readonly path: string;
  readonly status: number;
  /** Bytes of the body. */
  readonly bytes: number;
}

export class AccessLog {
  readonly #file: WriteStream;
  readonly #timer: NodeJS.Timeout;
  #lines = '';
  #count = 0;
  #dropped = 0;

  private constructor(file: WriteStream) {
    this.#file = file;
    file.on('error', (error) => {
      process.stderr.write(
        `The log ${file.path} cannot be written any more (${systemCode(error)}); the web goes on without.\n`,
      );
    });
    this.#timer = setInterval(() => this.#flush(), FLUSH_MILLIS);
    this.#timer.unref();
  }

  static async open(path: string): Promise<AccessLog> {
    const file = createWriteStream(path, { flags: 'a' });
    try {
      await once(file, 'open');
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
    return new AccessLog(file);
  }

  /** Lines that were not written and of which the log does not tell. */
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
    const told = this.#count;
    this.#file.write(this.#lines, (error) => {
      if (error) this.#dropped += told;
    });
    this.#lines = '';
    this.#count = 0;
  }
}
