/**
 * Conditions on the columns of a corpus, in the language of filters.
 *
 *   language == en and words >= 50 and not opt_out == noai
 *
 * Idea      A column is a predicate of the filter language without arguments: a number, a text or a
 *           truth. The parts of a condition joined by `and` are asked in turn, so that a page that
 *           is left out can be counted by the part that did it.
 * Ensures   A comparison with a value that a page does not have is false, except `!=`. A misspelt
 *           column is refused with the nearest one, and so is one that is known too late.
 */
import { DrumlinError, EXIT } from '../base/errors.ts';
import { compile } from '../filter/compile.ts';
import { type Node, print } from '../filter/node.ts';
import { parseFilter } from '../filter/parse.ts';
import type { Predicate } from '../filter/predicate.ts';
import { AT, COLUMNS, type Row } from './columns.ts';

const WORDS = {
  expression: 'condition',
  name: 'column',
  list: '"drumlin corpus columns" lists them.',
};

const PREDICATES: ReadonlyMap<string, Predicate<Row>> = new Map(
  COLUMNS.map(({ name, kind, doc, late }): [string, Predicate<Row>] => {
    const at = AT[name];
    const gives = kind === 'text' ? 'text' : kind === 'truth' ? 'truth' : 'number';
    const example =
      gives === 'text' ? `${name} == word` : gives === 'truth' ? name : `${name} >= 10`;
    const value =
      gives === 'number'
        ? (row: Row) => (row[at] as number | null) ?? Number.NaN
        : gives === 'text'
          ? (row: Row) => (row[at] as string | null) ?? ''
          : (row: Row) => row[at] === true;
    const bind = () => {
      if (late) throw isLate(name);
      return value;
    };
    return [name, { name, gives, doc, example, parameters: [], from: 'store', bind }];
  }),
);

function isLate(name: string): DrumlinError {
  return new DrumlinError(
    'LATE_COLUMN',
    `No condition can use ${name}: it is known only after all pages were read.`,
    'Select by it in the finished corpus, or use --duplicates drop.',
    { exitCode: EXIT.usage },
  );
}

/** One of the parts that must all hold. */
export interface Condition {
  /** In its printed form. */
  readonly text: string;
  readonly holds: (row: Row) => boolean;
}

const NO_LISTS = {
  list: (): never => {
    throw new Error('columns have no lists');
  },
};

export function conditionsOf(text: string): Condition[] {
  const node = parseFilter<Row>(text, { predicates: PREDICATES, words: WORDS });
  return partsOf(node).map((part) => ({ text: print(part), holds: compile(part, NO_LISTS) }));
}

function partsOf(node: Node<Row>): readonly Node<Row>[] {
  return node.kind === 'and' ? node.parts.flatMap(partsOf) : [node];
}

export type PresetName = 'fineweb' | 'gopher' | 'c4';

const GOPHER_REPETITION = [
  'duplicate_lines <= 0.3 and duplicate_paragraphs <= 0.3',
  'duplicate_line_characters <= 0.2 and duplicate_paragraph_characters <= 0.2',
  'top_2_gram <= 0.2 and top_3_gram <= 0.18 and top_4_gram <= 0.16',
  'duplicate_5_grams <= 0.15 and duplicate_6_grams <= 0.14 and duplicate_7_grams <= 0.13',
  'duplicate_8_grams <= 0.12 and duplicate_9_grams <= 0.11 and duplicate_10_grams <= 0.1',
].join(' and ');

const GOPHER_QUALITY = [
  'words >= 50 and words <= 100000',
  'mean_word_length >= 3 and mean_word_length <= 10',
  'hash_ratio <= 0.1 and ellipsis_ratio <= 0.1',
  'bullet_lines <= 0.9 and ellipsis_lines <= 0.3',
  'alphabetic_words >= 0.8 and stop_words >= 2',
].join(' and ');

const C4 = 'c4_sentences >= 5 and lorem_ipsum == 0 and brace_lines == 0';

/**
 * The filters of well-known corpora as conditions; docs/text.md states where the signals differ.
 */
export const PRESETS: Readonly<Record<PresetName, string>> = {
  gopher: `${GOPHER_REPETITION} and ${GOPHER_QUALITY}`,
  c4: C4,
  fineweb: [
    'language == en and language_score >= 0.65',
    GOPHER_REPETITION,
    GOPHER_QUALITY,
    'lorem_ipsum == 0 and brace_lines == 0',
    'line_punctuation >= 0.12 and short_lines <= 0.67',
    'repeated_characters <= 0.01 and lines_per_word <= 0.3',
  ].join(' and '),
};
