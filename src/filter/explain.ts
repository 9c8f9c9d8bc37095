/**
 * Why a filter accepts a URL, or does not.
 *
 * Idea      The same tree is gone through once more, slowly: every part has an answer or, where what it asks is not known, none. Of a part
 *           that was decided, those below it that decided it are named: of `and` the first that is false, or all; of `or` the first that is
 *           true, or all.
 */
import { compile } from './compile.ts';
import { type Node, print } from './node.ts';
import type { Binding, Predicate } from './predicate.ts';
import type { Subject } from './subject.ts';

export interface Reason {
  /** The part, as it is written. */
  readonly part: string;
  /** Its answer; a number before it was compared; undefined when it cannot be known. */
  readonly answer: boolean | number | undefined;
}

export interface Verdict {
  /** Undefined when it depends on what is not known. */
  readonly accepted: boolean | undefined;
  /** What decided, or what it depends on; from left to right. */
  readonly because: readonly Reason[];
}

/** `isKnown` tells of each predicate whether it can be asked here. */
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
