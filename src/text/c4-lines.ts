/**
 * What C4 does with the lines that need a closer look: those with references like `[1]`, with very
 * long words, and all lines of a text that may have `lorem ipsum`, `{`, `javascript` or a policy in
 * it. Most texts have no such line.
 */
import { COUNT, countsOf, type ListedLine } from './signal-counts.ts';

interface C4Counts {
  keptLines: number;
  keptSentences: number;
  loremIpsum: number;
  braces: number;
  policies: number;
  javascript: number;
}

/** A line with a longer word is dropped. */
const LONGEST_WORD = 1000;
/** A line with fewer words is dropped. */
const FEWEST_WORDS = 3;
const CITATION = /\[\d*\]|\[edit\]|\[citation needed\]/g;
/** A line with one of these is about the site. */
const POLICIES = [
  'terms of use',
  'privacy policy',
  'cookie policy',
  'uses cookies',
  'use of cookies',
  'use cookies',
];
/** Counts the listed lines of a text. */
export function countForC4(text: string, lines: readonly ListedLine[]): C4Counts {
  const found: C4Counts = {
    keptLines: 0,
    keptSentences: 0,
    loremIpsum: 0,
    braces: 0,
    policies: 0,
    javascript: 0,
  };
  for (const { start, end, sentences } of lines)
    countLine(text.slice(start, end), sentences, found);
  return found;
}

/** Drops the line, or the page because of it, or keeps it. */
function countLine(line: string, sentences: number, found: C4Counts): void {
  if (line.length > LONGEST_WORD && hasLongWord(line)) return;
  const cited = line.includes('[') ? line.replace(CITATION, '') : line;
  if (!/[.?!"']$/.test(cited.slice(-1)) || cited.endsWith('...')) return;
  if (hasFewWords(line)) return;
  const lower = cited.toLowerCase();
  if (lower.includes('lorem ipsum')) found.loremIpsum++;
  else if (lower.includes('javascript')) found.javascript++;
  else if (cited.includes('{')) found.braces++;
  else if (POLICIES.some((policy) => lower.includes(policy))) found.policies++;
  else {
    found.keptLines++;
    // References as in an encyclopedia end no sentence.
    found.keptSentences += cited === line ? sentences : countsOf(cited).counts[COUNT.sentences];
  }
}

function hasLongWord(line: string): boolean {
  return line.split(/\s+/).some((word) => [...word].length > LONGEST_WORD);
}

function hasFewWords(line: string): boolean {
  let spaces = 0;
  for (const match of line.matchAll(/\s+/g)) {
    if (match.index > 0 && ++spaces >= FEWEST_WORDS - 1) return false;
  }
  return true;
}
