/** The memory of a method, and the error when it is not enough. */
import { DrumlinError } from '../../base/errors.ts';
import { type Bytes, formatBytes } from '../../base/units.ts';

/** What a kernel can address: WebAssembly's addresses have 32 bits. */
export const MOST_BYTES: Bytes = 2 ** 32 - 65_536;

interface Need {
  /** Begins a sentence: "The vectors of 10 nodes". */
  readonly what: string;
  readonly bytes: Bytes;
  /** The most that can be used at all; by default what a kernel can address. */
  readonly reach?: Bytes;
  /** Another remedy: "a smaller --p". */
  readonly otherwise?: string;
}

export function requireMemory(
  given: Bytes,
  { what, bytes, reach = MOST_BYTES, otherwise }: Need,
): void {
  if (bytes <= Math.min(given, reach)) return;
  const remedy =
    bytes <= reach
      ? `Give --memory ${Math.ceil(bytes / 1e6)}M or more`
      : `At most ${formatBytes(reach)} can be used`;
  throw new DrumlinError(
    'MEMORY',
    `${what} take ${formatBytes(bytes)}; ${formatBytes(given)} are given.`,
    otherwise === undefined ? `${remedy}.` : `${remedy}, or use ${otherwise}.`,
  );
}
