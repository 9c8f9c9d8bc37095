/** Archives of pages of the lab, written without a crawl: pages, crawls and agents as wanted. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { WarcWriter } from '../../src/archive/write/warc-writer.ts';
import type { Millis } from '../../src/base/units.ts';
import type { Exchange } from '../../src/fetch/exchange.ts';
import { makeExchange } from '../archive/warc/fixtures.ts';

export interface ArchivedPage {
  readonly url: string;
  readonly body: Uint8Array;
  readonly status?: number;
  /** Header lines besides the type. */
  readonly headers?: string;
  readonly contentType?: string;
}

const START = Date.UTC(2026, 2, 14);

export function exchangeOf(page: ArchivedPage, startedAt: Millis): Exchange {
  const { url, body, status = 200, headers = '', contentType = 'text/html' } = page;
  const head = `HTTP/1.1 ${status} OK\r\nContent-Type: ${contentType}\r\n${headers}\r\n`;
  return { ...makeExchange({ url, head, wire: [body] }), status, startedAt };
}

export interface ArchiveShape {
  /** Files, each of an agent of its own. Default: 1. */
  readonly agents?: number;
  readonly compress?: 'gzip' | 'zstd' | 'none';
  /** The time of the first page; each further one is a second later. */
  readonly from?: Millis;
}

/** Writes the folder of a crawl with the pages; they go to the agents in turn. */
export async function writeCrawl(
  dir: string,
  pages: Iterable<ArchivedPage>,
  { agents = 1, compress = 'gzip', from = START }: ArchiveShape = {},
): Promise<void> {
  const folder = join(dir, 'archive');
  mkdirSync(folder, { recursive: true });
  const writers: WarcWriter[] = [];
  for (let agent = 0; agent < agents; agent++) {
    const options = { info: { software: 'test' }, compress, agent: String(agent) };
    writers.push(await WarcWriter.open(folder, options));
  }
  let i = 0;
  for (const page of pages) {
    await writers[i % agents].write(exchangeOf(page, from + 1000 * i));
    i++;
  }
  for (const writer of writers) await writer.close();
}
