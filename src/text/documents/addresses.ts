/**
 * The URLs that a document names: in its text, and in its link annotations.
 *
 * An address that is broken over two lines of text is found up to the line's end; its annotation,
 * if it has one, is whole.
 */
const IN_TEXT = /\bhttps?:\/\/[^\s<>"'`{}|\\^[\]]{1,2000}/gi;
const WEB = /^https?:\/\//i;
/** What ends a sentence, not an address. */
const ENDING = /[.,;:!?…]+$/;
const LONGEST = 2000;
const MOST = 5000;

export function addressesIn(text: string, links: readonly string[] = []): string[] {
  const found = new Set<string>();
  const add = (address: string) => {
    if (found.size < MOST && address.length <= LONGEST) found.add(address);
  };
  for (const link of links) if (WEB.test(link)) add(link);
  for (const [address] of text.matchAll(IN_TEXT)) add(trimmed(address));
  return [...found];
}

/** Without the punctuation after it, and without a bracket that was opened before it. */
function trimmed(address: string): string {
  let rest = address.replace(ENDING, '');
  while (rest.endsWith(')') && !rest.includes('(')) rest = rest.slice(0, -1).replace(ENDING, '');
  return rest;
}
