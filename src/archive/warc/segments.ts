/**
 * Records in several segments: a record with `WARC-Segment-Number: 1`, then `continuation` records
 * that name it as their origin, in the same file or in others. The last of them has
 * `WARC-Segment-Total-Length`.
 */
import type { WarcRecord } from './warc-reader.ts';

export const isSegment = ({ headers }: WarcRecord): boolean =>
  headers.get('WARC-Segment-Number') !== undefined;

export class Segments {
  readonly #first: WarcRecord;
  readonly #blocks = new Map<number, Uint8Array>();
  #total: number | undefined;

  /** `first` is the record with number 1. */
  constructor(first: WarcRecord) {
    this.#first = first;
    this.#blocks.set(1, first.block);
  }

  /** Takes a record, if it is a segment of this one. */
  offer(record: WarcRecord): void {
    const { type, headers, block } = record;
    const number = Number(headers.get('WARC-Segment-Number'));
    const origin = headers.get('WARC-Segment-Origin-ID');
    const isOurs = origin !== undefined && origin === this.#first.headers.get('WARC-Record-ID');
    if (type !== 'continuation' || !isOurs || !(number > 1) || this.#blocks.has(number)) return;
    this.#blocks.set(number, block);
    const total = headers.get('WARC-Segment-Total-Length');
    if (total !== undefined) this.#total = Number(total);
  }

  /** The whole record; undefined while a segment is missing. */
  get whole(): WarcRecord | undefined {
    const blocks = [...this.#blocks].sort(([a], [b]) => a - b).map(([, block]) => block);
    const length = blocks.reduce((sum, block) => sum + block.length, 0);
    if (this.#total === undefined || length !== this.#total) return undefined;
    return { ...this.#first, block: Buffer.concat(blocks) };
  }
}
