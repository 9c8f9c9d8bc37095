/**
 * A substring keeps its whole string in memory, which may be a page: copy what is kept for long.
 */
export function ownCopy(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1');
}
