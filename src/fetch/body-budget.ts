/**
 * The memory for bodies: those in progress, those of pages that are not stored yet, and what they
 * decode to.
 *
 * Idea      One count of bytes for all of them. The client pauses connections while the budget is
 *           full. A page waits with decoding until the largest possible result fits. Pages come
 *           before connections: to finish a page gives memory back.
 * Requires  The part that charges bytes refunds them; every hold is ended.
 * Ensures   Every wait ends, if pages do: when no page holds decoded bytes, the first that waits is
 *           let through, whatever its size. Above the capacity there is at most that page, one
 *           read of each connection, and the second layer of pages that are coded twice.
 * Cost      An addition for a charge; nothing waits while there is room.
 */
import type { Bytes } from '../base/units.ts';
import type { Exchange } from './exchange.ts';

interface Waiter {
  readonly bytes: Bytes;
  readonly enter: () => void;
}

export class BodyBudget {
  /** Called when there may be room again. */
  onRoom: () => void = () => {};

  readonly #capacity: Bytes;
  readonly #waiting: Waiter[] = [];
  #used: Bytes = 0;
  /** Pages that hold decoded bytes. */
  #decoding = 0;

  constructor(capacity: Bytes) {
    this.#capacity = capacity;
  }

  /** Bytes charged. */
  get used(): Bytes {
    return this.#used;
  }

  /** Whether connections have to wait. */
  get isFull(): boolean {
    return this.#used > this.#capacity || this.#waiting.length > 0;
  }

  charge(bytes: Bytes): void {
    this.#used += bytes;
  }

  refund(bytes: Bytes): void {
    this.#used -= bytes;
    this.#admit();
    if (!this.isFull) this.onRoom();
  }

  /** Charges the body of a response until the hold is ended. */
  hold({ payload, wireBody }: Pick<Exchange, 'payload' | 'wireBody'>): BodyHold {
    // Without chunks the body is held once; `wireBody` and `payload` are the same memory.
    const wire = wireBody.reduce((sum, piece) => sum + piece.length, 0);
    const isShared = wireBody.length === 1 && wireBody[0] === payload;
    return new BodyHold(this, payload.length + (isShared ? 0 : wire));
  }

  /** Charges decoded bytes of one more page: at once, or when the promise resolves. */
  enter(bytes: Bytes): Promise<void> | undefined {
    if (this.#waiting.length === 0 && this.#fits(bytes)) {
      this.#take(bytes);
      return undefined;
    }
    return new Promise((enter) => this.#waiting.push({ bytes, enter }));
  }

  /** Refunds the decoded bytes of a page that entered. */
  leave(bytes: Bytes): void {
    this.#decoding--;
    this.refund(bytes);
  }

  #fits(bytes: Bytes): boolean {
    return this.#decoding === 0 || this.#used + bytes <= this.#capacity;
  }

  #take(bytes: Bytes): void {
    this.#decoding++;
    this.#used += bytes;
  }

  #admit(): void {
    while (this.#waiting.length > 0 && this.#fits(this.#waiting[0].bytes)) {
      const { bytes, enter } = this.#waiting.shift()!;
      this.#take(bytes);
      enter();
    }
  }
}

/** The memory of one page, from its arrival until it is stored. */
export class BodyHold {
  readonly #budget: BodyBudget;
  readonly #received: Bytes;
  #hasEntered = false;
  #decoded: Bytes = 0;

  constructor(budget: BodyBudget, received: Bytes) {
    this.#budget = budget;
    this.#received = received;
    budget.charge(received);
  }

  /**
   * Charges up to `most` bytes while `decode` runs, and the size of its result until the hold ends.
   * Only the first call waits for room: a page that holds decoded bytes must not wait for others.
   */
  async decoded<T extends { readonly body: Uint8Array }>(
    most: Bytes,
    decode: () => T | Promise<T>,
  ): Promise<T> {
    if (this.#hasEntered) this.#budget.charge(most);
    else await this.#budget.enter(most);
    this.#hasEntered = true;
    this.#decoded += most;
    const result = await decode();
    this.#decoded += result.body.length - most;
    this.#budget.refund(most - result.body.length);
    return result;
  }

  end(): void {
    if (this.#hasEntered) this.#budget.leave(this.#decoded);
    this.#budget.refund(this.#received);
  }
}
