/**
 * Requests to an S3 store: signed, limited in time, repeated with back-off.
 *
 * Idea      A request that failed for a reason that passes (the table below) is repeated until
 *           `patience` is over. What is repeated may have been done already: callers that care
 *           learn from `Answer.repeated` that an earlier attempt had an unknown end.
 * Ensures   An answer that is returned was received whole. Every other end is a DrumlinError with
 *           the name of the object and a remedy. No message holds a key, a token or a header.
 */
import { type Clock, systemClock } from '../base/clock.ts';
import { DrumlinError, EXIT, systemCode } from '../base/errors.ts';
import type { Bytes, Millis } from '../base/units.ts';
import type { S3Account } from './s3-credentials.ts';

/** What a store answers when it cannot serve a request now. */
const PASSES = new Set([408, 425, 429, 500, 502, 503, 504]);
const PASSING_CODES = new Set(['RequestTimeout', 'SlowDown', 'InternalError', 'OperationAborted']);
const FIRST_WAIT: Millis = 50;
const LONGEST_WAIT: Millis = 5000;
/** Time for an answer to begin and end, and the slowest transfer that is waited for. */
const ANSWER_WITHIN: Millis = 15_000;
const SLOWEST_BYTES_PER_MS = 256;

interface S3Request {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE' | 'HEAD';
  /** Empty for the bucket itself. */
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Answers that are no failure, beside 2xx. */
  readonly expects?: readonly number[];
  /** Bytes that the answer may have. */
  readonly answer?: Bytes;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
  /** The name of the store's error, in an expected answer that is one. */
  readonly code: string;
  /** An earlier attempt may have been carried out. */
  readonly repeated: boolean;
}

export interface S3RequestsOptions {
  readonly account: S3Account;
  readonly bucket: string;
  readonly clock?: Clock;
  readonly random?: () => number;
  /** How long a request is repeated before it fails. */
  readonly patience?: Millis;
  readonly fetch?: typeof fetch;
}

type Sign = (url: string, init: RequestInit) => Promise<Request>;

export class S3Requests {
  readonly #options: S3RequestsOptions;
  readonly #sign: Sign;
  readonly #clock: Clock;

  private constructor(options: S3RequestsOptions, sign: Sign) {
    this.#options = options;
    this.#sign = sign;
    this.#clock = options.clock ?? systemClock;
  }

  static async open(options: S3RequestsOptions): Promise<S3Requests> {
    const { AwsClient } = await import('aws4fetch').catch((cause) => {
      throw new DrumlinError(
        'PACKAGE_MISSING',
        'An object store of the form s3://… needs a package that is not installed.',
        'Run "npm install aws4fetch".',
        { cause },
      );
    });
    const { accessKeyId, secretAccessKey, sessionToken, region } = options.account;
    const client = new AwsClient({
      accessKeyId,
      secretAccessKey,
      ...(sessionToken && { sessionToken }),
      region,
      service: 's3',
      retries: 0,
    });
    return new S3Requests(options, (url, init) => client.sign(url, init));
  }

