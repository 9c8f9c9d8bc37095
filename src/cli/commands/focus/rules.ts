/** The rules of a book, from flags or from the book. */
import type { Disk } from '../../../disk/disk.ts';
import { loadPredicates } from '../../../filter/predicates.ts';
import type { Rules } from '../../../focus/book/book.ts';
import {
  DEFAULT_USEFUL,
  DEFAULT_WANTED,
  readRule,
  requireSame,
} from '../../../focus/learn/rules.ts';
import { Usefulness } from '../../../focus/learn/usefulness.ts';

export interface RuleFlags {
  readonly wanted?: string;
  readonly useful?: string;
  readonly predicates?: string;
}

/** The rules as texts, and what harvests are read with. Close `usefulness` at the end. */
export async function openRules(
  disk: Disk,
  place: string,
  known: Rules | undefined,
  flags: RuleFlags,
) {
  const predicates = await loadPredicates(flags.predicates ?? '');
  const read = (text: string) => readRule(disk, text, predicates);
  const wanted = await read(flags.wanted ?? known?.wanted ?? DEFAULT_WANTED);
  const useful = await read(flags.useful ?? known?.useful ?? DEFAULT_USEFUL);
  const rules: Rules = { wanted: wanted.text, useful: useful.text };
  requireSame(known, rules, place);
  return { rules, wanted: wanted.accepts, usefulness: new Usefulness(useful.accepts) };
}
