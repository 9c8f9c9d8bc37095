/**
 * Globs: a text in which `*` stands for any run of characters, also none. Nothing else is special.
 *
 * Idea      A glob is a list of literals that must follow one another. The leftmost place of each is as good as any
 *           other, so no place is tried twice and no glob, however made, takes long.
 * Ensures   the whole text is matched, from its first character to its last; letter case counts.
 * Cost      one search per literal, each going on where the last one ended.
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

/** The literals occur in this order between two places, without overlap. */
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
