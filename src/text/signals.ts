/**
 * Quality signals of a text: numbers by which others have filtered web text, and never verdicts.
 *
 * The list is the one place that names them: columns of a corpus, words of a filter and the table
 * in docs/text.md follow from it.
 */

interface Signal {
  /** The name in filters and columns. */
  readonly name: string;
  readonly type: 'integer' | 'share' | 'number';
  /** Whose rule it serves. */
  readonly from: 'gopher' | 'c4' | 'fineweb' | 'all';
  readonly meaning: string;
}

const signal = (
  from: Signal['from'],
  name: string,
  type: Signal['type'],
  meaning: string,
): Signal => ({ name, type, from, meaning });

/** All signals, in the order of the values that `signalsOf` gives. */
export const SIGNALS: readonly Signal[] = [
  signal('all', 'words', 'integer', 'words: runs of letters and digits; East Asian characters'),
  signal('all', 'characters', 'integer', 'characters (code points), line ends included'),
  signal('all', 'lines', 'integer', 'lines that are not blank'),
  signal('gopher', 'mean_word_length', 'number', 'characters a word'),
  signal('gopher', 'hash_ratio', 'number', '`#` per token; tokens are words and symbols'),
  signal('gopher', 'ellipsis_ratio', 'number', '`...` and `…` per token'),
  signal('gopher', 'bullet_lines', 'share', 'lines that begin with `•` or `-`'),
  signal('gopher', 'ellipsis_lines', 'share', 'lines that end with `...` or `…`'),
  signal('gopher', 'alphabetic_words', 'share', 'tokens with a letter'),
  signal('gopher', 'stop_words', 'integer', 'how many of `the be to of and that have with` occur'),
  signal('gopher', 'duplicate_lines', 'share', 'lines that stand above already'),
  signal('gopher', 'duplicate_line_characters', 'share', 'characters in such lines'),
  signal('gopher', 'duplicate_paragraphs', 'share', 'paragraphs that stand above already'),
  signal('gopher', 'duplicate_paragraph_characters', 'share', 'characters in such paragraphs'),
  ...[2, 3, 4].map((n) =>
    signal(
      'gopher',
      `top_${n}_gram`,
      'share',
      `characters in the most frequent ${n} tokens in a row`,
    ),
  ),
  ...[5, 6, 7, 8, 9, 10].map((n) =>
    signal('gopher', `duplicate_${n}_grams`, 'share', `characters in repeated runs of ${n} tokens`),
  ),
  signal('c4', 'sentences', 'integer', 'sentences'),
  signal('c4', 'c4_lines', 'share', 'lines that C4 keeps'),
  signal('c4', 'c4_sentences', 'integer', 'sentences in the lines that C4 keeps'),
  signal('c4', 'lorem_ipsum', 'integer', 'C4’s candidate lines with “lorem ipsum”'),
  signal('c4', 'brace_lines', 'integer', 'C4’s candidate lines with `{`'),
  signal('c4', 'policy_lines', 'integer', 'C4’s candidate lines about cookies, terms or privacy'),
  signal('c4', 'javascript_lines', 'integer', 'C4’s candidate lines with “javascript”'),
  signal('fineweb', 'line_punctuation', 'share', 'lines that end with terminal punctuation'),
  signal('fineweb', 'short_lines', 'share', 'lines of at most 30 characters'),
  signal(
    'fineweb',
    'repeated_characters',
    'share',
    'characters in repeated lines, of all but line ends',
  ),
  signal('fineweb', 'lines_per_word', 'number', 'line ends per token'),
];
