/**
 * Typed calls between two threads: to tell something and go on, or to ask and wait for the answer.
 *
 * Idea      Each side names what it can be called for in an interface; messages carry the name, the argument and, when an answer
 *           is awaited, a number. What the compiler knows on one side it knows on the other.
 * Requires  arguments and answers that can be cloned.
 * Ensures   calls of one side begin on the other in the order they were made; each `ask` settles: with the answer, with the error
 *           that the other side threw, or, when the other side is gone, with what `fail` was given. A call that was only told
 *           and fails is reported to `onFault` of the side where it failed.
 * Cost      about 10 µs a message: for what happens a few times a page, not for each link.
 */
import { type PackedError, packError, unpackError } from './thread-error.ts';

/** What a side can be called for: one argument, or none, and an answer. */
export type Calls<Interface> = { readonly [Name in keyof Interface]: (argument: never) => unknown };
type Argument<Call> = Call extends (argument: infer A) => unknown ? A : never;
type Answer<Call> = Call extends (argument: never) => infer R ? Awaited<R> : never;
/** How a side answers: at once or later. */
export type Handlers<Interface extends Calls<Interface>> = {
  readonly [Name in keyof Interface]: (
    argument: Argument<Interface[Name]>,
  ) => Answer<Interface[Name]> | Promise<Answer<Interface[Name]>>;
};

/** A `MessagePort`, a `Worker`, or the `parentPort` of one. */
export interface ThreadPort {
  postMessage(message: unknown): void;
  on(event: 'message', listener: (message: unknown) => void): unknown;
}

interface Call {
  readonly call: string;
  readonly argument: unknown;
  /** When an answer is awaited. */
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
  /** Calls that came before anybody could answer them. */
  readonly #early: Call[] = [];
  #handlers: Handlers<Local> | undefined;
  #asked = 0;
  #failure: { readonly error: unknown } | undefined;

  constructor(port: ThreadPort, onFault: (error: unknown) => void) {
    this.#port = port;
    this.#onFault = onFault;
    port.on('message', (message) => this.#take(message as Message));
  }

  /** From now on calls are answered; those that came before have waited. */
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

  /** The other side is gone: nobody waits for it any longer. */
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

  /** The handler is called at once: an agent's last word must count before the end of its thread does. */
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
