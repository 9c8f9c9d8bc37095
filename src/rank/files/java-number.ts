/**
 * Numbers as Java prints them, which Common Crawl's files have: `3.75E7`, `0.0049`, `1.2E-4`,
 * `0.0`.
 *
 * Requires  0, or a number that is not subnormal.
 * Ensures   reading the text gives the same number; no shorter text of this form does.
 */

/** A 64-bit number. */
export function javaDouble(value: number): string {
  const size = Math.abs(value);
  if (size === 0 || (size >= 1e-3 && size < 1e7)) return withPoint(String(value));
  const [digits, exponent] = value.toExponential().split('e');
  return `${withPoint(digits)}E${Number(exponent)}`;
}

/** A number that a 32-bit one holds exactly. */
export function javaFloat(value: number): string {
  for (let digits = 1; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return javaDouble(short);
  }
  return javaDouble(Number(value.toPrecision(9)));
}

const withPoint = (digits: string): string => (digits.includes('.') ? digits : `${digits}.0`);
