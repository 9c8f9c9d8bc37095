/** One row of the table of routes: what a request must be, and what answers it. */
import type { Clock } from '../base/clock.ts';
import type { Disk } from '../disk/disk.ts';
import type { Crawls, OneCrawl } from './crawls.ts';
import type { Fields, Values } from './fields/schema.ts';
import type { FrameServer } from './frame.ts';

/** What routes work with. */
interface ConsoleParts {
  readonly disk: Disk;
  readonly clock: Clock;
  readonly crawls: Crawls;
  readonly frame: FrameServer;
}

/** An answer that is no JSON: text to read, or, with a name, a file to download. */
export class RawAnswer {
  readonly content: string | Uint8Array | AsyncIterable<Uint8Array>;
  readonly type: string;
  readonly filename: string | undefined;
  readonly status: number;

  constructor(content: RawAnswer['content'], type: string, filename?: string, status = 200) {
    this.content = content;
    this.type = type;
    this.filename = filename;
    this.status = status;
  }
}

type Method = 'GET' | 'POST' | 'PATCH' | 'PUT';

export interface Route<Parts = ConsoleParts, Crawl = OneCrawl> {
  readonly method: Method;
  /** Below `/api/v1`; `{crawl}` and `{name}` stand for one segment. */
  readonly path: string;
  readonly doc: string;
  /** The fields of the query, or of the JSON body where the method is not GET. */
  readonly fields: Fields;
  /** The fields of the answer, each with its meaning. */
  readonly gives: Readonly<Record<string, string>>;
  readonly answer: (parts: Parts, crawl: Crawl, values: never, name: string) => unknown;
}

/** Makes routes; checks that an answer reads only the fields that there are. */
export const routesOver =
  <Parts, Crawl>() =>
  <F extends Fields>(
    method: Method,
    path: string,
    doc: string,
    fields: F,
    gives: Readonly<Record<string, string>>,
    answer: (parts: Parts, crawl: Crawl, values: Values<F>, name: string) => unknown,
  ): Route<Parts, Crawl> => ({ method, path, doc, fields, gives, answer });

export const route = routesOver<ConsoleParts, OneCrawl>();
