/**
 * Beyond which number there is nothing: calendars, lists, anything that goes on without end.
 *
 *   /calendar/#/#/#   …, 2024, [ 2025 … 2028 ], 2029, 2030, …      below and above: one text, "nothing on this day"
 *
 * Idea      When two pages of one shape (`number-shapes.ts`) have one text, that text may be what is said where there is nothing. From then
 *           on the numbers of the pages that say something else are its range, and it is counted how many pages with the text come from
 *           beyond, for each number (`gauges.ts`), below and above. That side is an end once chance cannot explain it: if k pages said
 *           something else and a share s of all pages lay within, all k lay within by chance with probability s^k. A calendar
 *           with something every sixth day needs 41 empty days beyond, one with something once a month 200.
 *           Whatever lies as far out as the sixteenth of those pages, or farther, becomes the first page with the text, which everybody
 *           has. Within the range nothing is changed, however empty it is: any day may have something.
 *           One URL in 128 passes unchanged, and one page beyond an end that says something else moves the range: then only
 *           what was counted farther out still counts.
 * Requires  pages in the order in which `Reaches` and the index of similar pages were given them.
 * Ensures   memory is bounded: so many hosts, so many texts a host; those without ends are forgotten first. `rewrite` is idempotent.
 * Cost      nothing for hosts without ends; about 1 µs a link for one with some.
 */
import { FieldReader, FieldWriter } from '../disk/fields.ts';
import { xxh64 } from '../url/xxh64.ts';
import { type Fingerprint, SAME_TEXT, SKETCH_WORDS, similarity } from './fingerprint.ts';
import { gaugeCount, gaugeName, gaugeValue, majorOf } from './gauges.ts';
import { type NumberShape, numberShapeOf, Reaches } from './number-shapes.ts';
import { onesIn } from './ones.ts';
import { ownCopy } from './own-copy.ts';
import type { SimilarPage } from './similar-pages.ts';
import { type RuleChange, TESTED } from './trap-rules.ts';

const MOST_HOSTS = 1024;
const MOST_TEXTS = 8;
/** How unlikely it must be that what is beyond an end is so by chance. */
const CHANCE = 1e-3;
/** Beyond an end there are at least so many pages with the text, with so many different numbers; within, so many that say something else. */
const ENOUGH = 16;
const ENOUGH_NUMBERS = 3;
const ENOUGH_OTHERS = 3;
/**
 * Where nothing was ever said but the text, chance cannot be told; then so many, and one number only differs among them. More than a month has
 * days: of days in two empty months two numbers differ.
 */
const ENOUGH_OF_ONE = 32;
/** A text is given up for another that came twice when so many more pages had none of it. */
const MOST_VOTES = 64;
const LONGEST_URL = 512;
const MARKS = 31;

/** One side of one gauge. */
interface End {
  /** The outermost value of a page that says something else. */
  bound: number;
  /** Pages with the text beyond it, since it is where it is; and which values they had, a bit each by their remainder. */
  pages: number;
  marks: number;
  /** The values of those of these pages that are nearest to the bound, in their order outwards. */
  readonly nearest: number[];
  holds: boolean;
}

/** The text that stands for nothing, in a shape. */
interface Nothing {
  readonly sketch: Uint32Array;
  /** The first page that had it. */
  readonly url: string;
  /** Which number counts before the others. */
  readonly major: number;
  /** The numbers that were not always the same, a bit each. */
  varied: number;
  /** How many more pages had it than had another, up to a limit. */
  votes: number;
  /** How many pages had it, and how many another. */
  same: number;
  others: number;
  /** Of each gauge two, below and above. */
  readonly ends: End[];
}

export interface EndChange {
  readonly rule: string;
  readonly change: RuleChange;
  /** Pages with the text beyond. */
  readonly pages: number;
  readonly examples: readonly string[];
}

export class NumberEnds {
  readonly #reaches: Reaches;
  readonly #mostHosts: number;
  /** By origin and shape; the host that was used last at the end. */
  readonly #hosts = new Map<string, Map<string, Nothing>>();
  #holding = 0;

  /** Remembers how far the numbers of so many shapes reach. */
  constructor(shapes: number, mostHosts = MOST_HOSTS) {
    this.#reaches = new Reaches(shapes);
    this.#mostHosts = mostHosts;
  }

