/**
 * Which records are stored for an exchange or another resource, and their index entries.
 *
 * Idea      Before its records are made, a page is compared with what was stored before. A page
 *           with the same payload becomes a `revisit` (its head and a reference) or is skipped. So
 *           does a 304 that confirms an earlier capture. Every other page is a `response`. The
 *           `request` is stored with it and, if wanted, a `metadata` record with facts that are in
 *           none of the bytes, and a `conversion` with the text of the page.
 * Requires  For comparisons, an index whose parts list what was stored.
 * Ensures   A payload that is short, truncated, or has a digest that cannot be confirmed is always
 *           stored, and never referred to.
 * Cost      For a new page, a table look-up and a line of the index (docs/archive.md).
 */

import type { Bytes } from '../../base/units.ts';
import type { Exchange } from '../../fetch/exchange.ts';
import {
  bareDigest,
  type Capture,
  cdxjLine,
  mimeOf,
  partLine,
  REVISIT_MIME,
} from '../index/cdxj.ts';
import type { IndexPart } from '../index/index-part.ts';
import { surt } from '../index/surt.ts';
import type { StoredPayloads } from '../payloads/stored-payloads.ts';
import { type DigestAlgorithm, digest } from '../warc/digest.ts';
import {
  conversionFields,
  type ExchangeIds,
  type ExchangeNotes,
  metadataBlock,
  metadataFields,
  type Original,
  payloadIsConfirmable,
  RecordAssembler,
  type Resource,
  requestFields,
  responseFields,
  revisitFields,
} from '../warc/warc-record.ts';

/** Below this size a revisit is not shorter than the page itself. */
const LEAST_PAYLOAD: Bytes = 1024;

/** The position of a record: what an index needs to fetch it with one read. */
export interface Location {
  /** The file name without folder. */
  readonly file: string;
  readonly offset: number;
  readonly length: number;
}

export type StoredAs = 'response' | 'revisit' | 'skipped';

/** How to store an exchange. */
interface Plan {
  readonly as: StoredAs;
  readonly payloadDigest: string;
  /** The payload digest if the record states it, else undefined. */
  readonly stated: string | undefined;
  /** Whether later records may refer to it. */
  readonly comparable: boolean;
  readonly original: Original | undefined;
}

export interface ExchangeRecordsOptions {
  readonly digest?: DigestAlgorithm | undefined;
  /** The payloads that are already stored. */
  readonly payloads?: StoredPayloads | undefined;
  /**
   * What to do with a page whose payload is already stored. Without `payloads` it is always stored.
   */
  readonly duplicates?: 'revisit' | 'skip' | undefined;
  /** Whether to write a `metadata` record for each exchange with known facts. */
  readonly metadata?: boolean | undefined;
}

export class ExchangeRecords {
  readonly assembler: RecordAssembler;
  readonly #algorithm: DigestAlgorithm;
  readonly #payloads: StoredPayloads | undefined;
  readonly #skips: boolean;
  readonly #metadata: boolean;

