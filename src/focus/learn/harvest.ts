/**
 * What a crawl has harvested, as the book learns it: the archive of a crawl, or the lab.
 *
 * A harvest is read in three steps, because each needs the result of the one before: which
 * documents there are, which of the new ones are useful, and which pages link to any.
 */
import type { Millis } from '../../base/units.ts';

/** A response with a document. */
interface Sighting {
  /** In canonical form. */
  readonly url: string;
  /** The SHA-1 of the payload, in Base32. */
  readonly digest: string;
  readonly time: Millis;
  /** Where `judge` finds it; texts in the order in which they are best read. */
  readonly place: string;
  /** False if the server only confirmed the document. */
  readonly fetched: boolean;
}

/** What the text of a document shows. */
export interface Judgement {
  readonly digest: string;
  readonly useful: boolean;
  /** Addresses in text and annotations, in canonical form, each once. */
  readonly references: readonly string[];
  /** Why the text could not be read. */
  readonly unread?: string | undefined;
}

/** A new document, to be judged. */
export interface NewDocument {
  readonly digest: string;
  readonly url: string;
  readonly place: string;
}

/** A page that was fetched. */
export interface HarvestPage {
  readonly url: string;
  readonly time: Millis;
  /** Links that may lead to documents; undefined if the page is as before, and not at hand. */
  readonly targets: readonly string[] | undefined;
}

/** Receives what `survey` finds. */
export interface Survey {
  /** A request for a URL that was answered, whatever the answer. */
  request(url: string, time: Millis): void | Promise<void>;
  document(sighting: Sighting): Promise<void>;
  redirect(from: string, to: string, time: Millis): Promise<void>;
}

/** The seeds that the book gave to a crawl. */
export interface Tried {
  readonly urls: Iterable<string>;
  readonly time: Millis;
  /** False if the crawl ended at a limit: then seeds without an answer may not be requested. */
  readonly finished: boolean;
}

export interface Harvest {
  /** Identifies the crawl: the book counts it once. */
  readonly identity: string;
  readonly folder: string;
  survey(into: Survey): Promise<void>;
  /** Judges new documents, given in the order of their places. */
  judge(documents: AsyncIterable<NewDocument>): AsyncIterable<Judgement>;
  /** `mayLead` is false for most URLs that lead to no document. */
  pages(mayLead: (url: string) => boolean): AsyncIterable<HarvestPage>;
  /** Requests of the crawl; undefined if only those that `survey` reports are known. */
  readonly requests?: number | undefined;
  readonly policy?: string | undefined;
  /** When the crawl began; undefined if only the times of its responses are known. */
  readonly began?: Millis | undefined;
  readonly tried?: Tried | undefined;
  /** Domains of the list that the seeds came from. */
  readonly listed?: number | undefined;
  /** When the round began that the seeds belong to, in seconds. */
  readonly round?: number | undefined;
}
