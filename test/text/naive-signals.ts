/** All signals of a text, written as their definitions read: the model of src/text. */
import { SIGNALS } from '../../src/text/signals.ts';

const STOP_WORDS = ['the', 'be', 'to', 'of', 'and', 'that', 'have', 'with'];
const POLICIES = [
  'terms of use',
  'privacy policy',
  'cookie policy',
  'uses cookies',
  'use of cookies',
  'use cookies',
];
const TOKEN =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}](?<=\p{L})|(?:(?![\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}])\p{L}|\p{N})(?:(?!(?=\p{L})[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}])[\p{L}\p{N}\p{M}])*|[^\s\x00-\x1f\x85]/gu;

const isWord = (token: string) => /^[\p{L}\p{N}]/u.test(token);
const length = (text: string) => [...text].length;

export function naiveTokens(text: string): string[] {
  const tokens: string[] = [];
  let lastEnd = -1;
  for (const match of text.matchAll(TOKEN)) {
    const [token] = match;
    const at = match.index;
    const [left, right] = [text.charAt(at - 1), text.charAt(at + 1)];
    const plain = (c: string) =>
      /^\p{L}$/u.test(c) && !/[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}]/u.test(c);
    const previous = tokens.at(-1);
    if ((token === "'" || token === '’') && plain(left) && plain(right)) continue;
    // A run of one symbol is one token.
    if (!isWord(token) && token.length === 1 && lastEnd === at && previous?.startsWith(token))
      tokens[tokens.length - 1] += token;
    else tokens.push(token);
    lastEnd = at + token.length;
  }
  return tokens;
}

export function naiveWords(text: string): string[] {
  return naiveTokens(text).filter(isWord);
}

export function naiveSentences(line: string): number {
  const ends = [
    ...line.matchAll(/(\p{Sentence_Terminal}+)(["'”’»)\]」』）]*)(?:(?=([\s\x00-\x1f\x85]|$))|)/gu),
  ].filter(([, run, , follows]) => follows !== undefined || /[。！？｡]/.test(run));
  const last = ends.at(-1);
  const rest = last === undefined ? line : line.slice(last.index + last[0].length);
  return ends.length + (naiveWords(rest).length > 0 ? 1 : 0);
}

function duplicates(items: string[]): { count: number; characters: number } {
  const repeated = items.filter((item, i) => items.indexOf(item) < i);
  return {
    count: repeated.length,
    characters: repeated.reduce((sum, item) => sum + length(item), 0),
  };
}

function topGram(tokens: string[], n: number): number {
  const grams = tokens
    .slice(0, Math.max(0, tokens.length - n + 1))
    .map((_, i) => tokens.slice(i, i + n).join(' '));
  const counts = new Map<string, number>();
  for (const gram of grams) counts.set(gram, (counts.get(gram) ?? 0) + 1);
  const most = Math.max(0, ...counts.values());
  const [top] = [...counts].find(([, count]) => count === most) ?? [''];
  return most * length(top);
}

function repeatedGrams(tokens: string[], n: number): number {
  const seen = new Set<string>();
  let characters = 0;
  for (let at = 0; at + n <= tokens.length; ) {
    const gram = tokens.slice(at, at + n);
    const key = gram.join('\0');
    if (seen.has(key)) {
      characters += length(gram.join(''));
      at += n;
    } else {
      seen.add(key);
      at++;
    }
  }
  return characters;
}

function c4(lines: string[]) {
  const found = { kept: 0, sentences: 0, lorem: 0, braces: 0, policies: 0, javascript: 0 };
  for (const line of lines) {
    const words = line.split(/\s+/).filter((word) => word !== '');
    if (words.some((word) => length(word) > 1000)) continue;
    const cited = line.replace(/\[\d*\]|\[edit\]|\[citation needed\]/g, '');
    if (!/[.?!"']$/.test(cited) || cited.endsWith('...') || words.length < 3) continue;
    const lower = cited.toLowerCase();
    if (lower.includes('lorem ipsum')) found.lorem++;
    else if (lower.includes('javascript')) found.javascript++;
    else if (cited.includes('{')) found.braces++;
    else if (POLICIES.some((policy) => lower.includes(policy))) found.policies++;
    else {
      found.kept++;
      found.sentences += naiveSentences(cited);
    }
  }
  return found;
}

const trim = (line: string) => line.replace(/^[\s\x00-\x1f\x85]+|[\s\x00-\x1f\x85]+$/g, '');

export function naiveSignals(text: string): Record<string, number> {
  const tokens = naiveTokens(text);
  const words = tokens.filter(isWord);
  const lines = text
    .split('\n')
    .map(trim)
    .filter((line) => line !== '');
  const paragraphs = text.trim() === '' ? [] : text.trim().split(/\n{2,}/);
  const ratio = (part: number, whole: number) => (whole === 0 ? 0 : part / whole);
  const share = (list: string[], test: (item: string) => boolean) =>
    ratio(list.filter(test).length, list.length);
  const [sameLines, sameParagraphs] = [duplicates(lines), duplicates(paragraphs)];
  const ofC4 = c4(lines);
  const lineEnds = text.split('\n').length - 1;
  const values: Record<string, number> = {
    words: words.length,
    characters: length(text),
    lines: lines.length,
    mean_word_length: ratio(
      words.reduce((sum, word) => sum + length(word), 0),
      words.length,
    ),
    hash_ratio: ratio(text.split('#').length - 1, tokens.length),
    ellipsis_ratio: ratio(text.split('...').length + text.split('…').length - 2, tokens.length),
    bullet_lines: share(lines, (line) => /^[•-]/.test(line)),
    ellipsis_lines: share(lines, (line) => /(?:\.\.\.|…)$/.test(line)),
    alphabetic_words: share(tokens, (token) => /\p{L}/u.test(token)),
    stop_words: STOP_WORDS.filter((word) => tokens.includes(word)).length,
    duplicate_lines: ratio(sameLines.count, lines.length),
    duplicate_line_characters: ratio(sameLines.characters, length(text)),
    duplicate_paragraphs: ratio(sameParagraphs.count, paragraphs.length),
    duplicate_paragraph_characters: ratio(sameParagraphs.characters, length(text)),
    sentences: lines.reduce((sum, line) => sum + naiveSentences(line), 0),
    c4_lines: ratio(ofC4.kept, lines.length),
    c4_sentences: ofC4.sentences,
    lorem_ipsum: ofC4.lorem,
    brace_lines: ofC4.braces,
    policy_lines: ofC4.policies,
    javascript_lines: ofC4.javascript,
    line_punctuation: share(lines, (line) => /\p{Sentence_Terminal}$/u.test(line)),
    short_lines: share(lines, (line) => length(line) <= 30),
    repeated_characters: ratio(sameLines.characters, length(text) - lineEnds),
    lines_per_word: ratio(lineEnds, tokens.length),
  };
  for (const n of [2, 3, 4]) values[`top_${n}_gram`] = ratio(topGram(tokens, n), length(text));
  for (const n of [5, 6, 7, 8, 9, 10])
    values[`duplicate_${n}_grams`] = ratio(repeatedGrams(tokens, n), length(text));
  return Object.fromEntries(SIGNALS.map(({ name }) => [name, values[name]]));
}