  /** Nothing was learned of anybody. */
  get isEmpty(): boolean {
    return this.#holding === 0;
  }

  /** A page as before a restart. */
  enter(url: string): void {
    const shape = numberShapeOf(url);
    if (shape) this.#reaches.widen(shape);
  }

  /** A page came, and `near` is the page most like it. `isRelated` if that has the same shape and the same text. */
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
    if (isSame) changes = this.#met(known, shape, url);
    else if (known && (known.votes > 0 || !isRelated || hasEnds(known)))
      changes = this.#missed(known, shape, url);
    else if (isRelated && near && near.url.length <= LONGEST_URL)
      this.#begin(shape, earlier, near.url, sketch);
    return { isRelated, changes };
  }

  /** The URL that stands for all beyond an end; most URLs stand for themselves. */
  rewrite(url: string): string {
    if (this.#holding === 0) return url;
    const shape = numberShapeOf(url);
    const nothing = shape && this.#hosts.get(shape.origin)?.get(shape.shape);
    if (!nothing) return url;
    const isBeyondEnd = nothing.ends.some((end, i) => {
      const value = gaugeValue(i >> 1, shape.numbers, nothing.major);
      const from = end.nearest[end.nearest.length - 1];
      return end.holds && (value === from || isBeyond(from, i, value));
    });
    return isBeyondEnd && (xxh64(url) & TESTED) !== 0n ? nothing.url : url;
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
        for (const { bound, pages, marks, nearest, holds } of ends) {
          out.time(bound);
          for (const n of [pages, marks, holds ? 1 : 0, nearest.length]) out.number(n);
          for (const value of nearest) out.time(value);
        }
      }
    }
    return out.finish();
  }

  /** Takes what `encode` made, into an empty one. */
  restore(bytes: Uint8Array): void {
    const fields = new FieldReader(bytes);
    while (!fields.atEnd) {
      const texts = this.#textsOf(fields.text());
      for (let left = fields.number(); left > 0; left--) texts.set(fields.text(), this.#restoreOne(fields));
    }
  }

  #restoreOne(fields: FieldReader): Nothing {
    const sketch = new Uint32Array(SKETCH_WORDS);
    new Uint8Array(sketch.buffer).set(fields.bytes());
    const url = fields.text();
    const [major, varied, votes, same, others] = Array.from({ length: 5 }, () => fields.number());
    const ends = Array.from({ length: fields.number() }, () => {
      const bound = fields.time();
      const [pages, marks, holds] = [fields.number(), fields.number(), fields.number() === 1];
      const nearest = Array.from({ length: fields.number() }, () => fields.time());
      if (holds) this.#holding++;
      return { bound, pages, marks, nearest, holds };
    });
    return { sketch, url, major, varied, votes, same, others, ends };
  }

  /** A text came twice in a shape, all others once: its range is that of all pages up to now. */
  #begin(shape: NumberShape, earlier: NumberShape, url: string, sketch: Uint32Array): void {
    this.#reaches.widen(earlier); // it may have been forgotten
    const { times, low, high } = this.#reaches.of(shape);
    const major = majorOf(high);
    const ends = Array.from({ length: gaugeCount(shape.numbers.length) }, (_, gauge) => [
      newEnd(gaugeValue(gauge, low, major)),
      newEnd(gaugeValue(gauge, high, major)),
    ]).flat();
    const varied = low.reduce((bits, least, i) => bits | (least === high[i] ? 0 : 1 << i), 0);
    const counts = { votes: 1, same: 2, others: Math.max(0, times - 3) };
    const texts = this.#textsOf(shape.origin);
    if (!texts.delete(shape.shape) && texts.size >= MOST_TEXTS) this.#forgetText(texts);
    const own = { sketch: sketch.slice(), url: ownCopy(url) };
    texts.set(ownCopy(shape.shape), { ...own, major, varied, ...counts, ends });
  }

  /** A page with the text: from beyond, it is evidence. What is beyond the range of the first gauge is no evidence for another. */
  #met(nothing: Nothing, shape: NumberShape, url: string): EndChange[] {
    const { ends, major } = nothing;
    nothing.votes = Math.min(MOST_VOTES, nothing.votes + 1);
    nothing.same++;
    noteVaried(nothing, shape);
    this.#used(shape.origin);
    const changes: EndChange[] = [];
    for (const [i, end] of ends.entries()) {
      const value = gaugeValue(i >> 1, shape.numbers, major);
      if (!isBeyond(end.bound, i, value)) continue;
      keepNearest(end.nearest, i, value);
      end.pages++;
      end.marks |= markOf(value);
      if (!end.holds && isEnd(end, nothing)) {
        end.holds = true;
        this.#holding++;
        const rule = ruleOf(shape, i, end.bound, major);
        changes.push({ rule, change: 'learned', pages: end.pages, examples: [nothing.url, url] });
      }
      if (i < 2) break;
    }
    return changes;
  }

  /** A page that says something else: if it is beyond, the range is wider than was known. */
  #missed(nothing: Nothing, shape: NumberShape, url: string): EndChange[] {
    const { ends, major } = nothing;
    nothing.votes = Math.max(0, nothing.votes - 1);
    nothing.others++;
    noteVaried(nothing, shape);
    const changes: EndChange[] = [];
    for (const [i, end] of ends.entries()) {
      const value = gaugeValue(i >> 1, shape.numbers, major);
      if (!isBeyond(end.bound, i, value)) continue;
      if (end.holds) {
        this.#holding--;
        const rule = ruleOf(shape, i, end.bound, major);
        changes.push({ rule, change: 'withdrawn', pages: end.pages, examples: [nothing.url, url] });
      }
      ends[i] = movedTo(end, i, value);
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

  /** Of the few that were used longest ago, one without ends, if there is any. */
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

  /** The oldest without ends; if all have some, the oldest. */
  #forgetText(texts: Map<string, Nothing>): void {
    const all = [...texts];
    const [shape, { ends }] = all.find(([, nothing]) => !hasEnds(nothing)) ?? all[0];
    this.#holding -= ends.filter(({ holds }) => holds).length;
    texts.delete(shape);
  }
}

