/**
 * A piece of a text that shows the words of a query.
 *
 * Idea      Of all pieces of `LENGTH` words, the first with the most different words of the query.
 *           A word is shown if it is one of the query, or has a variant in common with one.
 * Cost      Linear in the text.
 */
import { type Variants, wordsIn } from '../store/words.ts';

const LENGTH = 32;
/** Words in front of the first word of the query. */
const BEFORE = 6;
/** Longer texts are looked at only so far. */
const MOST_UNITS = 200_000;

export function snippetOf(text: string, query: readonly string[], variants: Variants): string {
  const forms = new Map<string, number>();
  for (const [i, word] of query.entries())
    for (const form of [word, ...variants.of(word)]) if (!forms.has(form)) forms.set(form, i);
  const words = text.slice(0, MOST_UNITS).split(/\s+/).filter(Boolean);
  const found = words.map((word) => {
    for (const part of wordsIn(word)) {
      for (const form of [part, ...variants.of(part)]) {
        const place = forms.get(form);
        if (place !== undefined) return place;
      }
    }
    return -1;
  });
  const start = Math.max(0, bestStart(found) - BEFORE);
  const end = Math.min(words.length, start + LENGTH);
  const piece = words.slice(start, end).join(' ');
  return `${start > 0 ? '… ' : ''}${piece}${end < words.length ? ' …' : ''}`;
}

/** Where the piece with the most different words begins. */
function bestStart(found: readonly number[]): number {
  let [best, most] = [0, 0];
  const counts = new Map<number, number>();
  const width = LENGTH - BEFORE;
  for (let end = 0; end < found.length; end++) {
    const entering = found[end];
    if (entering >= 0) counts.set(entering, (counts.get(entering) ?? 0) + 1);
    const leaving = end >= width ? found[end - width] : -1;
    if (leaving >= 0) {
      const left = (counts.get(leaving) ?? 0) - 1;
      if (left > 0) counts.set(leaving, left);
      else counts.delete(leaving);
    }
    if (counts.size > most) {
      most = counts.size;
      best = Math.max(0, end - width + 1);
      while (found[best] < 0) best++;
    }
  }
  return best;
}
