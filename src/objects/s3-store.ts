/**
 * Objects in a bucket of Amazon S3 or a store that speaks its protocol.
 *
 * Requires  A store with conditional PUT (`If-None-Match`, `If-Match`) and multipart uploads.
 * Ensures   What `ObjectStore` asks for, also if an answer is lost: a condition that fails when the
 *           request is repeated is compared with what is stored, and an upload that has ended with
 *           the length of the object.
 */
import type { Bytes } from '../base/units.ts';
import {
  type ByteRange,
  checkKey,
  conflict,
  type ListedObject,
  type ObjectStore,
  type PutCondition,
  type StoredObject,
  type Tag,
  type UploadedPart,
  uploadGone,
} from './object-store.ts';
import { type Answer, S3Requests, type S3RequestsOptions } from './s3-requests.ts';

/** The least size of a part that Amazon accepts, but for the last. */
const LEAST_PART: Bytes = 5 * 2 ** 20;

interface S3StoreOptions extends S3RequestsOptions {
  /** Before every name: a path without a slash at its end, or nothing. */
  readonly prefix?: string;
}

export class S3Store implements ObjectStore {
  readonly place: string;
  readonly leastPart = LEAST_PART;
  readonly #requests: S3Requests;
  readonly #prefix: string;

  private constructor(requests: S3Requests, { bucket, prefix = '' }: S3StoreOptions) {
    this.#requests = requests;
    this.#prefix = prefix === '' ? '' : `${prefix}/`;
    this.place = `s3://${bucket}${prefix === '' ? '' : `/${prefix}`}`;
  }

  static async open(options: S3StoreOptions): Promise<S3Store> {
    if (options.prefix) checkKey(options.prefix);
    return new S3Store(await S3Requests.open(options), options);
  }

  async put(key: string, bytes: Uint8Array, condition?: PutCondition): Promise<Tag> {
    const answer = await this.#requests.send({
      method: 'PUT',
      key: this.#full(key),
      headers: headersOf(condition),
      body: bytes,
      expects: condition ? [404, 409, 412] : [],
    });
    if (answer.status < 300) return tagIn(answer);
    // The first attempt may have stored the object, and its answer was lost.
    if (answer.repeated && (await this.get(key))?.equals(bytes))
      return (await this.look(key))?.tag ?? '';
    throw conflict(this.place, key);
  }

  async get(key: string, range?: ByteRange): Promise<Buffer | undefined> {
    if (range?.length === 0) return (await this.look(key)) && Buffer.alloc(0);
    const wanted = range && `bytes=${range.from}-${range.from + range.length - 1}`;
    const { status, body, code } = await this.#requests.send({
      method: 'GET',
      key: this.#full(key),
      ...(wanted && { headers: { range: wanted } }),
      expects: [404],
      answer: range?.length ?? 2 ** 30,
    });
    if (status === 404 && code !== 'NoSuchBucket') return undefined;
    return body;
  }

  async look(key: string): Promise<StoredObject | undefined> {
    const answer = await this.#requests.send({
      method: 'HEAD',
      key: this.#full(key),
      expects: [404],
    });
    if (answer.status === 404) return undefined;
    const bytes = Number(answer.headers.get('content-length'));
    return { key, bytes, tag: tagIn(answer) };
  }

  async *list(prefix: string): AsyncIterable<ListedObject> {
    let token: string | undefined;
    do {
      const { body } = await this.#requests.send({
        method: 'GET',
        key: '',
        query: {
          'list-type': '2',
          prefix: this.#prefix + prefix,
          ...(token !== undefined && { 'continuation-token': token }),
        },
        answer: 2 ** 22,
      });
      const page = body.toString('utf8');
      for (const entry of elements(page, 'Contents')) {
        const key = element(entry, 'Key').slice(this.#prefix.length);
        yield { key, bytes: Number(element(entry, 'Size')) };
      }
      token = element(page, 'NextContinuationToken') || undefined;
    } while (token !== undefined);
  }

  async delete(key: string): Promise<void> {
    await this.#requests.send({ method: 'DELETE', key: this.#full(key), expects: [404] });
  }

  async begin(key: string): Promise<string> {
    const query = { uploads: '' };
    const { body } = await this.#requests.send({ method: 'POST', key: this.#full(key), query });
    return element(body.toString('utf8'), 'UploadId');
  }

  async putPart(
    key: string,
    upload: string,
    number: number,
    bytes: Uint8Array,
  ): Promise<UploadedPart> {
    const answer = await this.#requests.send({
      method: 'PUT',
      key: this.#full(key),
      query: { partNumber: String(number), uploadId: upload },
      body: bytes,
      expects: [404],
    });
    if (answer.status === 404) throw uploadGone(this.place, key);
    return { number, tag: tagIn(answer), bytes: bytes.length };
  }

  async complete(key: string, upload: string, parts: readonly UploadedPart[]): Promise<void> {
    const { status, body } = await this.#requests.send({
      method: 'POST',
      key: this.#full(key),
      query: { uploadId: upload },
      headers: { 'content-type': 'application/xml' },
      body: Buffer.from(completion(parts)),
      expects: [400, 404],
    });
    // A store may answer 200 first and fail later: then the body names the error.
    if (status < 300 && !body.includes('<Error>')) return;
    const bytes = parts.reduce((sum, part) => sum + part.bytes, 0);
    if ((await this.look(key))?.bytes !== bytes) throw uploadGone(this.place, key);
  }

  async abort(key: string, upload: string): Promise<void> {
    const query = { uploadId: upload };
    await this.#requests.send({
      method: 'DELETE',
      key: this.#full(key),
      query,
      expects: [404],
    });
  }

  #full(key: string): string {
    checkKey(key);
    return this.#prefix + key;
  }
}

function headersOf(condition: PutCondition | undefined): Record<string, string> {
  if (!condition) return {};
  return 'ifAbsent' in condition ? { 'if-none-match': '*' } : { 'if-match': condition.ifMatch };
}

const tagIn = ({ headers }: Answer): Tag => headers.get('etag') ?? '';

function completion(parts: readonly UploadedPart[]): string {
  const each = parts.map(
    ({ number, tag }) =>
      `<Part><PartNumber>${number}</PartNumber><ETag>${escaped(tag)}</ETag></Part>`,
  );
  return `<CompleteMultipartUpload>${each.join('')}</CompleteMultipartUpload>`;
}

const elements = (xml: string, name: string): string[] =>
  [...xml.matchAll(new RegExp(`<${name}>([\\s\\S]*?)</${name}>`, 'g'))].map(([, inner]) => inner);

/** The text of the first element of this name; empty if there is none. */
const element = (xml: string, name: string): string => unescaped(elements(xml, name)[0] ?? '');

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
};

const unescaped = (text: string): string =>
  text.replace(/&(?:#(\d+)|#x([0-9a-f]+)|(\w+));/gi, (all, decimal, hex, name) => {
    if (decimal) return String.fromCodePoint(Number(decimal));
    if (hex) return String.fromCodePoint(Number.parseInt(hex, 16));
    return ENTITIES[name] ?? all;
  });

const escaped = (text: string): string => text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
