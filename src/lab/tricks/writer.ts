/**
 * Writes the paragraphs of a site in its manner.
 *
 * Idea      A paragraph is a stretch of one tape: of the trick, of the genre, of another topic, or
 *           of plain prose. Chance decides which, so the strength of a trick is a share of the
 *           paragraphs, and a page costs as much as one of a web that does not deceive.
 */
import { popularTopic } from '../words/queries.ts';
import type { Random } from '../words/random.ts';
import { early, type Style } from '../words/styles.ts';
import { type Pool, Reader } from '../words/text.ts';
import type { Genre, Manner, Trick } from './manner.ts';

/** Share of the paragraphs about another topic, on any site. */
const ASIDE = 0.16;
/** Sentences of a woven paragraph come from this many topics. */
const WOVEN = 3;

const GENRE_STYLES: Readonly<Partial<Record<Genre, Style>>> = {
  prices: 'prices',
  glossary: 'glossary',
  tags: 'tags',
};
/** A cloaked page is made for crawlers: fluent, and now and then stuffed. */
const TRICK_STYLES: Readonly<Partial<Record<Trick, readonly Style[]>>> = {
  stuffed: ['stuffed'],
  shuffled: ['shuffled'],
  template: ['template'],
  fluent: ['fluent'],
  cloaked: ['fluent', 'stuffed', 'plain'],
};

export class Writer {
  readonly #manner: Manner;
  readonly #random: Random;
  readonly #poolOf: (topic: number) => Pool;
  readonly #readers = new Map<string, Reader>();

  /** `poolOf` gives the words of a topic, in the language of the site. */
  constructor(manner: Manner, poolOf: (topic: number) => Pool, random: Random) {
    this.#manner = manner;
    this.#poolOf = poolOf;
    this.#random = random;
  }

  /** About `bytes` of running text: whole sentences, at least one. */
  read(bytes: number): string {
    const { trick, strength, genre, pure, topic, sides } = this.#manner;
    const random = this.#random;
    if (strength > 0 && random.unit() < strength) {
      if (trick === 'woven') return this.#woven(bytes);
      const styles = trick && TRICK_STYLES[trick];
      if (styles) return this.#reader(topic, styles[random.below(styles.length)]).read(bytes);
    }
    if (genre !== 'article' && random.unit() < pure) {
      if (genre === 'digest') return this.#reader(this.#anyTopic(), 'plain').read(bytes);
      const style = GENRE_STYLES[genre];
      if (style) return this.#reader(topic, style).read(bytes);
    }
    const about = random.unit() < ASIDE ? sides[random.below(sides.length)] : topic;
    return this.#reader(about, 'plain').read(bytes);
  }

  /** About `bytes` of searched words, for text that no visitor sees. */
  stuffing(bytes: number): string {
    return this.#reader(this.#manner.topic, 'stuffed').read(bytes);
  }

  /** More words for a title, if a trick is strong enough to want them. */
  titleWords(): string {
    const { trick, strength, topic } = this.#manner;
    if (!trick || !TITLE_TRICKS.has(trick) || this.#random.unit() >= strength) return '';
    const { searched } = this.#poolOf(topic);
    const words = Array.from({ length: 1 + this.#random.below(5) }, () =>
      early(searched, this.#random),
    );
    return ` ${words.join(' ')}`;
  }

  #anyTopic(): number {
    return popularTopic(this.#random.unit());
  }

  #woven(bytes: number): string {
    let text = '';
    for (let i = 0; i < WOVEN; i++)
      text += this.#reader(this.#anyTopic(), 'plain').read(bytes / WOVEN);
    return text;
  }

  #reader(topic: number, style: Style): Reader {
    const key = `${style} ${topic}`;
    let reader = this.#readers.get(key);
    if (!reader) {
      reader = new Reader(this.#poolOf(topic), this.#random, style);
      this.#readers.set(key, reader);
    }
    return reader;
  }
}

const TITLE_TRICKS: ReadonlySet<Trick> = new Set(['stuffed', 'hidden', 'template', 'cloaked']);
