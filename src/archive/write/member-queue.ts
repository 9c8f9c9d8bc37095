/**
 * Members on their way to disk, side by side in large pieces of memory.
 *
 * Idea      Memory for each member would have to be allocated, collected and copied into a batch.
 *           Here a member is copied into its batch at once, and the memory of a written batch is
 *           reused.
 * Requires  Each batch that was taken is returned before the next is taken: by `written` or by
 *           `refused`.
 * Ensures   Members leave in the order in which they came. `length` counts them until they are
 *           written.
 * Cost      A copy of the member.
 */
import type { Bytes } from '../../base/units.ts';

/** While one batch is written, two pieces of the next fill. */
const SPARE = 3;

export class MemberQueue {
  readonly #pieceBytes: Bytes;
  /** Full pieces, or as full as the size of members permits. */
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

  /** Takes all members as a batch. */
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

  /** Puts a batch that could not be written back to the front. */
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
