/** The memory a method is given, and the refusal where that does not suffice. */
import { DrumlinError } from '../../base/errors.ts';
import { type Bytes, formatBytes } from '../../base/units.ts';

/** What a kernel can address: WebAssembly's addresses have 32 bits. */
export const MOST_BYTES: Bytes = 2 ** 32 - 65_536;

export interface Need {
  /** Begins a sentence: "The vectors of 10 nodes". */
  readonly what: string;
  readonly bytes: Bytes;
  /** How much can be used at all; without it, what a kernel addresses. */
  readonly reach?: Bytes;
  /** What else one may do: "a smaller --p". */
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
      : `No use can be made of more than ${formatBytes(reach)}`;
  throw new DrumlinError(
    'MEMORY',
    `${what} take ${formatBytes(bytes)}; ${formatBytes(given)} are given.`,
    otherwise === undefined ? `${remedy}.` : `${remedy}; or take ${otherwise}.`,
  );
}
