/**
 * Typed calls between two threads: `tell` sends a call, `ask` sends a call and awaits the answer.
 *
 * Idea      Each side declares its calls in an interface. A message carries the name of the call,
 *           the argument and, for `ask`, a number. The compiler checks both sides against the
 *           interface.
 * Requires  Arguments and answers can be cloned.
 * Ensures   Calls of one side start on the other in the order in which they were made. Each `ask`
 *           settles: with the answer, with the error that the other side threw, or, when the other
 *           side is gone, with the error given to `fail`. A `tell` that fails is reported to
 *           `onFault` of the side where it failed.
 * Cost      About 10 µs per message: suitable for a few messages per page, not per link.
 */
import { type PackedError, packError, unpackError } from './thread-error.ts';

/** The calls of a side: each has one argument or none, and an answer. */
export type Calls<Interface> = { readonly [Name in keyof Interface]: (argument: never) => unknown };
type Argument<Call> = Call extends (argument: infer A) => unknown ? A : never;
type Answer<Call> = Call extends (argument: never) => infer R ? Awaited<R> : never;
/** The handlers of a side: they answer at once or later. */
export type Handlers<Interface extends Calls<Interface>> = {
  readonly [Name in keyof Interface]: (
    argument: Argument<Interface[Name]>,
  ) => Answer<Interface[Name]> | Promise<Answer<Interface[Name]>>;
};

/** A `MessagePort`, a `Worker`, or the `parentPort` of a worker. */
interface ThreadPort {
  postMessage(message: unknown): void;
  on(event: 'message', listener: (message: unknown) => void): unknown;
}

interface Call {
  readonly call: string;
  readonly argument: unknown;
  /** The number of the call if an answer is awaited. */
  readonly id?: number;
}

type Message =
  | Call
  | { readonly id: number; readonly answer: unknown }
  | { readonly id: number; readonly error: PackedError };

interface Waiting {
  resolve(answer: unknown): void;
  reject(error: unknown): void;
}

export class ThreadLink<Remote extends Calls<Remote>, Local extends Calls<Local>> {
  readonly #port: ThreadPort;
  readonly #onFault: (error: unknown) => void;
  readonly #waiting = new Map<number, Waiting>();
  /** Calls received before `serve`. */
  readonly #early: Call[] = [];
  #handlers: Handlers<Local> | undefined;
  #asked = 0;
  #failure: { readonly error: unknown } | undefined;

  constructor(port: ThreadPort, onFault: (error: unknown) => void) {
    this.#port = port;
    this.#onFault = onFault;
    port.on('message', (message) => this.#take(message as Message));
  }

  /** Answers all calls from now on, and those received before. */
  serve(handlers: Handlers<Local>): void {
    this.#handlers = handlers;
    for (const call of this.#early.splice(0)) void this.#answer(call, handlers);
  }

  tell<Name extends keyof Remote & string>(name: Name, argument: Argument<Remote[Name]>): void {
    this.#post({ call: name, argument });
  }

  ask<Name extends keyof Remote & string>(
    name: Name,
    argument: Argument<Remote[Name]>,
  ): Promise<Answer<Remote[Name]>> {
    return new Promise((resolve, reject) => {
      if (this.#failure) return reject(this.#failure.error);
      const id = ++this.#asked;
      this.#waiting.set(id, { resolve: resolve as (answer: unknown) => void, reject });
      this.#post({ call: name, argument, id });
    });
  }

  /** Rejects all open and future `ask`s: the other side is gone. */
  fail(error: unknown): void {
    this.#failure ??= { error };
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }

  #post(message: Message): void {
    this.#port.postMessage(message);
  }

  #take(message: Message): void {
    if ('call' in message) {
      if (this.#handlers) void this.#answer(message, this.#handlers);
      else this.#early.push(message);
      return;
    }
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if ('error' in message) waiting?.reject(unpackError(message.error));
    else waiting?.resolve(message.answer);
  }

  /**
   * Calls the handler at once: the last message of an agent must count before its thread's exit.
   */
  async #answer({ call, argument, id }: Call, handlers: Handlers<Local>): Promise<void> {
    try {
      const answer = await (handlers as Record<string, (argument: unknown) => unknown>)[call](
        argument,
      );
      if (id !== undefined) this.#post({ id, answer });
    } catch (error) {
      if (id === undefined) this.#onFault(error);
      else this.#post({ id, error: packError(error) });
    }
  }
}
