/**
 * The web's answer to one request, before a server behaviour changes it: status, header lines,
 * body.
 *
 * Bodies are byte strings (character codes 0-255 are the bytes), see text.ts.
 */
import type { BehaviourName } from './behaviour.ts';

export interface Answer {
  readonly status: number;
  /**
   * Header lines, each ended by CRLF, without Content-Length and Connection, which the server adds.
   */
  readonly headers: string;
  readonly body: string;
  /** The version of the resource, if requests can be conditional. */
  readonly etag?: string;
  /** Whole seconds since 1970. */
  readonly modified?: number;
  /** How the server treats this answer (behaviour.ts); absent if it behaves well. */
  readonly behaviour?: BehaviourName;
  /** Where it redirects to; also in a header line. */
  readonly location?: string;
}

export const REASONS: Readonly<Record<number, string>> = {
  200: 'OK',
  301: 'Moved Permanently',
  302: 'Found',
  303: 'See Other',
  304: 'Not Modified',
  307: 'Temporary Redirect',
  308: 'Permanent Redirect',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  410: 'Gone',
  421: 'Misdirected Request',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

export const HTML_TYPE = 'Content-Type: text/html; charset=utf-8\r\n';
export const TEXT_TYPE = 'Content-Type: text/plain; charset=utf-8\r\n';
export const JSON_TYPE = 'Content-Type: application/json; charset=utf-8\r\n';
export const XML_TYPE = 'Content-Type: application/xml; charset=utf-8\r\n';

export function htmlAnswer(status: number, title: string, text: string, headers = ''): Answer {
  return {
    status,
    headers: HTML_TYPE + headers,
    body: `<!DOCTYPE html>\n<html><head><title>${title}</title></head><body><h1>${title}</h1><p>${text}</p></body></html>\n`,
  };
}

export function redirect(status: number, location: string): Answer {
  const text = `It is <a href="${location}">here</a>.`;
  return { ...htmlAnswer(status, REASONS[status], text, `Location: ${location}\r\n`), location };
}

export const notFound = (): Answer => htmlAnswer(404, 'Not Found', 'There is no such page.');

/** The header lines by which a client can ask whether the page has changed. */
export function validatorsOf({ etag, modified }: Answer): string {
  const tag = etag ? `ETag: ${etag}\r\n` : '';
  return modified ? `${tag}Last-Modified: ${httpDate(modified)}\r\n` : tag;
}

/**
 * Most pages were last changed at one of a few steps, and formatting a date costs a microsecond.
 */
const dates = new Map<number, string>();

function httpDate(seconds: number): string {
  let text = dates.get(seconds);
  if (text === undefined) {
    text = new Date(seconds * 1000).toUTCString();
    dates.set(seconds, text);
  }
  return text;
}