  /** Sends until there is an answer that counts. */
  async send(request: S3Request): Promise<Answer> {
    const { patience = 20_000, random = Math.random } = this.#options;
    const begun = this.#clock.now();
    for (let attempt = 0; ; attempt++) {
      const outcome = await this.#attempt(request, attempt > 0);
      if ('status' in outcome) return outcome;
      const longest = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** attempt);
      const wait = longest * (0.5 + random() / 2);
      if (!outcome.passes || this.#clock.now() + wait - begun > patience) throw outcome.error;
      await new Promise<void>((resolve) => this.#clock.after(wait, resolve));
    }
  }

  async #attempt(
    request: S3Request,
    repeated: boolean,
  ): Promise<Answer | { readonly passes: boolean; readonly error: DrumlinError }> {
    const { method, body, headers, expects = [], answer: most = 0 } = request;
    const limit = ANSWER_WITHIN + ((body?.length ?? 0) + most) / SLOWEST_BYTES_PER_MS;
    const ended = new AbortController();
    const cancel = this.#clock.after(limit, () => ended.abort());
    try {
      const signed = await this.#sign(this.#url(request), {
        method,
        ...(headers && { headers }),
        ...(body && { body: body as Uint8Array<ArrayBuffer> }),
      });
      const send = this.#options.fetch ?? fetch;
      const response = await send(signed, { signal: ended.signal, redirect: 'manual' });
      const received = Buffer.from(await response.arrayBuffer());
      const { status } = response;
      const code = status >= 300 ? errorCode(received) : '';
      if (status < 300 || expects.includes(status))
        return { status, headers: response.headers, body: received, code, repeated };
      const passes = PASSES.has(status) || PASSING_CODES.has(code);
      return { passes, error: this.#refused(request, status, code) };
    } catch (error) {
      return { passes: true, error: this.#unreachable(request, error) };
    } finally {
      cancel();
    }
  }

  #url({ key, query = {} }: S3Request): string {
    const { account, bucket } = this.#options;
    const path = [bucket, ...(key === '' ? [] : key.split('/'))].map(encoded).join('/');
    const pairs = Object.entries(query).map(
      ([name, value]) => `${encoded(name)}=${encoded(value)}`,
    );
    return `${account.endpoint}/${path}${pairs.length > 0 ? `?${pairs.join('&')}` : ''}`;
  }

  #named({ method, key }: S3Request): string {
    return `${method} s3://${this.#options.bucket}${key === '' ? '' : `/${key}`}`;
  }

  #refused(request: S3Request, status: number, code: string): DrumlinError {
    const { endpoint } = this.#options.account;
    const shown = code === '' ? String(status) : `${status} ${code}`;
    return new DrumlinError(
      'OBJECT_REFUSED',
      `The object store at ${endpoint} refused ${this.#named(request)} (${shown}).`,
      REMEDIES[code] ?? REMEDIES[status] ?? 'Check the store, then run the same command again.',
      { exitCode: EXIT.disk },
    );
  }

  #unreachable(request: S3Request, error: unknown): DrumlinError {
    const { endpoint } = this.#options.account;
    const cause = (error as Error).cause ?? error;
    const reason = systemCode(cause) || ((error as Error).name === 'AbortError' ? 'timeout' : '');
    return new DrumlinError(
      'OBJECT_UNREACHABLE',
      `The object store at ${endpoint} did not answer ${this.#named(request)}${reason && ` (${reason})`}.`,
      'Check that the store runs and can be reached from this machine.',
      { exitCode: EXIT.disk },
    );
  }
}

const CREDENTIALS = 'Check the credentials (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY).';
/** By the store's own name of the error, or by the status. */
const REMEDIES: Readonly<Record<string, string>> = {
  InvalidAccessKeyId: CREDENTIALS,
  SignatureDoesNotMatch: CREDENTIALS,
  ExpiredToken: 'Get a new session token (AWS_SESSION_TOKEN).',
  NoSuchBucket: 'Create the bucket first.',
  RequestTimeTooSkewed: 'Set the clock of this machine.',
  PermanentRedirect: 'Set AWS_REGION to the region of the bucket.',
  AuthorizationHeaderMalformed: 'Set AWS_REGION to the region of the bucket.',
  NotImplemented: 'Use a store with conditional PUT and multipart uploads.',
  301: 'Set AWS_REGION to the region of the bucket.',
  307: 'Set AWS_REGION to the region of the bucket.',
  403: `${CREDENTIALS} They need to read, write, list and delete.`,
  404: 'Create the bucket first.',
  503: 'The store is overloaded or stopped: wait, then run the same command again.',
};

/** As the signature wants it: everything but letters, digits and `-._~`. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );

const errorCode = (body: Buffer): string =>
  /<Code>([\w.]{1,80})<\/Code>/.exec(body.subarray(0, 4096).toString('latin1'))?.[1] ?? '';
