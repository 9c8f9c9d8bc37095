/**
 * The most frequent words of a collection of pages, or of queries.
 *
 * Idea      Counts in a map. When it is full, words that occurred once are forgotten: a word among
 *           the most frequent occurs too often for that to matter.
 * Ensures   Deterministic; ties in the order of code units.
 */
import { DrumlinError } from '../../base/errors.ts';
import type { Disk } from '../../disk/disk.ts';
import { malformed, readLines } from '../../disk/text-input.ts';
import { fingerprintAndWords } from '../../duplicates/fingerprint.ts';
import { FREQUENT } from '../features/content/measures.ts';

const MOST_WORDS = 2_000_000;
/** Longer words are of no language: keys, encoded data. */
const LONGEST_WORD = 64;

export class WordCounts {
  readonly #most: number;
  readonly #counts = new Map<string, number>();

  constructor(most = MOST_WORDS) {
    this.#most = most;
  }

  add(words: Iterable<string>, weight = 1): void {
    for (const word of words) this.#counts.set(word, (this.#counts.get(word) ?? 0) + weight);
    if (this.#counts.size <= this.#most) return;
    for (let least = 1; 2 * this.#counts.size > this.#most; least++)
      for (const [word, count] of this.#counts) if (count <= least) this.#counts.delete(word);
  }

  /** At most 1,000 of at most 64 characters, the most frequent first. */
  top(): string[] {
    return [...this.#counts]
      .filter(([word]) => word.length <= LONGEST_WORD)
      .sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
      .slice(0, FREQUENT[FREQUENT.length - 1])
      .map(([word]) => word);
  }
}

/** The words of a recorded text in lower case: those that the hashes stand for. */
export function wordsIn(text: Uint8Array): string[] {
  const words = Buffer.from(text.buffer, text.byteOffset, text.length).toString().split(' ');
  words.pop();
  return words.map((word) => (/[A-Z]/.test(word) ? word.replace(/[A-Z]+/g, lower) : word));
}

const lower = (letters: string): string => letters.toLowerCase();

/** Words of a line of text, cut as those of pages are. */
function wordsOfLine(line: string): string[] {
  return wordsIn(fingerprintAndWords(Buffer.from(line.replace(/[<>&;]/g, ' '))).words.text);
}

/**
 * The most frequent words of a file of queries: one on each line, if wanted with a tab and how
 * often it was asked.
 */
export async function readQueries(disk: Disk, path: string): Promise<string[]> {
  const counts = new WordCounts();
  for await (const { bytes, line } of readLines(disk, path)) {
    for (const [i, text] of Buffer.from(bytes).toString().split(/\r?\n/).entries()) {
      const [query, times = '1'] = text.split('\t');
      if (!/^\d{1,15}$/.test(times.trim()))
        throw malformed(path, line + i, `"${times.slice(0, 40)}" is no number of times`);
      counts.add(wordsOfLine(query), Number(times));
    }
  }
  const words = counts.top();
  if (words.length > 0) return words;
  throw new DrumlinError('FEATURES', `${path} has no words.`, 'Write a query on each line.');
}
