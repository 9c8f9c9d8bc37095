/**
 * A query as a user writes it.
 *
 *   arab spring -stocks "no fly zone" title:libya site:gov.ly egypt or tunisia protest*
 *
 * Words and phrases all must match. `or` joins the two beside it; `-` excludes what follows.
 * `title:` matches in titles only, `site:` a host or the end of one. A word in which punctuation or
 * an East Asian script makes several terms is a phrase.
 */
import { DrumlinError } from '../../base/errors.ts';
import { formatCount } from '../../base/units.ts';
import { wordsIn } from '../store/words.ts';

/** A word, a prefix, a phrase or a site. */
export type Atom =
  | {
      /** An exact word is one in quotation marks: no other form of it counts. */
      readonly kind: 'word' | 'exact' | 'prefix';
      readonly word: string;
      readonly inTitle: boolean;
    }
  | {
      readonly kind: 'phrase';
      readonly words: readonly string[];
      readonly inTitle: boolean;
      /** Whether the user wrote quotation marks. */
      readonly quoted: boolean;
    }
  | { readonly kind: 'site'; readonly site: string };

export interface Query {
  /** Every clause must match; a clause matches if one of its atoms does. */
  readonly clauses: readonly (readonly Atom[])[];
  readonly excluded: readonly Atom[];
}

const TOKEN = /(-?)(?:(title|site):)?(?:"([^"]*)("?)|([^\s"]+))/giy;

/**
 * Longer queries are accidents or attacks: each word, and each word of a prefix, is a list to read.
 */
const [MOST_CHARACTERS, MOST_WORDS, MOST_PREFIXES] = [1000, 100, 8];

export function parseQuery(text: string): Query {
  if (text.length > MOST_CHARACTERS) throw tooLong(text.length, 'characters', MOST_CHARACTERS);
  const clauses: Atom[][] = [];
  const excluded: Atom[] = [];
  let joins: 'no' | 'next' = 'no';
  let before: Atom[] | undefined;
  for (const token of tokensOf(text)) {
    if (token === 'or') {
      if (before === undefined || joins === 'next') throw wrongOr();
      joins = 'next';
      continue;
    }
    const { excludes, atom } = token;
    if (atom === undefined) continue;
    if (excludes) {
      if (joins === 'next') throw wrongOr();
      excluded.push(atom);
      before = undefined;
    } else if (joins === 'next' && before) before.push(atom);
    else {
      before = [atom];
      clauses.push(before);
    }
    joins = 'no';
  }
  if (joins === 'next') throw wrongOr();
  const atoms = [...clauses.flat(), ...excluded];
  const words = atoms.reduce((sum, each) => sum + ('words' in each ? each.words.length : 1), 0);
  if (words > MOST_WORDS) throw tooLong(words, 'words', MOST_WORDS);
  const prefixes = atoms.filter(({ kind }) => kind === 'prefix').length;
  if (prefixes > MOST_PREFIXES) throw tooLong(prefixes, 'words with *', MOST_PREFIXES);
  return { clauses, excluded };
}

function tooLong(count: number, what: string, most: number): DrumlinError {
  return new DrumlinError(
    'QUERY',
    `The query is too long: it has ${formatCount(count)} ${what}.`,
    `Use ${formatCount(most)} ${what} at most.`,
  );
}

type Token = 'or' | { readonly excludes: boolean; readonly atom: Atom | undefined };

function* tokensOf(text: string): Generator<Token> {
  TOKEN.lastIndex = 0;
  for (let at = 0; at < text.length; ) {
    if (/\s/.test(text[at])) {
      at++;
      continue;
    }
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(text);
    if (match === null) {
      at++;
      continue;
    }
    at = TOKEN.lastIndex;
    const [whole, minus, field = '', phrase, end, word] = match;
    if (phrase !== undefined && end === '')
      throw new DrumlinError(
        'QUERY',
        `The quotation that begins with "${phrase.trim().slice(0, 30)} has no end.`,
        'Write a quotation mark behind its last word.',
      );
    if (whole.toLowerCase() === 'or') yield 'or';
    else yield { excludes: minus === '-', atom: atomOf(field.toLowerCase(), phrase, word) };
  }
}

function atomOf(field: string, phrase: string | undefined, word: string | undefined) {
  if (field === 'site' || word?.toLowerCase() === 'site:')
    return siteOf(field === '' ? '' : (phrase ?? word ?? ''));
  const inTitle = field === 'title';
  const text = phrase ?? word ?? '';
  const words = wordsIn(text);
  if (words.length === 0) return undefined;
  if (words.length > 1) {
    const quoted = phrase !== undefined;
    return { kind: 'phrase', words, inTitle, quoted } as const;
  }
  const kind = phrase !== undefined ? 'exact' : text.endsWith('*') ? 'prefix' : 'word';
  return { kind, word: words[0], inTitle } as const;
}

/** A host or the end of one, as a user writes it: `.gov.ly`, `gov.ly`, `https://gov.ly/`. */
export function siteOf(text: string): Atom {
  const site = text
    .toLowerCase()
    .replace(/^[a-z]+:\/\//, '')
    .replace(/[/?#].*$/, '')
    .replace(/^\*?\./, '');
  if (site === '')
    throw new DrumlinError(
      'QUERY',
      `"site:${text}" names no site.`,
      'Write a host, or the end of one, such as site:example.org or site:.gov.ly.',
    );
  return { kind: 'site', site };
}

function wrongOr(): DrumlinError {
  return new DrumlinError(
    'QUERY',
    '"or" does not stand between two words.',
    'Write it between two words or phrases; to search for the word itself, write "or" in quotation marks.',
  );
}
