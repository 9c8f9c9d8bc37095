/**
 * Members on their way to disk, side by side in large pieces of memory.
 *
 * Idea      A member in memory of its own has to be allocated, collected and copied into a batch. Copied into its batch
 *           at once it is none of that, and the memory of a batch that was written serves for another.
 * Requires  Each batch that was taken is given back before the next is taken: by `written` or by `refused`.
 * Ensures   Members leave in the order in which they came. `length` counts them until they are written.
 * Cost      A copy of the member.
 */
import type { Bytes } from '../../base/units.ts';

/** While one batch is written, two pieces of the next fill. */
const SPARE = 3;

export class MemberQueue {
  readonly #pieceBytes: Bytes;
  /** Full pieces, or as full as members of their size make them. */
  #pieces: Uint8Array[] = [];
  #open: Buffer | undefined;
  #filled = 0;
  #taken: Uint8Array[] = [];
  readonly #spare: Buffer[] = [];
  #length = 0;

  constructor(pieceBytes: Bytes) {
    this.#pieceBytes = pieceBytes;
  }

  get length(): Bytes {
    return this.#length;
  }

  add(member: Uint8Array): void {
    if (this.#open === undefined || this.#filled + member.length > this.#open.length)
      this.#openPiece(member);
    this.#open!.set(member, this.#filled);
    this.#filled += member.length;
    this.#length += member.length;
  }

  /** All there is, as a batch. */
  take(): readonly Uint8Array[] {
    this.#closePiece();
    this.#taken = this.#pieces;
    this.#pieces = [];
    return this.#taken;
  }

  written(): void {
    for (const piece of this.#taken) {
      this.#length -= piece.length;
      if (piece.buffer.byteLength === this.#pieceBytes && this.#spare.length < SPARE)
        this.#spare.push(Buffer.from(piece.buffer as ArrayBuffer));
    }
    this.#taken = [];
  }

  /** What could not be written goes first the next time. */
  refused(): void {
    this.#pieces = [...this.#taken, ...this.#pieces];
    this.#taken = [];
  }

  #openPiece(member: Uint8Array): void {
    this.#closePiece();
    const isLarge = member.length > this.#pieceBytes;
    const spare = isLarge ? undefined : this.#spare.pop();
    this.#open = spare ?? Buffer.allocUnsafeSlow(isLarge ? member.length : this.#pieceBytes);
    this.#filled = 0;
  }

  #closePiece(): void {
    if (this.#open && this.#filled > 0) this.#pieces.push(this.#open.subarray(0, this.#filled));
    this.#open = undefined;
  }
}
