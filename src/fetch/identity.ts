/**
 * Who is crawling, as told to every server: a user agent that names the crawler, its version and whom to write to.
 *
 * The product token is what robots.txt files address. It is matched on its own, never against the whole user agent, which
 * begins with `Mozilla/5.0` for the sake of servers that answer nobody else.
 */
import { DrumlinError } from '../base/errors.ts';

export interface Identity {
  readonly userAgent: string;
  /** Value of the `From` header: an e-mail address. */
  readonly from?: string;
  /** The name that robots.txt groups are matched with. */
  readonly productToken: string;
  /** False when nobody could be reached: good enough for a laboratory, not for the public web. */
  readonly hasContact: boolean;
}

export interface IdentityOptions {
  readonly version: string;
  /** A web address or an e-mail address; one of each may be given. */
  readonly contact?: string | readonly string[];
  /** Replaces the whole user agent; its product token is taken from it. */
  readonly userAgent?: string;
}

const EMAIL = /^[^\s@<>(),;]+@[^\s@<>(),;]+\.[^\s@<>(),;]+$/;
const PRINTABLE = /^[\x20-\x7e]+$/;

export function createIdentity(options: IdentityOptions): Identity {
  const contacts =
    typeof options.contact === 'string' ? [options.contact] : (options.contact ?? []);
  let page: string | undefined;
  let from: string | undefined;
  for (const contact of contacts) {
    const text = contact.trim().replace(/^mailto:/i, '');
    if (EMAIL.test(text) && PRINTABLE.test(text)) from ??= text;
    else page ??= webAddress(text);
  }
  const contact = page ?? (from === undefined ? undefined : `mailto:${from}`);
  const own = `Mozilla/5.0 (compatible; drumlin/${options.version}${contact ? `; +${contact}` : ''})`;
  const userAgent = options.userAgent?.trim() || own;
  if (!PRINTABLE.test(userAgent)) {
    throw new DrumlinError(
      'USER_AGENT',
      'The user agent holds characters that no header may hold.',
      'Write it in printable ASCII.',
    );
  }
  return {
    userAgent,
    ...(from === undefined ? {} : { from }),
    productToken: productTokenOf(userAgent),
    hasContact: contact !== undefined || /https?:\/\/|@/.test(userAgent),
  };
}

function webAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || /[()]/.test(url.href)) {
    throw new DrumlinError(
      'CONTACT',
      `"${text}" is neither a web address nor an e-mail address.`,
      'Write a contact like https://example.org/crawler or me@example.org.',
    );
  }
  return url.href;
}

/**
 * `Mozilla/5.0 (compatible; NAME/1.0; …)` is NAME, and so is `NAME/1.0 (…)`. RFC 9309 wants letters, `_` and `-`; digits are
 * taken as well, because that is how robots.txt files and we read them.
 */
export function productTokenOf(userAgent: string): string {
  const match = /compatible;\s*([a-z0-9_-]+)/i.exec(userAgent) ?? /^([a-z0-9_-]+)/i.exec(userAgent);
  if (match === null) {
    throw new DrumlinError(
      'USER_AGENT',
      `The user agent "${userAgent}" names no product.`,
      'Begin it with a name of letters, like "my-crawler/1.0 (+https://example.org)".',
    );
  }
  return match[1];
}
