/**
 * Whether the engine of JavaScript tests any text in linear time with an expression. It tries one
 * way after the other, so some expressions take quadratic or exponential time.
 *
 * Idea      Two kinds of expressions are provably linear, and most of those in use are of one kind.
 *           1. Without an unbounded repetition, the number of steps from one start is a constant.
 *           2. With `^` there is one start. One repetition of single characters has at most as many
 *              ways as the text has characters; the rest is again a constant.
 *           A repetition of single characters at the very end never has to be undone.
 * Ensures   If true, a test takes at most `MOST_STEPS` times the length of the text.
 */
import type { RegexpNode } from './regexp-parse.ts';

const MOST_STEPS = 128;

export function isLinear(node: RegexpNode): boolean {
  const parts = node.kind === 'sequence' ? node.parts : [node];
  const first = parts[0];
  const isAnchored = first?.kind === 'assertion' && first.what === 'start';
  const { steps, unbounded } = costOfAll(parts.map((part, i) => costOf(tail(part, i, parts))));
  return steps <= MOST_STEPS && unbounded <= (isAnchored ? 1 : 0);
}

/** The last part of an expression, without what it may match more than it must. */
function tail(part: RegexpNode, i: number, parts: readonly RegexpNode[]): RegexpNode {
  const isLast = i === parts.length - 1;
  if (!isLast || part.kind !== 'repeat' || part.node.kind !== 'set') return part;
  return { ...part, max: part.min };
}

interface Cost {
  /** The most steps to try all ways, from one start. */
  readonly steps: number;
  /** The most ways to match; an unbounded repetition counts as one. */
  readonly ways: number;
  /** Unbounded repetitions that a match may use. */
  readonly unbounded: number;
}

function costOf(node: RegexpNode): Cost {
  switch (node.kind) {
    case 'set':
    case 'assertion':
      return { steps: 1, ways: 1, unbounded: 0 };
    case 'sequence':
      return costOfAll(node.parts.map(costOf));
    case 'choice': {
      const options = node.options.map(costOf);
      return {
        steps: sum(options.map(({ steps }) => steps)),
        ways: sum(options.map(({ ways }) => ways)),
        unbounded: options.reduce((most, { unbounded }) => Math.max(most, unbounded), 0),
      };
    }
    case 'repeat':
      return costOfRepeat(costOf(node.node), node);
  }
}

function costOfAll(parts: readonly Cost[]): Cost {
  let steps = 1;
  let ways = 1;
  for (const part of parts) {
    steps += ways * part.steps;
    ways *= part.ways;
  }
  return { steps, ways, unbounded: sum(parts.map(({ unbounded }) => unbounded)) };
}

function costOfRepeat(
  body: Cost,
  { node, min, max }: RegexpNode & { readonly kind: 'repeat' },
): Cost {
  if (max === Infinity) {
    // Only single characters can be repeated in one way for each length.
    const unbounded = node.kind === 'set' ? 1 : Infinity;
    return { steps: 1 + min, ways: 1, unbounded };
  }
  // Each repetition is tried after every way of those before it; any number of them may be enough.
  let [steps, ways, all] = [1, 1, min === 0 ? 1 : 0];
  for (let i = 1; i <= max && steps <= MOST_STEPS; i++) {
    steps += ways * body.steps;
    ways *= body.ways;
    if (i >= min) all += ways;
  }
  return { steps, ways: all, unbounded: max > 1 ? body.unbounded * max : body.unbounded };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);
