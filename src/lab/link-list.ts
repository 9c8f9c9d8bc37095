/**
 * The links of one page while it is being written: an address as HTML writes it and an anchor text each (''
 * leaves the words to the page), in the order they will appear.
 *
 * It also remembers the last step at which any of them came to be what it is, so that `Last-Modified` and `ETag`
 * are honest: the bytes of a page change exactly when something it was made of does.
 */
export class LinkList {
  readonly hrefs: string[] = [];
  readonly anchors: string[] = [];
  /** The latest step an ingredient of the page changed. */
  modified: number;

  constructor(modified: number) {
    this.modified = modified;
  }

  add(href: string, anchor: string): void {
    this.hrefs.push(href);
    this.anchors.push(anchor);
  }

  /** Something that was considered, whether it became a link or not, was decided at this step. */
  touch(step: number): void {
    if (step > this.modified) this.modified = step;
  }

  get length(): number {
    return this.hrefs.length;
  }
}
