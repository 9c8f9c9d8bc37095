/**
 * Reads the text of documents in a thread of its own, one after the other.
 *
 *   const reader = new DocumentReader();
 *   const { status, text, words, addresses } = await reader.read(bytes);
 *   await reader.close();
 *
 * Idea      Documents come from strangers, and no reader of PDF limits its own work. The thread has
 *           a heap limit, each document a time limit. A thread that exceeds one is ended, and the
 *           next document starts another.
 * Ensures   `read` settles for any bytes: at most `time` after its turn began, and before that at
 *           most `time` for each document before it. The thread does not
 *           keep the process alive while it is idle. Nothing is loaded before the first document.
 * Cost      0.3 s and about 60 MB for the thread; a copy of the bytes for each document.
 */
import { extname } from 'node:path';
import { Worker, type WorkerOptions } from 'node:worker_threads';
import { systemCode } from '../../base/errors.ts';
import {
  DOCUMENT_LIMITS,
  type DocumentLimits,
  type DocumentText,
  unread,
} from './document-text.ts';

/** Memory that PDF.js keeps is given back when the thread ends; so often it does. */
const DOCUMENTS_A_THREAD = 1000;
/** Megabytes for young objects and for the stack: deep nesting ends in an error, not in a crash. */
const YOUNG = 32;
const STACK = 4;

export class DocumentReader {
  readonly #limits: DocumentLimits;
  readonly #options: WorkerOptions;
  #thread: Promise<Worker> | undefined;
  #read = 0;
  /** Settles when the documents before are read. */
  #turn: Promise<unknown> = Promise.resolve();

  /** `options` are those of the thread, such as a loader. */
  constructor(limits: Partial<DocumentLimits> = {}, options: WorkerOptions = {}) {
    this.#limits = { ...DOCUMENT_LIMITS, ...limits };
    this.#options = options;
  }

  /**
   * The text of a document, or why there is none. Rejects only if no thread can be started. The
   * bytes are not changed.
   */
  read(bytes: Uint8Array): Promise<DocumentText> {
    if (bytes.length > this.#limits.bytes) return Promise.resolve(unread('too-large'));
    const answer = this.#turn.then(() => this.#readNext(bytes));
    this.#turn = answer.catch(() => {});
    return answer;
  }

  /** Ends the thread when the documents given are read. */
  async close(): Promise<void> {
    await this.#turn;
    await this.#end();
  }

  async #readNext(bytes: Uint8Array): Promise<DocumentText> {
    if (this.#read >= DOCUMENTS_A_THREAD) await this.#end();
    this.#thread ??= startThread(this.#limits, this.#options);
    this.#read++;
    const answer = await ask(await this.#thread, bytes, this.#limits.time);
    if (typeof answer !== 'string') return answer;
    await this.#end();
    return unread(answer);
  }

  async #end(): Promise<void> {
    const thread = this.#thread;
    this.#thread = undefined;
    this.#read = 0;
    await (await thread)?.terminate();
  }
}

/** A thread that is ready to read. */
function startThread(limits: DocumentLimits, options: WorkerOptions): Promise<Worker> {
  // The neighbour has this file's extension: .js if it was built, .ts if a loader runs sources.
  const extension = extname(new URL(import.meta.url).pathname);
  const worker = new Worker(new URL(`./reader-main${extension}`, import.meta.url), {
    ...options,
    name: 'documents',
    workerData: limits,
    resourceLimits: {
      maxOldGenerationSizeMb: limits.memory,
      maxYoungGenerationSizeMb: YOUNG,
      stackSizeMb: STACK,
    },
  });
  return new Promise((resolve, reject) => {
    worker.on('error', reject); // later errors end a document, not the promise
    worker.once('message', () => {
      worker.unref();
      resolve(worker);
    });
  });
}

type Ending = 'too-large' | 'timed-out' | 'broken';

/** The answer of the thread; or, if the thread has to be ended, why. */
function ask(worker: Worker, bytes: Uint8Array, time: number): Promise<DocumentText | Ending> {
  return new Promise((resolve) => {
    const settle = (answer: DocumentText | Ending) => {
      clearTimeout(timer);
      worker.off('message', settle).off('error', onError).off('exit', onExit);
      worker.unref();
      resolve(answer);
    };
    const onError = (error: unknown) =>
      settle(systemCode(error) === 'ERR_WORKER_OUT_OF_MEMORY' ? 'too-large' : 'broken');
    const onExit = () => settle('broken');
    const timer = setTimeout(() => settle('timed-out'), time);
    worker.ref();
    worker.on('message', settle).on('error', onError).on('exit', onExit);
    const own = new Uint8Array(bytes);
    worker.postMessage(own, [own.buffer]);
  });
}
