/**
 * Beyond which number there is nothing: calendars, lists, anything that continues without end.
 *
 *   /calendar/#/#/#   …, 2024, [ 2025 … 2028 ], 2029, 2030, …
 *                     below and above: one text, "nothing on this day"
 *
 * Idea      If two pages of one shape (`number-shapes.ts`) have the same text, that text may be the
 *           one of empty pages. From then on the numbers of pages with another text form its range,
 *           for each number (`gauges.ts`). Pages with the text below and above the range are
 *           counted until chance cannot explain them (`number-end.ts`). A calendar with an entry
 *           every sixth day needs 41 empty days beyond, one with an entry once a month 200. Every
 *           URL beyond an end is rewritten to the first page with the text. Within the range
 *           nothing is rewritten, however empty it is: any day may have an entry. One URL in 128
 *           passes unchanged, and one page with another text beyond an end moves the range: then
 *           only what was counted farther out still counts.
 * Requires  Pages in the order in which `Reaches` and the index of similar pages received them.
 * Ensures   Memory is bounded: a limited number of hosts, and of texts per host; those without ends
 *           are evicted first. `rewrite` is idempotent.
 * Cost      Nothing for hosts without ends; about 1 µs per link for one with some.
 */
import { FieldReader, FieldWriter } from '../base/fields.ts';
import { ownCopy } from '../base/own-copy.ts';
import { xxh64 } from '../base/xxh64.ts';
import { originOf } from '../url/parts.ts';
import { type Fingerprint, SAME_TEXT, SKETCH_WORDS, similarity } from './fingerprint.ts';
import { gaugeCount, gaugeName, gaugeValue, majorOf } from './gauges.ts';
import { NumberEnd, type Side } from './number-end.ts';
import { type NumberShape, numberShapeOf, Reaches } from './number-shapes.ts';
import type { SimilarPage } from './similar-pages.ts';
import { type RuleChange, TESTED } from './trap-rules.ts';

/** The order of the two ends of a gauge. */
const SIDES: readonly Side[] = ['below', 'above'];
const MOST_HOSTS = 1024;
const MOST_TEXTS = 8;
/**
 * The limit of `votes`: a text is replaced by another repeated text after this many more pages
 * without it.
 */
const MOST_VOTES = 64;
const LONGEST_URL = 512;

/** The text of empty pages in a shape. */
interface Nothing {
  readonly sketch: Uint32Array;
  /** The first page that had it. */
  readonly url: string;
  /** The most significant number. */
  readonly major: number;
  /** The numbers that varied, a bit each. */
  varied: number;
  /** How many more pages had it than had another text, up to a limit. */
  votes: number;
  /** Pages that had it. */
  same: number;
  /** Pages that had another text. */
  others: number;
  /** Two per gauge: below and above. */
  readonly ends: NumberEnd[];
}

interface EndChange {
  readonly rule: string;
  readonly change: RuleChange;
  /** Pages with the text beyond the end. */
  readonly pages: number;
  readonly examples: readonly string[];
}

export class NumberEnds {
  readonly #reaches: Reaches;
  readonly #mostHosts: number;
  /** By origin and shape; the last used host is at the end. */
  readonly #hosts = new Map<string, Map<string, Nothing>>();
  #holding = 0;

  /** Remembers the range of numbers of this many shapes. */
  constructor(shapes: number, mostHosts = MOST_HOSTS) {
    this.#reaches = new Reaches(shapes);
    this.#mostHosts = mostHosts;
  }

  /** Whether nothing was learned about any host. */
  get isEmpty(): boolean {
    return this.#holding === 0;
  }

  /** Adds a page again after a restart. */
  enter(url: string): void {
    const shape = numberShapeOf(url);
    if (shape) this.#reaches.widen(shape);
  }

