/**
 * Ways to write on a web that deceives: honest prose and lists, and what spammers make of them.
 *
 * Idea      Prose repeats itself in small ways: writers have turns of phrase. Here a topic has some
 *           hundred of them, so that the word trigrams of prose can be told from shuffled words.
 *           Each other style is a generator of sentences over the same words.
 * Ensures   the words of one topic and language; searched words only where a style says so.
 */
import type { Random } from './random.ts';

/** Honest: plain, prices, glossary, tags. By spammers: stuffed, shuffled, template, fluent. */
export const STYLES = [
  'plain',
  'prices',
  'glossary',
  'tags',
  'stuffed',
  'shuffled',
  'template',
  'fluent',
] as const;
export type Style = (typeof STYLES)[number];

/** The words of a topic in a language, as bytes. */
export interface Stock {
  readonly common: readonly string[];
  readonly typical: readonly string[];
  /** What people search for in this language, the most searched first. */
  readonly searched: readonly string[];
  readonly trade: readonly string[];
  /** Any word, as often as prose has it. */
  readonly word: () => string;
  readonly name: () => string;
  readonly capital: (text: string) => string;
  readonly random: Random;
}

const TURNS = 700;
const SEARCHED = 160;
/** Sentences that shuffled text takes its words from at a time. */
const SHUFFLED_SENTENCES = 6;
/** A template writes this many sentences, then another one takes over. */
const TEMPLATE_RUN = 28;
const CHAIN_WORDS = 2600;

/** A source of sentences in a style; each ends with a full stop and a space. */
export function sentencesOf(style: Style, stock: Stock): () => string {
  return MAKERS[style](stock);
}

const MAKERS: Readonly<Record<Style, (stock: Stock) => () => string>> = {
  plain: (stock) => {
    const clause = clauses(stock);
    return () => `${stock.capital(clause())}, ${clause()}. `;
  },
  prices,
  glossary,
  tags,
  stuffed,
  shuffled,
  template,
  fluent,
};

/** Draws the first of a list most often. */
export function early<T>(list: readonly T[], random: Random): T {
  const u = random.unit();
  return list[Math.floor(u * u * list.length)];
}

/** Clauses of two or three turns of phrase, at times with a word between. */
function clauses({ word, random }: Stock): () => string {
  const turns = Array.from({ length: TURNS }, () =>
    Array.from({ length: 2 + random.below(3) }, word).join(' '),
  );
  return () => {
    let clause = early(turns, random);
    for (let n = 1 + random.below(2); n > 0; n--) {
      if (random.below(3) === 0) clause += ` ${word()}`;
      clause += ` ${early(turns, random)}`;
    }
    return clause;
  };
}

/** Rows of goods: a name, some words, a price. */
function prices({ common, typical, trade, name, capital, random }: Stock): () => string {
  return () => {
    const price = `${1 + random.below(400)}.${random.below(3) === 0 ? '00' : 10 + random.below(90)}`;
    const words = [early(typical, random), early(common, random), name()];
    if (random.below(3) === 0) words.push(early(trade, random), early(typical, random));
    return `${capital(words.join(' '))} ${price}. `;
  };
}

/** A term, then a short explanation. */
function glossary(stock: Stock): () => string {
  const { typical, common, name, capital, random } = stock;
  const clause = clauses(stock);
  return () => {
    const term = random.below(3) === 0 ? name() : early(random.below(2) ? typical : common, random);
    return `${capital(term)}: ${clause()}. `;
  };
}

/** Lists of words without grammar: the words of the topic again and again. */
function tags({ common, typical, name, capital, random }: Stock): () => string {
  return () => {
    const words = Array.from({ length: 8 + random.below(8) }, () => {
      const kind = random.below(10);
      return kind < 6 ? early(typical, random) : kind < 8 ? early(common, random) : name();
    });
    return `${capital(words.join(', '))}. `;
  };
}

/** One searched word between others, many times. */
function stuffed({ common, typical, searched, trade, capital, random }: Stock): () => string {
  const wanted = searched.slice(0, SEARCHED);
  return () => {
    const head = early(wanted, random);
    const words = Array.from({ length: 8 + random.below(8) }, () => {
      const kind = random.below(20);
      if (kind < 5) return head;
      if (kind < 10) return early(wanted, random);
      if (kind < 13) return early(trade, random);
      return kind < 16 ? early(typical, random) : early(common, random);
    });
    return `${capital(words.join(' '))}. `;
  };
}

/** The words of prose in any order. */
function shuffled(stock: Stock): () => string {
  const { random, capital, searched } = stock;
  const clause = clauses(stock);
  let left: string[] = [];
  return () => {
    if (left.length < 20) {
      left = Array.from({ length: 2 * SHUFFLED_SENTENCES }, clause)
        .join(' ')
        .split(' ');
      for (let i = 0; i < left.length; i += 12) left[i] = early(searched, random);
      for (let i = left.length - 1; i > 0; i--) {
        const j = random.below(i + 1);
        [left[i], left[j]] = [left[j], left[i]];
      }
    }
    return `${capital(left.splice(0, 12 + random.below(8)).join(' '))}. `;
  };
}

/** One sentence with slots, filled with searched words and words of trade. */
function template(stock: Stock): () => string {
  const { random, capital, searched, trade, typical } = stock;
  const clause = clauses(stock);
  const wanted = searched.slice(0, SEARCHED);
  let skeletons: string[][] = [];
  let left = 0;
  return () => {
    if (left-- === 0) {
      left = TEMPLATE_RUN;
      skeletons = Array.from({ length: 5 }, () => `${clause()} ${clause()}`.split(' '));
    }
    const words = [...skeletons[random.below(skeletons.length)]];
    for (let at = 1; at < words.length; at += 4)
      words[at] = early([wanted, trade, typical][random.below(3)], random);
    return `${capital(words.join(' '))}. `;
  };
}

/** A chain of words: each follows the two before it somewhere in some pages of prose. */
function fluent(stock: Stock): () => string {
  const { random, capital, searched } = stock;
  const clause = clauses(stock);
  const text: string[] = [];
  while (text.length < CHAIN_WORDS) text.push(...clause().split(' '));
  const next = new Map<string, string[]>();
  const add = (key: string, word: string): void => {
    const known = next.get(key);
    if (known) known.push(word);
    else next.set(key, [word]);
  };
  for (let i = 2; i < text.length; i++) {
    add(`${text[i - 2]} ${text[i - 1]}`, text[i]);
    add(text[i - 1], text[i]);
  }
  let at = 2;
  let [before, last] = [text[0], text[1]];
  return () => {
    const words: string[] = [];
    for (let n = 10 + random.below(8); n > 0; n--) {
      const pair = random.below(5) > 0 ? next.get(`${before} ${last}`) : undefined;
      const choices = pair ?? next.get(last);
      const word = choices ? choices[random.below(choices.length)] : text[at++ % text.length];
      [before, last] = [last, word];
      words.push(random.below(14) === 0 ? early(searched, random) : word);
    }
    return `${capital(words.join(' '))}. `;
  };
}
