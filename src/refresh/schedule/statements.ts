/**
 * What sitemaps in an archive say about pages: when each last changed.
 *
 * Ensures   only dates from 1990 to the time of the capture; only pages of the sitemap's own host:
 *           a site speaks for itself. A sitemap that cannot be read says nothing.
 * Cost      one sitemap in memory.
 */
import { type Archive, millisOf } from '../../archive/index/archive.ts';
import { type Capture, REVISIT_MIME } from '../../archive/index/cdxj.ts';
import { headEnd, payloadOf } from '../../archive/warc/http-block.ts';
import { DrumlinError } from '../../base/errors.ts';
import type { Millis } from '../../base/units.ts';
import { decodeContent } from '../../fetch/decode.ts';
import { readHead } from '../../fetch/response-head.ts';
import { readSitemap, type SitemapEntry } from '../../parse/sitemap.ts';
import { canonicalise } from '../../url/canonical.ts';
import { hostOf } from '../../url/parts.ts';
import { DAY, type Stated } from './history.ts';

/** URLs of one sitemap: the limit of the protocol. */
const MOST = 50_000;
/** Earlier dates are mistakes. */
const EARLIEST: Millis = Date.UTC(1990, 0);

interface Statement extends Stated {
  readonly page: string;
}

/** None if the capture is no sitemap. */
export async function* statementsIn(archive: Archive, capture: Capture): AsyncGenerator<Statement> {
  if (!mayBeSitemap(capture)) return;
  const time = millisOf(capture.timestamp);
  for (const { location, changed } of await entriesOf(archive, capture)) {
    const when = changed === undefined ? undefined : dateOf(changed);
    if (!when || when.from < EARLIEST || when.from > time) continue;
    const page = canonicalise(location, { base: capture.url });
    if (page === undefined || hostOf(page) !== hostOf(capture.url)) continue;
    yield { page, from: when.from, to: Math.min(when.to, time) };
  }
}

/** A sitemap that its server confirmed says the same again. */
function mayBeSitemap({ url, status, mime }: Capture): boolean {
  const isFetched = status === '200' || (status === '304' && mime === REVISIT_MIME);
  return isFetched && /^https?:/.test(url) && (/\bxml\b/.test(mime) || /\.xml$/i.test(url));
}

async function entriesOf(archive: Archive, capture: Capture): Promise<readonly SitemapEntry[]> {
  try {
    const { block } = await archive.page(capture);
    const end = headEnd(block);
    const head = end < 0 ? undefined : readHead(Buffer.from(block.buffer, block.byteOffset, end));
    if (!head) return [];
    const { body } = await decodeContent({ payload: payloadOf(block), headers: head.headers });
    const sitemap = readSitemap(body, MOST);
    return sitemap?.kind === 'pages' ? sitemap.entries : [];
  } catch (error) {
    if (error instanceof DrumlinError) return []; // damage is for `archive check` to report
    throw error;
  }
}

/** A date of ISO 8601, with the time that it leaves open. */
function dateOf(text: string): Stated | undefined {
  const from = Date.parse(text);
  if (Number.isNaN(from)) return undefined;
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text);
  const isTime = /T\d/.test(text);
  return isDay || isTime ? { from, to: isDay ? from + DAY : from } : undefined;
}
