/**
 * A browser process and the two pipes through which it is driven: the DevTools protocol.
 *
 * Idea      Messages are JSON texts that end with a zero byte, on descriptors 3 (to the browser)
 *           and 4 (from it). There is no port that another program could connect to. The browser
 *           ends when the pipe closes, and the system closes the pipe when this process ends,
 *           however it ends: so no browser outlives its crawl.
 * Requires  `--remote-debugging-pipe` among the arguments.
 * Ensures   Every call resolves or rejects: when the browser is gone, all open calls reject with
 *           `BrowserGone`. A message that is no JSON ends the browser.
 * Cost      One JSON text per message. Bodies go through the pipe in base64.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';

/** The browser has ended, crashed or was ended. */
export class BrowserGone extends Error {
  override readonly name = 'BrowserGone';
}

/** The browser refused a call: the page is gone, or it does not know the method. */
class CallRefused extends Error {
  override readonly name = 'CallRefused';
}

export type Parameters = Readonly<Record<string, unknown>>;
/** What a call returns, or an event carries: read with care, it comes from another program. */
// biome-ignore lint/suspicious/noExplicitAny: the protocol has several thousand types.
export type Payload = any;

export interface ProtocolEvent {
  readonly method: string;
  readonly params: Payload;
  /** The target that it comes from; undefined for the browser itself. */
  readonly sessionId: string | undefined;
}

interface OpenCall {
  readonly method: string;
  resolve(result: Payload): void;
  reject(error: Error): void;
}

export interface BrowserProgram {
  readonly path: string;
  readonly env: NodeJS.ProcessEnv;
}

/** A longer message ends the browser: nothing that we ask for is as large. */
const LONGEST_MESSAGE = 256 * 2 ** 20;
const END = 0;

export class CdpPipe {
  readonly pid: number;
  /** Resolves when the process has ended. */
  readonly ended: Promise<void>;
  onEvent: (event: ProtocolEvent) => void = () => {};
  readonly #process: ChildProcess;
  readonly #toBrowser: Writable;
  readonly #fromBrowser: Readable;
  readonly #calls = new Map<number, OpenCall>();
  #parts: Buffer[] = [];
  #partBytes = 0;
  #nextId = 1;
  #gone = false;

  private constructor(child: ChildProcess) {
    this.#process = child;
    this.pid = child.pid as number;
    this.#toBrowser = child.stdio[3] as Writable;
    const fromBrowser = child.stdio[4] as Readable;
    this.#fromBrowser = fromBrowser;
    fromBrowser.on('data', (bytes: Buffer) => this.#received(bytes));
    for (const stream of [this.#toBrowser, fromBrowser]) stream.on('error', () => this.kill());
    fromBrowser.on('close', () => this.kill());
    this.ended = new Promise((resolve) => {
      child.on('close', () => {
        this.#leave();
        resolve();
      });
    });
  }

  /** Starts a browser; rejects when the program cannot be started. */
  static start({ path, env }: BrowserProgram, flags: readonly string[]): Promise<CdpPipe> {
    const child = spawn(path, flags, {
      env,
      stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
    });
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('spawn', () => resolve(new CdpPipe(child)));
    });
  }

  get gone(): boolean {
    return this.#gone;
  }

  call(method: string, params: Parameters = {}, sessionId?: string): Promise<Payload> {
    if (this.#gone) return Promise.reject(new BrowserGone('The browser has ended.'));
    const id = this.#nextId++;
    const message = JSON.stringify({ id, method, params, ...(sessionId && { sessionId }) });
    return new Promise((resolve, reject) => {
      this.#calls.set(id, { method, resolve, reject });
      this.#toBrowser.write(`${message}\0`);
    });
  }

  /** A call whose outcome does not matter: its target may be gone by now. */
  tell(method: string, params: Parameters = {}, sessionId?: string): void {
    this.call(method, params, sessionId).catch(() => {});
  }

  /**
   * Ends the process at once; open calls reject. Where the program is a script that has started the
   * browser, the browser ends because its pipe does.
   */
  kill(): void {
    this.#leave();
    this.#process.kill('SIGKILL');
    this.#toBrowser.destroy();
    this.#fromBrowser.destroy();
  }

  #leave(): void {
    if (this.#gone) return;
    this.#gone = true;
    this.#parts = [];
    const open = [...this.#calls.values()];
    this.#calls.clear();
    for (const { method, reject } of open)
      reject(new BrowserGone(`The browser ended before it answered ${method}.`));
  }

  #received(bytes: Buffer): void {
    let from = 0;
    for (let end = bytes.indexOf(END); end >= 0; end = bytes.indexOf(END, from)) {
      this.#parts.push(bytes.subarray(from, end));
      const text = Buffer.concat(this.#parts).toString('utf8');
      this.#parts = [];
      this.#partBytes = 0;
      from = end + 1;
      if (!this.#gone) this.#dispatch(text);
    }
    if (from === bytes.length) return;
    this.#parts.push(bytes.subarray(from));
    this.#partBytes += bytes.length - from;
    if (this.#partBytes > LONGEST_MESSAGE) this.kill();
  }

  #dispatch(text: string): void {
    let message: Payload;
    try {
      message = JSON.parse(text);
    } catch {
      this.kill();
      return;
    }
    if (message.id === undefined) {
      const { method, params = {}, sessionId } = message;
      this.onEvent({ method, params, sessionId });
      return;
    }
    const call = this.#calls.get(message.id);
    this.#calls.delete(message.id);
    if (!call) return;
    if (message.error)
      call.reject(new CallRefused(`${call.method}: ${String(message.error.message)}`));
    else call.resolve(message.result);
  }
}