  /**
   * Observes a page; `near` is the page most like it. `isRelated` if that has the same shape and
   * the same text.
   */
  observe(
    url: string,
    { sketch }: Fingerprint,
    near: SimilarPage | undefined,
  ): { readonly isRelated: boolean; readonly changes: readonly EndChange[] } {
    const shape = numberShapeOf(url);
    if (!shape) return { isRelated: false, changes: [] };
    const earlier = near && near.similarity >= SAME_TEXT ? numberShapeOf(near.url) : undefined;
    const isRelated = earlier?.origin === shape.origin && earlier.shape === shape.shape;
    const known = this.#hosts.get(shape.origin)?.get(shape.shape);
    const isSame = known !== undefined && similarity(known.sketch, 0, sketch, 0) >= SAME_TEXT;
    this.#reaches.widen(shape);
    let changes: readonly EndChange[] = [];
    if (isSame) changes = this.#observeSame(known, shape, url);
    else if (known && (known.votes > 0 || !isRelated || hasEnds(known)))
      changes = this.#observeOther(known, shape, url);
    else if (isRelated && near && near.url.length <= LONGEST_URL)
      this.#begin(shape, earlier, near.url, sketch);
    return { isRelated, changes };
  }

  /** The URL that represents all URLs beyond an end; most URLs represent themselves. */
  rewrite(url: string): string {
    if (this.#holding === 0) return url;
    const texts = this.#hosts.get(originOf(url));
    const shape = texts && numberShapeOf(url);
    const nothing = shape && texts.get(shape.shape);
    if (!nothing) return url;
    const isCovered = nothing.ends.some((end, i) =>
      end.covers(gaugeValue(i >> 1, shape.numbers, nothing.major)),
    );
    return isCovered && (xxh64(url) & TESTED) !== 0n ? nothing.url : url;
  }

  encode(): Uint8Array {
    const out = new FieldWriter();
    for (const [origin, texts] of this.#hosts) {
      out.text(origin);
      out.number(texts.size);
      for (const [shape, { sketch, url, major, varied, votes, same, others, ends }] of texts) {
        out.text(shape);
        out.bytes(new Uint8Array(sketch.buffer, sketch.byteOffset, sketch.byteLength));
        out.text(url);
        for (const n of [major, varied, votes, same, others, ends.length]) out.number(n);
        for (const end of ends) end.write(out);
      }
    }
    return out.finish();
  }

  /** Restores what `encode` returned, into an empty instance. */
  restore(bytes: Uint8Array): void {
    const fields = new FieldReader(bytes);
    while (!fields.atEnd) {
      const texts = this.#textsOf(fields.text());
      for (let left = fields.number(); left > 0; left--)
        texts.set(fields.text(), this.#restoreOne(fields));
    }
  }

  #restoreOne(fields: FieldReader): Nothing {
    const sketch = new Uint32Array(SKETCH_WORDS);
    new Uint8Array(sketch.buffer).set(fields.bytes());
    const url = fields.text();
    const [major, varied, votes, same, others] = Array.from({ length: 5 }, () => fields.number());
    const ends = Array.from({ length: fields.number() }, (_, i) =>
      NumberEnd.read(SIDES[i % 2], fields),
    );
    this.#holding += ends.filter(({ holds }) => holds).length;
    return { sketch, url, major, varied, votes, same, others, ends };
  }

  /** A text came twice in a shape, all others once: its range is that of all pages so far. */
  #begin(shape: NumberShape, earlier: NumberShape, url: string, sketch: Uint32Array): void {
    this.#reaches.widen(earlier); // it may have been evicted
    const { times, low, high } = this.#reaches.of(shape);
    const major = majorOf(high);
    const ends = Array.from({ length: gaugeCount(shape.numbers.length) }, (_, gauge) => [
      new NumberEnd('below', gaugeValue(gauge, low, major)),
      new NumberEnd('above', gaugeValue(gauge, high, major)),
    ]).flat();
    const varied = low.reduce((bits, least, i) => bits | (least === high[i] ? 0 : 1 << i), 0);
    const counts = { votes: 1, same: 2, others: Math.max(0, times - 3) };
    const texts = this.#textsOf(shape.origin);
    if (!texts.delete(shape.shape) && texts.size >= MOST_TEXTS) this.#forgetText(texts);
    const own = { sketch: sketch.slice(), url: ownCopy(url) };
    texts.set(ownCopy(shape.shape), { ...own, major, varied, ...counts, ends });
  }

