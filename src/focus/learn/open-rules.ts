/** The rules of a book, as they are given or as the book has them. */
import type { Disk } from '../../disk/disk.ts';
import { loadPredicates } from '../../filter/predicates.ts';
import type { Rules } from '../book/book.ts';
import { DEFAULT_USEFUL, DEFAULT_WANTED, readRule, requireSame } from './rules.ts';
import { Usefulness } from './usefulness.ts';

/** Rules as texts. */
export interface RuleTexts {
  readonly wanted?: string | undefined;
  readonly useful?: string | undefined;
  /** A module with predicates for both. */
  readonly predicates?: string | undefined;
}

/** The rules as texts, and what harvests are read with. Close `usefulness` at the end. */
export async function openRules(
  disk: Disk,
  place: string,
  known: Rules | undefined,
  given: RuleTexts,
) {
  const predicates = await loadPredicates(given.predicates ?? '');
  const read = (text: string) => readRule(disk, text, predicates);
  const wanted = await read(given.wanted ?? known?.wanted ?? DEFAULT_WANTED);
  const useful = await read(given.useful ?? known?.useful ?? DEFAULT_USEFUL);
  const rules: Rules = { wanted: wanted.text, useful: useful.text };
  requireSame(known, rules, place);
  return { rules, wanted: wanted.accepts, usefulness: new Usefulness(useful.accepts) };
}
