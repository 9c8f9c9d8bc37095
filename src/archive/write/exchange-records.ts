/**
 * What is stored of one exchange, or of what is none: which records, and what the index says of them.
 *
 * Idea      A page is compared with what was stored before its records are made: one with the same payload becomes a `revisit`, its
 *           head and a reference, or is left out. All else is a `response`. The `request` goes with it and, where that is wanted, a
 *           `metadata` record with what stands in none of the bytes.
 * Requires  for comparing, an index whose parts say what was stored.
 * Ensures   a payload that is short, cut off, or whose digest nobody could confirm is stored, and referred to by nobody.
 * Cost      For a page that is new, a look into a table and a line of the index (docs/archive.md).
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

/** Below this a revisit is no shorter than what it stands for. */
const LEAST_PAYLOAD: Bytes = 1024;

/** Where a record lies: what an index needs to fetch it with one read. */
export interface Location {
  /** File name without folder. */
  readonly file: string;
  readonly offset: number;
  readonly length: number;
}

export type StoredAs = 'response' | 'revisit' | 'skipped';

/** What is to become of an exchange. */
export interface Plan {
  readonly as: StoredAs;
  readonly payloadDigest: string;
  /** The same, where it is stated in the record. */
  readonly stated: string | undefined;
  /** Others may refer to it. */
  readonly comparable: boolean;
  readonly original: Original | undefined;
}

export interface ExchangeRecordsOptions {
  readonly digest?: DigestAlgorithm | undefined;
  /** What is stored already. */
  readonly payloads?: StoredPayloads | undefined;
  /** What becomes of a page whose payload is stored already; without `payloads` it is stored too. */
  readonly duplicates?: 'revisit' | 'skip' | undefined;
  /** A `metadata` record for every exchange of which something is known. */
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

  async plan(exchange: Exchange, notes: ExchangeNotes | undefined): Promise<Plan> {
    const told = this.#algorithm === 'sha1' ? notes?.sha1?.() : undefined;
    const payloadDigest = told ?? digest(this.#algorithm, exchange.payload);
    const stated = payloadIsConfirmable(exchange) ? payloadDigest : undefined;
    const { payload, truncated } = exchange;
    const comparable =
      stated !== undefined && payload.length >= LEAST_PAYLOAD && truncated === undefined;
    const original = comparable ? await this.#payloads?.find(stated) : undefined;
    const as = original === undefined ? 'response' : this.#skips ? 'skipped' : 'revisit';
    return { as, payloadDigest, stated, comparable, original };
  }

  /** The record of the response, valid until another is assembled in this thread. */
  response(exchange: Exchange, ids: ExchangeIds, { stated, original }: Plan): Uint8Array {
    if (original && stated !== undefined) {
      return this.assembler.assemble(revisitFields(exchange, ids, stated, original), [
        exchange.head,
      ]);
    }
    const fields = responseFields(exchange, ids, stated);
    return this.assembler.assemble(fields, [exchange.head, ...exchange.wireBody]);
  }

  /** The records that go with it, made one by one: each is used up before the next is asked for. */
  *others(
    exchange: Exchange,
    ids: ExchangeIds,
    uuid: () => string,
    notes: ExchangeNotes | undefined,
  ): Generator<Uint8Array> {
    yield this.assembler.assemble(requestFields(exchange, ids), [exchange.requestBytes]);
    if (!this.#metadata || !notes) return;
    yield this.assembler.assemble(metadataFields(exchange, ids, uuid()), [
      metadataBlock(exchange, notes),
    ]);
  }

  /** The record of what is no exchange, valid until another is assembled in this thread, and all that the index says of it but its place. */
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

  /** A file is begun: what is entered from here on stands in its part. */
  beginFile(warc: string, part: IndexPart): void {
    this.#payloads?.beginFile(warc, part);
  }

  /** Enters the stored response in the index, and among the payloads that others may refer to. */
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