  /**
   * A page with the text: beyond the range it is evidence. What is beyond the range of the first
   * gauge is no evidence for another.
   */
  #observeSame(nothing: Nothing, shape: NumberShape, url: string): EndChange[] {
    const { ends, major } = nothing;
    nothing.votes = Math.min(MOST_VOTES, nothing.votes + 1);
    nothing.same++;
    noteVaried(nothing, shape);
    this.#used(shape.origin);
    const changes: EndChange[] = [];
    for (const [i, end] of ends.entries()) {
      const value = gaugeValue(i >> 1, shape.numbers, major);
      if (!end.isBeyond(value)) continue;
      end.count(value);
      if (!end.holds && end.isProven(nothing, ends[i ^ 1])) {
        end.holds = true;
        this.#holding++;
        const rule = ruleOf(shape, i >> 1, end, major);
        changes.push({ rule, change: 'learned', pages: end.pages, examples: [nothing.url, url] });
      }
      if (i < 2) break;
    }
    return changes;
  }

  /** A page with another text: if it is beyond the range, the range is wider than was known. */
  #observeOther(nothing: Nothing, shape: NumberShape, url: string): EndChange[] {
    const { ends, major } = nothing;
    nothing.votes = Math.max(0, nothing.votes - 1);
    nothing.others++;
    noteVaried(nothing, shape);
    const changes: EndChange[] = [];
    for (const [i, end] of ends.entries()) {
      const value = gaugeValue(i >> 1, shape.numbers, major);
      if (!end.isBeyond(value)) continue;
      if (end.holds) {
        this.#holding--;
        const rule = ruleOf(shape, i >> 1, end, major);
        changes.push({ rule, change: 'withdrawn', pages: end.pages, examples: [nothing.url, url] });
      }
      ends[i] = end.movedTo(value);
    }
    return changes;
  }

  #textsOf(origin: string): Map<string, Nothing> {
    const known = this.#hosts.get(origin);
    if (known) return known;
    if (this.#hosts.size >= this.#mostHosts) this.#forgetHost();
    const made = new Map<string, Nothing>();
    this.#hosts.set(ownCopy(origin), made);
    return made;
  }

  #used(origin: string): void {
    const texts = this.#hosts.get(origin);
    if (!texts) return;
    this.#hosts.delete(origin);
    this.#hosts.set(ownCopy(origin), texts);
  }

  /** Evicts one of the least recently used hosts, if possible one without ends. */
  #forgetHost(): void {
    const [oldest] = this.#hosts.keys();
    let chosen = oldest;
    let looked = 0;
    for (const [origin, texts] of this.#hosts) {
      if (![...texts.values()].some(hasEnds)) {
        chosen = origin;
        break;
      }
      if (++looked === 64) break;
    }
    const texts = this.#hosts.get(chosen) ?? new Map<string, Nothing>();
    while (texts.size > 0) this.#forgetText(texts);
    this.#hosts.delete(chosen);
  }

  /** Evicts the oldest text without ends; if all have some, the oldest. */
  #forgetText(texts: Map<string, Nothing>): void {
    const all = [...texts];
    const [shape, { ends }] = all.find(([, nothing]) => !hasEnds(nothing)) ?? all[0];
    this.#holding -= ends.filter(({ holds }) => holds).length;
    texts.delete(shape);
  }
}

const hasEnds = ({ ends }: Nothing): boolean => ends.some(({ holds }) => holds);

/** A number that differs from that of the first page has varied. */
function noteVaried(nothing: Nothing, { numbers }: NumberShape): void {
  const first = numberShapeOf(nothing.url)?.numbers ?? [];
  for (const [i, number] of numbers.entries()) if (number !== first[i]) nothing.varied |= 1 << i;
}

/** `/calendar/#/#: numbers 1, 2 above 2028, 12` */
function ruleOf(
  { shape, numbers }: NumberShape,
  gauge: number,
  { side, bound }: NumberEnd,
  major: number,
): string {
  const { name, value } = gaugeName(gauge, numbers.length, major, bound);
  return `${shape}: ${name} ${side} ${value}`;
}
