/**
 * Globs: a text in which `*` matches any run of characters, including none. Nothing else is
 * special.
 *
 * Idea      A glob is a list of literals that must follow one another. The leftmost match of each
 *           is as good as any other, so no position is tried twice and no glob is slow.
 * Ensures   The whole text is matched, from its first character to its last. Letter case matters.
 * Cost      One search per literal, each starting where the last one ended.
 */
export type TextTest = (text: string) => boolean;

export function compileGlob(glob: string): TextTest {
  const literals = glob.split('*');
  const first = literals[0];
  if (literals.length === 1) return (text) => text === glob;
  const last = literals[literals.length - 1];
  const middle = literals.slice(1, -1).filter(Boolean);
  const shortest = first.length + last.length;
  return (text) =>
    text.length >= shortest &&
    text.startsWith(first) &&
    text.endsWith(last) &&
    followOneAnother(middle, text, first.length, text.length - last.length);
}

/** Whether the literals occur in this order between two positions, without overlap. */
function followOneAnother(
  literals: readonly string[],
  text: string,
  from: number,
  to: number,
): boolean {
  let at = from;
  for (const literal of literals) {
    const found = text.indexOf(literal, at);
    if (found < 0) return false;
    at = found + literal.length;
  }
  return at <= to;
}
