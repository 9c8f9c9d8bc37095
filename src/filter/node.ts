/**
 * A parsed filter: a tree, and its printed form.
 *
 * Ensures   `parseFilter(print(tree))` returns the same tree. `and` and `or` keep their parts and
 *           their grouping; arguments are in quotation marks where they need them.
 */
import { writeArgument } from './argument.ts';
import type { Predicate } from './predicate.ts';
import type { Subject } from './subject.ts';

export type Sign = '<' | '<=' | '>' | '>=' | '==' | '!=';

/** A predicate with its normalised arguments. */
export interface Call<S = Subject> {
  readonly kind: 'call';
  readonly predicate: Predicate<S>;
  readonly values: readonly string[];
}

export interface Comparison<S = Subject> {
  readonly kind: 'comparison';
  readonly of: Call<S>;
  readonly sign: Sign;
  /** A text for a predicate that gives one; then the sign is `==` or `!=`. */
  readonly than: number | string;
}

export type Node<S = Subject> =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Node<S>[] }
  | { readonly kind: 'not'; readonly of: Node<S> }
  | { readonly kind: 'constant'; readonly value: boolean }
  | Comparison<S>
  | Call<S>;

export function print<S>(node: Node<S>): string {
  switch (node.kind) {
    case 'and':
    case 'or':
      return node.parts.map((part) => within(part, node.kind)).join(` ${node.kind} `);
    case 'not':
      return `not ${isGroup(node.of) ? `(${print(node.of)})` : print(node.of)}`;
    case 'constant':
      return String(node.value);
    case 'comparison':
      return `${print(node.of)} ${node.sign} ${typeof node.than === 'string' ? writeArgument('text', node.than) : node.than}`;
    case 'call':
      return node.predicate.name + written(node);
  }
}

const isGroup = <S>(node: Node<S>): boolean => node.kind === 'and' || node.kind === 'or';

/** `and` binds tighter than `or`. A group within a group of the same kind keeps its parentheses. */
function within<S>(part: Node<S>, around: 'and' | 'or'): string {
  const bare = part.kind === 'and' && around === 'or';
  return isGroup(part) && !bare ? `(${print(part)})` : print(part);
}

function written<S>({ predicate, values }: Call<S>): string {
  if (values.length === 0) return '';
  const { parameters } = predicate;
  const kindOf = (i: number) => parameters[Math.min(i, parameters.length - 1)].kind;
  return `(${values.map((value, i) => writeArgument(kindOf(i), value)).join(', ')})`;
}

/** All predicates in the tree, from left to right. */
export function* calls(node: Node): Generator<Call> {
  switch (node.kind) {
    case 'and':
    case 'or':
      for (const part of node.parts) yield* calls(part);
      return;
    case 'not':
    case 'comparison':
      yield* calls(node.of);
      return;
    case 'call':
      yield node;
  }
}