  constructor(options: ExchangeRecordsOptions) {
    this.#algorithm = options.digest ?? 'sha1';
    this.#payloads = options.payloads;
    this.#skips = options.duplicates === 'skip';
    this.#metadata = options.metadata ?? false;
    this.assembler = new RecordAssembler(this.#algorithm);
  }

  /** A promise only if an earlier payload must be read. */
  plan(exchange: Exchange, notes: ExchangeNotes | undefined): Plan | Promise<Plan> {
    const confirmed = exchange.status === 304 ? notes?.confirms : undefined;
    if (confirmed) return this.#confirmation(confirmed, exchange);
    const known = this.#algorithm === 'sha1' ? notes?.sha1?.() : undefined;
    const payloadDigest = known ?? digest(this.#algorithm, exchange.payload);
    const stated = payloadIsConfirmable(exchange) ? payloadDigest : undefined;
    const { payload, truncated } = exchange;
    const comparable =
      stated !== undefined && payload.length >= LEAST_PAYLOAD && truncated === undefined;
    // Scripts make another page of the same shell at each URL.
    const isAlone = comparable && notes?.rendered !== true;
    const found = isAlone ? this.#payloads?.find(stated) : undefined;
    const planned = (original: Original | undefined): Plan => {
      const as = original === undefined ? 'response' : this.#skips ? 'skipped' : 'revisit';
      return { as, payloadDigest, stated, comparable, original };
    };
    return found === undefined ? planned(undefined) : found.then(planned);
  }

  /** It has no payload of its own, so none is compared or stated. */
  #confirmation(original: Original, { payload }: Exchange): Plan {
    const payloadDigest = digest(this.#algorithm, payload);
    return { as: 'revisit', payloadDigest, stated: undefined, comparable: false, original };
  }

  /** The record of the response, valid until the next one is assembled in this thread. */
  response(exchange: Exchange, ids: ExchangeIds, { stated, original }: Plan): Uint8Array {
    if (original) {
      // The head of a 304 is left out: with it, replay tools show "not modified", not the page.
      const block = stated === undefined ? [] : [exchange.head];
      return this.assembler.assemble(revisitFields(exchange, ids, stated, original), block);
    }
    const fields = responseFields(exchange, ids, stated);
    return this.assembler.assemble(fields, [exchange.head, ...exchange.wireBody]);
  }

  /** The other records, made one by one: each must be consumed before the next is requested. */
  *others(
    exchange: Exchange,
    ids: ExchangeIds,
    uuid: () => string,
    notes: ExchangeNotes | undefined,
    as: StoredAs,
  ): Generator<Uint8Array> {
    yield this.assembler.assemble(requestFields(exchange, ids), [exchange.requestBytes]);
    if (this.#metadata && notes)
      yield this.assembler.assemble(metadataFields(exchange, ids, uuid()), [
        metadataBlock(exchange, notes),
      ]);
    // Pages that scripts make may share their payload, and differ in what they show.
    const hasText = as === 'response' || notes?.rendered === true;
    const text = hasText ? (notes?.text?.() ?? '') : '';
    if (text !== '')
      yield this.assembler.assemble(conversionFields(exchange, ids, uuid()), [Buffer.from(text)]);
  }

  /**
   * The record of a resource, valid until the next one is assembled in this thread, and its index
   * entry without the position.
   */
  resource(
    { uri, date, ip, contentType, content }: Resource,
    id: string,
    warcinfoId: string,
  ): { record: Uint8Array; capture: Omit<Capture, 'offset' | 'length' | 'filename'> } {
    const payloadDigest = digest(this.#algorithm, content);
    const fields = { id, date, targetUri: uri, warcinfoId, payloadDigest, contentType };
    return {
      record: this.assembler.assemble(
        { type: 'resource', ...fields, ...(ip !== undefined && { ip }) },
        [content],
      ),
      capture: {
        key: surt(uri),
        timestamp: this.assembler.second(date),
        url: uri,
        mime: mimeOf(contentType),
        status: '',
        digest: bareDigest(payloadDigest),
      },
    };
  }

  /** Starts a file: later entries go to its part. */
  beginFile(warc: string, part: IndexPart): void {
    this.#payloads?.beginFile(warc, part);
  }

  /** Adds the stored response to the index, and to the payloads that later records may refer to. */
  enter(part: IndexPart, exchange: Exchange, ids: ExchangeIds, plan: Plan, place: Location): void {
    const { startedAt } = exchange;
    const capture = captureOf(exchange, this.assembler.second(startedAt), plan, place);
    if (plan.comparable && plan.original === undefined && plan.stated !== undefined) {
      const date = this.assembler.dateText(startedAt);
      const offset = part.add(partLine(capture, { id: ids.responseId, date }));
      this.#payloads?.note(plan.stated, offset);
    } else part.add(cdxjLine(capture));
  }

  async close(): Promise<void> {
    await this.#payloads?.close();
  }
}

function captureOf(
  { url, headers, status }: Exchange,
  timestamp: string,
  { stated, original }: Plan,
  { file, offset, length }: Location,
): Capture {
  return {
    key: surt(url),
    timestamp,
    url,
    mime: original ? REVISIT_MIME : mimeOf(headers.get('content-type')),
    status: String(status),
    digest: bareDigest(stated),
    offset,
    length,
    filename: file,
  };
}
