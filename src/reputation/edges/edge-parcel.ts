/**
 * Links between domains as they are sent to the owner of their targets, by target.
 *
 * Format    little-endian: u32 targets, u32 edges, u32 1 if there is cash or 0, u32 bytes of names;
 *           the keys of the targets, u64 each; the sources of the edges, u64 each; the cash of the
 *           targets, f64 each, if there is any; where the edges of each target end, u32 each; where
 *           its name ends, u32 each; the names, ASCII.
 * Ensures   the receiver reads it in place; bytes that are no such parcel are refused.
 */
const HEADER = 16;

/**
 * Target i is `targets[i]`, named `nameOf(i)`; the domains that link to it are `sources[ends[i-1]
 * .. ends[i])`.
 */
export interface EdgeParcel {
  readonly length: number;
  readonly targets: BigUint64Array;
  readonly ends: Uint32Array;
  readonly sources: BigUint64Array;
  /**
   * Cash that each target received from the pages that link to it; undefined if it is not counted.
   */
  readonly cash: Float64Array | undefined;
  nameOf(i: number): string;
}

/** Fills a parcel of known size. */
export class EdgeParcelWriter {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly targets: BigUint64Array;
  readonly sources: BigUint64Array;
  readonly cash: Float64Array;
  readonly ends: Uint32Array;
  readonly #nameEnds: Uint32Array;
  readonly #names: Uint8Array;
  #nameEnd = 0;

  constructor(targets: number, edges: number, hasCash: boolean, nameBytes: number) {
    const counts = { targets, edges, cash: hasCash ? targets : 0, nameBytes };
    const at = layout(counts);
    const buffer = new ArrayBuffer(at.end);
    new Uint32Array(buffer, 0, 4).set([targets, edges, hasCash ? 1 : 0, nameBytes]);
    this.bytes = new Uint8Array(buffer);
    this.targets = new BigUint64Array(buffer, HEADER, targets);
    this.sources = new BigUint64Array(buffer, at.sources, edges);
    this.cash = new Float64Array(buffer, at.cash, counts.cash);
    this.ends = new Uint32Array(buffer, at.ends, targets);
    this.#nameEnds = new Uint32Array(buffer, at.nameEnds, targets);
    this.#names = new Uint8Array(buffer, at.names, nameBytes);
  }

  /** Adds names in the order of targets. */
  addName(i: number, name: string): void {
    // For names, a loop beats a call into the engine.
    for (let at = 0; at < name.length; at++) this.#names[this.#nameEnd++] = name.charCodeAt(at);
    this.#nameEnds[i] = this.#nameEnd;
  }
}

/**
 * Views of the parcel, valid as long as it is. It is copied once if it is not aligned to eight
 * bytes.
 */
export function unpackEdges(parcel: Uint8Array): EdgeParcel {
  if (parcel.byteOffset % 8 !== 0) return unpackEdges(Uint8Array.from(parcel));
  const { buffer, byteOffset } = parcel;
  if (parcel.length < HEADER) throw broken();
  const [length, edges, hasCash, nameBytes] = new Uint32Array(buffer, byteOffset, 4);
  const cash = hasCash === 1 ? length : 0;
  const at = layout({ targets: length, edges, cash, nameBytes });
  if (at.end !== parcel.length || hasCash > 1) throw broken();
  const ends = new Uint32Array(buffer, byteOffset + at.ends, length);
  const nameEnds = new Uint32Array(buffer, byteOffset + at.nameEnds, length);
  if ((ends[length - 1] ?? 0) !== edges || (nameEnds[length - 1] ?? 0) !== nameBytes)
    throw broken();
  const names = Buffer.from(buffer, byteOffset + at.names, nameBytes);
  return {
    length,
    targets: new BigUint64Array(buffer, byteOffset + HEADER, length),
    ends,
    sources: new BigUint64Array(buffer, byteOffset + at.sources, edges),
    cash: hasCash === 1 ? new Float64Array(buffer, byteOffset + at.cash, length) : undefined,
    nameOf: (i) => names.toString('latin1', i === 0 ? 0 : nameEnds[i - 1], nameEnds[i]),
  };
}

interface Counts {
  readonly targets: number;
  readonly edges: number;
  readonly cash: number;
  readonly nameBytes: number;
}

function layout({ targets, edges, cash, nameBytes }: Counts) {
  const sources = HEADER + 8 * targets;
  const cashAt = sources + 8 * edges;
  const ends = cashAt + 8 * cash;
  const nameEnds = ends + 4 * targets;
  const names = nameEnds + 4 * targets;
  return { sources, cash: cashAt, ends, nameEnds, names, end: names + nameBytes };
}

function broken(): Error {
  return new Error('A parcel of domain edges is incomplete.');
}
