/**
 * How a URL is requested where it is not a plain GET: with HEAD, or with the validators of an
 * earlier capture, so that the server may answer "not modified" (RFC 9110, section 13.1).
 */
import type { EarlierPage, EarlierPages } from '../../archive/payloads/earlier-pages.ts';
import type { FetchRequest } from '../../fetch/exchange.ts';
import type { Asks } from '../planned/asks.ts';

/** A request as it was made, and what it was compared with. */
export interface Requested {
  readonly request: Pick<FetchRequest, 'method' | 'headers'>;
  /** It named validators, so a 304 confirms the earlier capture. */
  readonly isConditional: boolean;
  readonly earlier: EarlierPage | undefined;
}

export interface Requests {
  requestOf(url: string): Promise<Requested>;
}

/** Requests of a crawl with earlier captures: a planned one, or one that fetches pages again. */
export function requestsWith(pages: EarlierPages, asks: Asks | undefined): Requests {
  return {
    async requestOf(url) {
      const ask = asks?.of(url);
      const method = ask?.method ?? 'GET';
      const earlier = await pages.find(url);
      // Without an ask the links of an unchanged page are followed, so it must be at hand.
      const mayAsk = ask ? ask.conditional : earlier?.place !== undefined;
      const headers = earlier && mayAsk ? conditionsOf(earlier) : [];
      return { request: { method, headers }, isConditional: headers.length > 0, earlier };
    },
  };
}

function conditionsOf({ etag, modified }: EarlierPage): [name: string, value: string][] {
  const headers: [string, string][] = [];
  if (etag !== undefined) headers.push(['If-None-Match', etag]);
  if (modified !== undefined) headers.push(['If-Modified-Since', modified]);
  return headers;
}