const newEnd = (bound: number): End => ({ bound, pages: 0, marks: 0, nearest: [], holds: false });
const hasEnds = ({ ends }: Nothing): boolean => ends.some(({ holds }) => holds);

/** Ends stand by twos: below a value, and above it. */
const isBeyond = (bound: number, i: number, value: number): boolean =>
  i % 2 === 0 ? value < bound : value > bound;

/** The end when its bound moves outwards: the pages that are still beyond it count, as far as that is known. */
function movedTo({ pages, nearest }: End, i: number, bound: number): End {
  const left = nearest.filter((value) => isBeyond(bound, i, value));
  // Those that are not among the nearest are farther out than all that are.
  if (left.length === 0) return newEnd(bound);
  const marks = left.reduce((bits, value) => bits | markOf(value), 0);
  return { bound, pages: pages - (nearest.length - left.length), marks, nearest: left, holds: false };
}

const markOf = (value: number): number => 1 << (value % MARKS);

/** Enters a value where it belongs, outwards; of more than enough the outermost goes. */
function keepNearest(nearest: number[], i: number, value: number): void {
  let at = nearest.length;
  while (at > 0 && isBeyond(value, i, nearest[at - 1])) at--;
  if (at < ENOUGH) nearest.splice(at, 0, value);
  if (nearest.length > ENOUGH) nearest.pop();
}

/** Whether what was counted beyond a value makes it an end. */
function isEnd({ pages, marks, nearest }: End, { same, others, varied }: Nothing): boolean {
  if (nearest.length < ENOUGH || onesIn(marks) < ENOUGH_NUMBERS) return false;
  if (others === 0) return pages >= ENOUGH_OF_ONE && onesIn(varied) === 1;
  const all = same + others;
  return others >= ENOUGH_OTHERS && others * Math.log((all - pages) / all) < Math.log(CHANCE);
}

/** A number that is not what the text began with has varied. */
function noteVaried(nothing: Nothing, { numbers }: NumberShape): void {
  const first = numberShapeOf(nothing.url)?.numbers ?? [];
  for (const [i, number] of numbers.entries()) if (number !== first[i]) nothing.varied |= 1 << i;
}

/** `/calendar/#/#: number 1 above 2028` */
function ruleOf({ shape, numbers }: NumberShape, i: number, bound: number, major: number): string {
  const { name, value } = gaugeName(i >> 1, numbers.length, major, bound);
  return `${shape}: ${name} ${i % 2 === 0 ? 'below' : 'above'} ${value}`;
}
