/** What a predicate is: a name, what it takes, from which stage on it can be answered, and how it is answered. */
import type { ListTable } from './list-table.ts';
import type { Stage, Subject } from './subject.ts';

/** How an argument is written and checked: src/filter/argument.ts. */
export type ArgumentKind =
  | 'text'
  | 'url-text'
  | 'word'
  | 'scheme'
  | 'host'
  | 'host-end'
  | 'domain'
  | 'url'
  | 'pattern'
  | 'regular'
  | 'type'
  | 'range'
  | 'share'
  | 'number'
  | 'file';

export interface Parameter {
  readonly kind: ArgumentKind;
  /** May be left out. */
  readonly optional?: true;
  /** May be given any number of times; only the last can be. */
  readonly many?: true;
}

/** What a predicate may need beside its arguments. */
export interface Binding {
  /** The entries of a file that was read before: alone, or with values. */
  list(path: string, kind: ListKind): ListTable;
}

export type ListKind = 'entries' | 'values';

export type Value = (subject: Subject) => boolean | number;

export interface Predicate {
  readonly name: string;
  readonly from: Stage;
  /** A number has to be compared; what users write may be either. */
  readonly gives: 'truth' | 'number' | 'either';
  readonly parameters: readonly Parameter[];
  readonly doc: string;
  readonly example: string;
  /** Only in the order of budgets, and by this ranking if one is named. */
  readonly ranking?: 'any' | 'in' | 'tse';
  /** What is in the file that is its first argument. */
  readonly reads?: ListKind;
  readonly bind: (values: readonly string[], binding: Binding) => Value;
}

export type Predicates = ReadonlyMap<string, Predicate>;
