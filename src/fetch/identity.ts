/**
 * Who crawls, as sent to every server: a user agent with the crawler's name, its version and a
 * contact.
 *
 * Robots.txt files address the product token. It is matched on its own, never against the whole
 * user agent, which begins with `Mozilla/5.0` because some servers answer only to that.
 */
import { DrumlinError } from '../base/errors.ts';

export interface Identity {
  readonly userAgent: string;
  /** The value of the `From` header: an e-mail address. */
  readonly from?: string;
  /** The name that selects groups of robots.txt. */
  readonly productToken: string;
  /** False without a contact: enough for a lab, not for the public web. */
  readonly hasContact: boolean;
}

interface IdentityOptions {
  readonly version: string;
  /** A web address or an e-mail address, or one of each. */
  readonly contact?: string | readonly string[];
  /** Replaces the whole user agent; the product token is extracted from it. */
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
      'The user agent contains characters that a header cannot hold.',
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
 * `NAME` for `Mozilla/5.0 (compatible; NAME/1.0; …)` and for `NAME/1.0 (…)`. RFC 9309 allows
 * letters, `_` and `-`. Digits are accepted too, because robots.txt files contain them.
 */
export function productTokenOf(userAgent: string): string {
  const match = /compatible;\s*([a-z0-9_-]+)/i.exec(userAgent) ?? /^([a-z0-9_-]+)/i.exec(userAgent);
  if (match === null) {
    throw new DrumlinError(
      'USER_AGENT',
      `The user agent "${userAgent}" has no product name.`,
      'Begin it with a name, like "my-crawler/1.0 (+https://example.org)".',
    );
  }
  return match[1];
}
