/**
 * How a site writes on a web that deceives: its genre, and the trick of a spammer.
 *
 * Idea      Honest sites are not all prose: some are price lists, glossaries, lists of tags or of
 *           links. Spammers' text lies between these. The strength of a trick is the share of the
 *           paragraphs that it spoils, and weak tricks are as frequent as strong ones, so that no
 *           single feature of the text separates the two. Who uses a trick wants to be found, so
 *           such a site is about what people search for. Layouts are drawn alike for all.
 * Ensures   a pure function of seed and domain.
 * Cost      about 1 µs; kept with the domain.
 */
import { popularTopic } from '../words/queries.ts';
import { hash, TAG, unit } from '../words/random.ts';
import { TOPICS } from '../words/vocabulary.ts';

/** What a spammer does with the text; `none` leaves it as honest as any other. */
export type Trick =
  | 'none'
  | 'stuffed'
  | 'shuffled'
  | 'woven'
  | 'template'
  | 'fluent'
  | 'hidden'
  | 'cloaked';

export type Genre = 'article' | 'prices' | 'glossary' | 'tags' | 'links' | 'digest';

export interface Manner {
  readonly genre: Genre;
  /** Share of the paragraphs written in that genre rather than in prose. */
  readonly pure: number;
  /** Absent on honest sites. */
  readonly trick?: Trick;
  /** Share of the text that the trick spoils; 0 without one. */
  readonly strength: number;
  /** Some of its pages carry the spam of others. */
  readonly compromised: boolean;
  /** The topic of its text, its titles and its paths. */
  readonly topic: number;
  /** Topics that it writes about now and then. */
  readonly sides: readonly number[];
  readonly layout: number;
  /** Its titles have one phrase and up to so many more. */
  readonly titlePhrases: number;
}

/** What the kind of a spam domain decides: the tricks of its makers, and which group it is of. */
interface Maker {
  readonly tricks: readonly Trick[];
  readonly group: number;
}

/** Who asks for a page: cloaked sites show crawlers another one. */
export type Visitor = 'crawler' | 'browser';

/** What a visitor gets to see of a site. */
export function shownTo(manner: Manner | undefined, visitor: Visitor): Manner | undefined {
  return manner?.trick === 'cloaked' && visitor === 'browser'
    ? { ...manner, trick: 'template', strength: 1 }
    : manner;
}

export const LAYOUTS = 5;
const SIDES = 6;
/** One honest domain in this many is compromised, and then one page in `COMPROMISED_PAGES`. */
const COMPROMISED = 60;
const COMPROMISED_PAGES = 3;

const GENRES: readonly (readonly [Genre, number])[] = [
  ['article', 66],
  ['prices', 9],
  ['tags', 7],
  ['glossary', 6],
  ['links', 6],
  ['digest', 6],
];

export function mannerOf(seed: number, index: number, topic: number, maker?: Maker): Manner {
  const draw = (what: number): number => hash(seed, TAG.manner, index, what);
  const pure = 0.2 + 0.8 * unit(draw(1));
  const common = {
    genre: genreOf(draw(0) % 100),
    pure,
    titlePhrases: 1 + (draw(2) % 4),
  };
  const sides = Array.from({ length: SIDES }, (_, i) => draw(10 + i));
  const anySides = sides.map((side) => side % TOPICS.length);
  if (!maker)
    return {
      ...common,
      strength: 0,
      topic,
      sides: anySides,
      layout: draw(3) % LAYOUTS,
      compromised: draw(4) % COMPROMISED === 0,
    };
  const trick = trickOf(seed, index, maker);
  return {
    ...common,
    trick,
    strength: trick === 'none' ? 0 : strengthOf(unit(draw(5))),
    topic: trick === 'none' ? topic : popularTopic(unit(draw(7))),
    sides: trick === 'none' ? anySides : sides.map((side) => popularTopic(unit(side))),
    layout: (draw(8) % 3 === 0 ? draw(3) : hash(seed, TAG.layout, maker.group)) % LAYOUTS,
    compromised: false,
  };
}

/** From nearly nothing to nearly all. */
const strengthOf = (u: number): number => 0.04 + 0.9 * u * u;

/** The makers of a group have a favourite trick, and try the others on every second domain. */
function trickOf(seed: number, index: number, { tricks, group }: Maker): Trick {
  const own = hash(seed, TAG.trick, index);
  const draw = own % 2 === 0 ? hash(seed, TAG.trick, -1, group) : own >>> 1;
  return tricks[draw % tricks.length];
}

function genreOf(percent: number): Genre {
  let sum = 0;
  for (const [genre, share] of GENRES) {
    sum += share;
    if (percent < sum) return genre;
  }
  return 'article';
}

/** Whether a page of a compromised site carries the spam of others; never its home page. */
export function carriesSpam(
  seed: number,
  index: number,
  page: number,
  manner: Manner | undefined,
): boolean {
  return (
    manner?.compromised === true &&
    page > 0 &&
    hash(seed, TAG.manner, index, page, 99) % COMPROMISED_PAGES === 0
  );
}
