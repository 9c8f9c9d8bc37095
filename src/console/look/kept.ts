/**
 * Something large that is read from the folder of a crawl, and kept: tables, places of links.
 *
 * Idea      The first request begins the reading and waits for it, but not long: then it is told
 *           how far the reading is. Once there is something, requests get that. When the crawl has
 *           written something else, it is read again while requests get what was read before.
 * Ensures   One reading at a time, and readings take at most one part in `AGE_FACTOR` of the time.
 *           An error of a reading reaches the requests that wait for it; the next one reads again.
 */
import type { Clock } from '../../base/clock.ts';
import { DrumlinError } from '../../base/errors.ts';
import type { Millis } from '../../base/units.ts';

const LEAST_AGE: Millis = 5000;
const AGE_FACTOR = 100;
/** Small crawls are read in this time: their readers see no progress. */
const LONGEST_WAIT: Millis = 1000;

interface Source<T> {
  /** What the crawl has written: another text if it is something else. */
  version(): Promise<string>;
  read(): Promise<T>;
  /** How far the reading is, as a sentence. */
  progress(): string;
}

export class Kept<T> {
  readonly #clock: Clock;
  readonly #source: Source<T>;
  #value: T | undefined;
  #reading: Promise<T> | undefined;
  #version: string | undefined;
  #readAt: Millis = 0;
  #took: Millis = 0;

  constructor(clock: Clock, source: Source<T>) {
    this.#clock = clock;
    this.#source = source;
  }

  async current(): Promise<T> {
    const age = this.#clock.now() - this.#readAt;
    const isDue = age >= Math.max(LEAST_AGE, AGE_FACTOR * this.#took);
    if (this.#value === undefined || isDue) this.#reading ??= this.#readIfOther();
    if (this.#value !== undefined) return this.#value;
    return this.#soon(this.#reading as Promise<T>);
  }

  /** Settles when what was read last is what the crawl has written, or cannot be read. */
  #readIfOther(): Promise<T> {
    const reading = this.#readNow();
    reading.then(
      () => this.#ended(),
      () => {
        this.#value = undefined;
        this.#version = undefined;
        this.#ended();
      },
    );
    return reading;
  }

  async #readNow(): Promise<T> {
    const began = this.#clock.now();
    const version = await this.#source.version();
    if (this.#value === undefined || version !== this.#version) {
      this.#value = await this.#source.read();
      this.#version = version;
      this.#took = this.#clock.now() - began;
    }
    this.#readAt = this.#clock.now();
    return this.#value;
  }

  #ended(): void {
    this.#reading = undefined;
  }

  #soon(reading: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const cancel = this.#clock.after(LONGEST_WAIT, () =>
        reject(stillReading(this.#source.progress())),
      );
      reading.then(resolve, reject).finally(cancel);
    });
  }
}

/** The code of the error that says how far a reading is. */
export const STILL_READING = 'STILL_READING';

const stillReading = (progress: string): DrumlinError =>
  new DrumlinError(STILL_READING, progress, 'Ask again in a second.');
