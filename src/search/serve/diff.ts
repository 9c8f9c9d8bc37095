/**
 * What changed between two texts: pieces that both have, and pieces that only one has.
 *
 * Idea      Myers' shortest edit script (Algorithmica 1, 1986): the k-th round finds how far each
 *           diagonal of the edit graph gets with k edits. Lines are compared first, then the words
 *           of each stretch of lines that differs.
 * Ensures   The pieces `same` and `old` make up the old text, `same` and `new` the new one. If two
 *           stretches differ in at most `MOST_EDITS` lines or words, no script has fewer edits.
 * Cost      Time and memory grow with the edits, not with the product of the lengths. Stretches
 *           that differ more are shown whole, first the old one, then the new one.
 */

export interface Piece {
  readonly kind: 'same' | 'old' | 'new';
  readonly text: string;
}

/** Beyond this, rounds cost more than a reader gains. */
const MOST_EDITS = 1000;

/** The pieces of two texts, in order. */
export function diff(before: string, after: string): Piece[] {
  const pieces: Piece[] = [];
  let [old, young] = ['', ''];
  const words = () => {
    for (const piece of compare(wordsOf(old), wordsOf(young))) add(pieces, piece);
    [old, young] = ['', ''];
  };
  for (const { kind, text } of compare(linesOf(before), linesOf(after))) {
    if (kind === 'old') old += text;
    else if (kind === 'new') young += text;
    else {
      words();
      add(pieces, { kind, text });
    }
  }
  words();
  return pieces;
}

const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+/g) ?? [];
/** A word or a sign, with the space behind it: a change of words is then one piece. */
const wordsOf = (text: string): string[] =>
  text.match(/^\s+|(?:[\p{L}\p{N}\p{M}]+|[^\s\p{L}\p{N}\p{M}])\s*/gu) ?? [];

function add(pieces: Piece[], { kind, text }: Piece): void {
  if (text === '') return;
  const last = pieces.at(-1);
  if (last?.kind === kind) pieces[pieces.length - 1] = { kind, text: last.text + text };
  else pieces.push({ kind, text });
}

/** The pieces of two lists; what they have in common at both ends is split off first. */
function compare(a: readonly string[], b: readonly string[]): Piece[] {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let [endA, endB] = [a.length, b.length];
  while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) {
    endA--;
    endB--;
  }
  const pieces: Piece[] = [{ kind: 'same', text: a.slice(0, start).join('') }];
  const [middleA, middleB] = [a.slice(start, endA), b.slice(start, endB)];
  for (const piece of script(middleA, middleB)) add(pieces, piece);
  add(pieces, { kind: 'same', text: a.slice(endA).join('') });
  return pieces;
}

/** Myers' rounds forward, then the way back through what each of them reached. */
function script(a: readonly string[], b: readonly string[]): Piece[] {
  const most = Math.min(a.length + b.length, MOST_EDITS);
  /** `rounds[d][k + d]`: how much of `a` is used up on diagonal k after d edits. */
  const rounds: Int32Array[] = [];
  let before = new Int32Array(1);
  for (let d = 0; d <= most; d++) {
    const reached = new Int32Array(2 * d + 1);
    rounds.push(reached);
    for (let k = -d; k <= d; k += 2) {
      let x = d === 0 ? 0 : stepTo(before, d, k);
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
      reached[k + d] = x;
      if (x >= a.length && x - k >= b.length) return wayBack(a, b, rounds);
    }
    before = reached;
  }
  return [
    { kind: 'old', text: a.join('') },
    { kind: 'new', text: b.join('') },
  ];
}

/** Where round d begins on diagonal k: one step down or right from the round before. */
function stepTo(before: Int32Array, d: number, k: number): number {
  const [left, above] = [before[k - 1 + d - 1] ?? -1, before[k + 1 + d - 1] ?? -1];
  return isDown(d, k, left, above) ? above : left + 1;
}

const isDown = (d: number, k: number, left: number, above: number): boolean =>
  k === -d || (k !== d && left < above);

function wayBack(
  a: readonly string[],
  b: readonly string[],
  rounds: readonly Int32Array[],
): Piece[] {
  const reversed: Piece[] = [];
  let [x, y] = [a.length, b.length];
  for (let d = rounds.length - 1; d >= 0; d--) {
    const k = x - y;
    const before = d === 0 ? undefined : rounds[d - 1];
    const [left, above] = [before?.[k - 1 + d - 1] ?? -1, before?.[k + 1 + d - 1] ?? -1];
    const down = isDown(d, k, left, above);
    const start = before === undefined ? 0 : down ? above : left + 1;
    for (; x > start; x--, y--) reversed.push({ kind: 'same', text: a[x - 1] });
    if (before === undefined) break;
    if (down) reversed.push({ kind: 'new', text: b[--y] });
    else reversed.push({ kind: 'old', text: a[--x] });
  }
  return reversed.reverse();
}
