/**
 * What a crawl keeps of a domain to judge it: its last verdict, and the sums of the pages that were
 * measured.
 *
 * Format    see `FieldWriter`: version, lists of words that the pages were measured with, verdict
 *           in steps of 1/10,000, pages at that verdict, the sums, copied pages if there are any.
 *           Without sums no page is measured any more.
 * Ensures   sums of the same pages are the same in any order (site-sums.ts), and so are verdicts.
 */
import { FieldReader, FieldWriter } from '../../base/fields.ts';
import { MOST_PAGES, SiteSums } from '../features/content/site-sums.ts';
import type { LiveModel } from './live-model.ts';

/** Pages after which a verdict is given. */
const STAGES: readonly number[] = [1, 3, 10, 30, 100, MOST_PAGES];
const VERSION = 1;
const STEPS = 10_000;

export class DomainSums {
  readonly #listsId: number;
  /** The probability that the domain is spam, by the last verdict. */
  spam: number;
  /** Pages that this verdict is made of. */
  judgedAt: number;
  #sums: SiteSums | undefined;
  /** Pages that are copies of other domains' pages. */
  #copied = 0;

  private constructor(listsId: number, spam: number, judgedAt: number, sums?: SiteSums) {
    this.#listsId = listsId;
    this.spam = spam;
    this.judgedAt = judgedAt;
    this.#sums = sums;
  }

  /** A domain without pages: its first verdict is by its name. */
  static begin(name: string, model: LiveModel): DomainSums {
    return new DomainSums(model.listsId, model.byName(name), 0, SiteSums.empty());
  }

  /** What was written; sums that the model cannot continue begin anew, and the verdict stays. */
  static read(bytes: Uint8Array, name: string, model: LiveModel): DomainSums {
    const fields = new FieldReader(bytes);
    if (fields.number() !== VERSION) return DomainSums.begin(name, model);
    const isSame = fields.number() === model.listsId;
    const spam = fields.number() / STEPS;
    const judgedAt = fields.number();
    if (!isSame) return new DomainSums(model.listsId, spam, 0, SiteSums.empty());
    const sums = fields.bytes();
    const read = new DomainSums(
      model.listsId,
      spam,
      judgedAt,
      sums.length === SiteSums.BYTES ? SiteSums.read(sums) : undefined,
    );
    if (!fields.atEnd) read.#copied = fields.number();
    return read;
  }

  toBytes(): Uint8Array {
    const out = new FieldWriter();
    out.number(VERSION);
    out.number(this.#listsId);
    out.number(Math.round(this.spam * STEPS));
    out.number(this.judgedAt);
    const sums = new Uint8Array(this.#sums ? SiteSums.BYTES : 0);
    this.#sums?.writeTo(sums);
    out.bytes(sums);
    if (this.#sums && this.#copied > 0) out.number(this.#copied);
    return out.finish();
  }

  /** More pages are to be measured. */
  get isOpen(): boolean {
    return this.#sums !== undefined;
  }

  /** Adds a page by its values. Returns true when a verdict is due. */
  add(values: Float64Array, isHome: boolean, isCopied = false): boolean {
    this.#sums?.add(values, isHome);
    if (isCopied) this.#copied++;
    return this.#sums !== undefined && STAGES.includes(this.#sums.pages);
  }

  /** Judges by all pages so far. Returns false if there is none since the last verdict. */
  judge(name: string, model: LiveModel): boolean {
    const sums = this.#sums;
    if (!sums || sums.pages === this.judgedAt) return false;
    this.spam = model.verdict(name, sums, this.#copied);
    this.judgedAt = sums.pages;
    if (sums.pages >= MOST_PAGES) this.#sums = undefined;
    return true;
  }
}

/** The verdict in what `toBytes` wrote, if there is one by pages. */
export function storedVerdict(bytes: Uint8Array): number | undefined {
  const fields = new FieldReader(bytes);
  if (fields.number() !== VERSION) return undefined;
  fields.number();
  const spam = fields.number() / STEPS;
  return fields.number() > 0 ? spam : undefined;
}
