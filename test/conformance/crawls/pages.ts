/** Pages of the small sites. */
import type { Handler } from '../../crawl/small-site.ts';

/** An answer with a type, a body and, if need be, other headers and another status. */
export const answer =
  (
    type: string,
    body: string,
    headers: Readonly<Record<string, string>> = {},
    status = 200,
  ): Handler =>
  (_, response) =>
    void response.writeHead(status, { 'content-type': type, ...headers }).end(body);

/** A text of so many words; another seed gives another text. */
export function words(count: number, seed = 1): string {
  let state = seed * 7919;
  const made = Array.from({ length: count }, () => {
    state = (state * 48271) % 2147483647;
    return `w${state.toString(36).slice(0, 4)}`;
  });
  return made.join(' ');
}

/** A page with a text and links. */
export const page = (text: string, ...links: string[]): string =>
  `<!doctype html><title>page</title><p>${text}</p>${links.map((href) => `<a href="${href}">x</a>`).join('')}`;
