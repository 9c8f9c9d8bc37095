/**
 * Records beside a page that was rendered, named as Browsertrix names them: `urn:pageinfo:URL`
 * lists what the page has loaded, `urn:view:URL` is a picture of it.
 */
import type { Millis } from '../../base/units.ts';
import type { Resource } from './warc-record.ts';

const PAGE_INFO = 'urn:pageinfo:';
/** Where the records of rendered pages begin in an index. */
export const RENDERED_FROM = PAGE_INFO;
const VIEW = 'urn:view:';

interface PageInfo {
  readonly url: string;
  readonly date: Millis;
  /** What the page has loaded, by URL. */
  readonly loaded: ReadonlyMap<string, unknown>;
  readonly counts: Readonly<Record<string, number>>;
}

export function pageInfoResource({ url, date, loaded, counts }: PageInfo): Resource {
  const ts = new Date(date).toISOString();
  const info = { url, ts, urls: Object.fromEntries(loaded), counts };
  return {
    uri: `${PAGE_INFO}${url}`,
    date,
    ip: undefined,
    contentType: 'application/json',
    content: Buffer.from(JSON.stringify(info)),
  };
}

export const viewResource = (url: string, date: Millis, content: Uint8Array): Resource => ({
  uri: `${VIEW}${url}`,
  date,
  ip: undefined,
  contentType: 'image/png',
  content,
});

/** The page that a record says was rendered. */
export const renderedPageOf = (uri: string): string | undefined =>
  uri.startsWith(PAGE_INFO) ? uri.slice(PAGE_INFO.length) : undefined;
