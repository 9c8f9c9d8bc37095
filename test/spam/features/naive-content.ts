/**
 * The 24 numbers of a page as docs/spam.md defines them, written for clarity and not for speed.
 */
import { deflater } from '../../../src/archive/compress/deflate.ts';
import type { WordLists } from '../../../src/spam/features/content/word-lists.ts';

interface NaivePage {
  /** As they are written, in order, without those of the title. */
  readonly words: readonly string[];
  readonly anchorWords: number;
  readonly titleWords: number;
}

const RAW = /^<(script|style|noscript|template)(?![^\s/>])/i;
const WORD =
  /[\xe3-\xed][0-9A-Za-z\x80-\xe2\xee-\xff]*|[0-9A-Za-z\x80-\xff][0-9A-Za-z\x80-\xe2\xee-\xff]*/g;

/** The words of a page without malformed markup, as Latin-1. */
export function naivePage(html: string): NaivePage {
  const words: string[] = [];
  let [anchorWords, titleWords] = [0, 0];
  let [inLink, inTitle] = [false, false];
  let rest = html;
  while (rest !== '') {
    const tag = /^<!--[\s\S]*?-->|^<[^>]*>/.exec(rest)?.[0];
    if (tag !== undefined) {
      rest = rest.slice(tag.length);
      if (/^<a\b/i.test(tag)) inLink = true;
      if (/^<\/a\b/i.test(tag)) inLink = false;
      if (/^<title\b/i.test(tag)) inTitle = true;
      if (/^<\/title\b/i.test(tag)) inTitle = false;
      const raw = RAW.exec(tag)?.[1];
      if (raw !== undefined) {
        const end = rest.toLowerCase().indexOf(`</${raw.toLowerCase()}`);
        rest = end < 0 ? '' : rest.slice(end);
      }
      continue;
    }
    const end = rest.indexOf('<', 1);
    const text = end < 0 ? rest : rest.slice(0, end);
    rest = rest.slice(text.length);
    for (const word of text.replace(/&#?[0-9A-Za-z\x80-\xe2\xee-\xff]+;/g, ' ; ').match(WORD) ??
      []) {
      if (inTitle) titleWords++;
      else {
        words.push(word);
        if (inLink) anchorWords++;
      }
    }
  }
  return { words, anchorWords, titleWords };
}

export function naiveValues(html: string, { collection, queries }: WordLists): number[] {
  const { words, anchorWords, titleWords } = naivePage(html);
  const text = words.map((word) => `${word} `).join('');
  const lower = words.map((word) => word.replace(/[A-Z]/g, (letter) => letter.toLowerCase()));
  const characters = words.join('').replace(/[\x80-\xbf]/g, '').length;
  const share = (part: number, whole: number) => (whole === 0 ? 0 : part / whole);
  const frequent = (list: readonly string[]): number[] => {
    const tops = [100, 200, 500, 1000].map((k) => new Set(list.slice(0, k)));
    return [
      ...tops.map((top) => share(lower.filter((word) => top.has(word)).length, words.length)),
      ...tops.map((top) => share([...top].filter((word) => lower.includes(word)).length, top.size)),
    ];
  };
  const trigrams = new Map<string, number>();
  for (let i = 0; i + 3 <= lower.length; i++) {
    const trigram = lower.slice(i, i + 3).join(' ');
    trigrams.set(trigram, (trigrams.get(trigram) ?? 0) + 1);
  }
  const all = Math.max(0, lower.length - 2);
  const ps = [...trigrams.values()].map((count) => count / all);
  const sum = (numbers: readonly number[]) => numbers.reduce((total, x) => total + x, 0);
  return [
    words.length,
    titleWords,
    Math.min(256, share(characters, words.length)),
    share(anchorWords, words.length),
    share(words.join('').length, html.length),
    words.length === 0
      ? 0
      : deflater().blocks(Buffer.from(text, 'latin1'), true).length / text.length,
    ...frequent(collection),
    ...frequent(queries),
    sum(ps.map((p) => -p * Math.log(p))),
    share(sum(ps.map((p) => -Math.log(p))), ps.length),
  ];
}
