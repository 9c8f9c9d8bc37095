/** A day of the book: what one crawl requested and found, as in Table 2 of the paper. */
export interface Day {
  /** The position of its crawl among the book's sources. */
  readonly source: number;
  /** How its seeds were chosen; `history` for a crawl that the book only learned. */
  readonly policy: string;
  /** When its last response came, in ISO 8601. */
  readonly time: string;
  /** Q: requests for pages and documents. */
  readonly requests: number;
  /** F: documents fetched. */
  readonly fetched: number;
  /** N: documents that the book did not hold. */
  readonly fresh: number;
  /** G: useful ones among the new. */
  readonly useful: number;
  /** P: pages with a link to a document. */
  readonly parents: number;
  /** P_G: pages with a link to a useful document. */
  readonly usefulParents: number;
  /** D_PG: distinct useful documents that these link to. */
  readonly usefulLinked: number;
  /** New documents whose text could not be read, by reason. */
  readonly unread: Readonly<Record<string, number>>;
  /** Domains of the list that its seeds came from; absent for `history`. */
  readonly listed?: number;
}
