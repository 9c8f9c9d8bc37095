/**
 * One line of JSON a request, so that politeness can be judged from the server's side.
 *
 * Lines are gathered and written a few times a second; if the disk is slower than the requests, lines wait in memory up to
 * `MAX_WAITING` and the rest are counted and reported in a line of their own, rather than slowing the web down.
 */
import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { DrumlinError, EXIT, systemCode } from '../errors.ts';

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
  #dropped = 0;

  private constructor(file: WriteStream) {
    this.#file = file;
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

  add(access: Access): void {
    if (this.#file.writableLength + this.#lines.length > MAX_WAITING) {
      this.#dropped++;
      return;
    }
    this.#lines += `${JSON.stringify(access)}\n`;
    if (this.#lines.length >= FLUSH_BYTES) this.#flush();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#flush();
    const closed = once(this.#file, 'close');
    this.#file.end();
    await closed;
  }

  #flush(): void {
    if (this.#dropped > 0) {
      this.#lines += `${JSON.stringify({ dropped: this.#dropped })}\n`;
      this.#dropped = 0;
    }
    if (this.#lines === '') return;
    this.#file.write(this.#lines);
    this.#lines = '';
  }
}
