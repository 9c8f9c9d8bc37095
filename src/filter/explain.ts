/**
 * Explains why a filter accepts a URL, or does not.
 *
 * Idea      Evaluate every part of the tree. A part has no answer if what it asks is not known yet.
 *           The reasons of a decided part are the parts below it that decided it: of `and` the
 *           first false one, or all; of `or` the first true one, or all.
 */
import { compile } from './compile.ts';
import { type Node, print } from './node.ts';
import type { Binding, Predicate } from './predicate.ts';
import type { Subject } from './subject.ts';

interface Reason {
  /** The part in its printed form. */
  readonly part: string;
  /**
   * Its answer: a number or a text if the part is compared with one, undefined if it is not known.
   */
  readonly answer: boolean | number | string | undefined;
}

export interface Verdict {
  /** Undefined if it depends on facts that are not known. */
  readonly accepted: boolean | undefined;
  /** The parts that decided, or the parts without an answer; from left to right. */
  readonly because: readonly Reason[];
}

/** `isKnown` states for each predicate whether it can be answered here. */
export function explain(
  node: Node,
  subject: Subject,
  binding: Binding,
  isKnown: (predicate: Predicate) => boolean,
): Verdict {
  switch (node.kind) {
    case 'constant':
      return { accepted: node.value, because: [{ part: print(node), answer: node.value }] };
    case 'not': {
      const { accepted, because } = explain(node.of, subject, binding, isKnown);
      return { accepted: accepted === undefined ? undefined : !accepted, because };
    }
    case 'and':
    case 'or': {
      const deciding = node.kind === 'or';
      const parts = node.parts.map((part) => explain(part, subject, binding, isKnown));
      return joined(parts, deciding);
    }
    default: {
      const call = node.kind === 'comparison' ? node.of : node;
      if (!isKnown(call.predicate)) {
        return { accepted: undefined, because: [{ part: print(node), answer: undefined }] };
      }
      const accepted = compile(node, binding)(subject);
      const value = call.predicate.bind(call.values, binding)(subject);
      const reason =
        node.kind === 'comparison'
          ? { part: print(call), answer: value }
          : { part: print(node), answer: accepted };
      return { accepted, because: [reason] };
    }
  }
}

function joined(parts: readonly Verdict[], deciding: boolean): Verdict {
  const decisive = parts.find(({ accepted }) => accepted === deciding);
  if (decisive) return decisive;
  const open = parts.filter(({ accepted }) => accepted === undefined);
  const because = (open.length > 0 ? open : parts).flatMap((part) => part.because);
  return { accepted: open.length > 0 ? undefined : !deciding, because };
}
