/**
 * The URLs of a page, one behind the other in one text.
 *
 * Idea      Most links of a page were seen a moment ago: their hashes are enough to know that. So
 *           they travel as one text and the positions where they end, and a URL becomes a string of
 *           its own only where one is needed.
 * Requires  Canonical URLs, which are ASCII.
 * Cost      No object per URL. `at` makes a slice: keeping it keeps the text of all in memory.
 */
export class PackedUrls {
  /** All URLs. */
  readonly text: string;
  /** Where each URL ends in the text. */
  readonly ends: readonly number[];

  constructor(text: string, ends: readonly number[]) {
    this.text = text;
    this.ends = ends;
  }

  static of(urls: readonly string[]): PackedUrls {
    let text = '';
    const ends: number[] = [];
    for (const url of urls) {
      text += url;
      ends.push(text.length);
    }
    return new PackedUrls(text, ends);
  }

  get length(): number {
    return this.ends.length;
  }

  at(i: number): string {
    return this.text.slice(i === 0 ? 0 : this.ends[i - 1], this.ends[i]);
  }

  all(): string[] {
    const urls: string[] = [];
    for (let i = 0; i < this.ends.length; i++) urls.push(this.at(i));
    return urls;
  }

  /** The length of the longest URL; 0 if there is none. */
  get longest(): number {
    let longest = 0;
    let start = 0;
    for (const end of this.ends) {
      if (end - start > longest) longest = end - start;
      start = end;
    }
    return longest;
  }
}
