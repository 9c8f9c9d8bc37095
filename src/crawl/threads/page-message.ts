/** A page as a message from an agent's thread to the user's `onPage`: headers as plain lines. */
import type { HeaderView } from '../../fetch/exchange.ts';
import type { Page } from '../store/page.ts';
import { exactBytes } from '../transport/exact-bytes.ts';

type HeaderLine = readonly [name: string, value: string];

export type PackedPage = Omit<Page, 'headers'> & { readonly headers: readonly HeaderLine[] };

export function packPage(page: Page): PackedPage {
  return { ...page, headers: [...page.headers.entries()], body: exactBytes(page.body) };
}

export function unpackPage(packed: PackedPage): Page {
  return { ...packed, headers: headerView(packed.headers) };
}

function headerView(lines: readonly HeaderLine[]): HeaderView {
  const all = (name: string) => {
    const wanted = name.toLowerCase();
    return lines
      .filter(([candidate]) => candidate.toLowerCase() === wanted)
      .map(([, value]) => value);
  };
  return { get: (name) => all(name)[0], all, entries: () => lines };
}
