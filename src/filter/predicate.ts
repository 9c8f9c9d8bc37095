/**
 * What a predicate is: a name, its parameters, the first stage that knows its answer, and a
 * function.
 */
import type { ListTable } from './list-table.ts';
import type { Stage, Subject } from './subject.ts';

/** How an argument is written and checked: see src/filter/argument.ts. */
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
  /** It may be omitted. */
  readonly optional?: true;
  /** It may be repeated; only for the last parameter. */
  readonly many?: true;
}

/** What a predicate needs in addition to its arguments. */
export interface Binding {
  /** A list that was loaded before: entries alone, or entries with values. */
  list(path: string, kind: ListKind): ListTable;
}

export type ListKind = 'entries' | 'values';

export type Value<S = Subject> = (subject: S) => boolean | number | string;

/** `S` is what the filter decides about: by default a URL in a crawl. */
export interface Predicate<S = Subject> {
  readonly name: string;
  readonly from: Stage;
  /**
   * A number must be compared with another, a text with a text. User functions may return a truth
   * or a number.
   */
  readonly gives: 'truth' | 'number' | 'text' | 'either';
  readonly parameters: readonly Parameter[];
  readonly doc: string;
  readonly example: string;
  /** Known only in a crawl with `--order budget`, and only with this ranking unless it is `any`. */
  readonly ranking?: 'any' | 'in' | 'tse';
  /** Known only in a crawl with `--spam`. */
  readonly needsSpam?: boolean;
  /** The kind of list in the file that its first argument names. */
  readonly reads?: ListKind;
  readonly bind: (values: readonly string[], binding: Binding) => Value<S>;
}

export type Predicates<S = Subject> = ReadonlyMap<string, Predicate<S>>;
