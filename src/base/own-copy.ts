/** A part of a string keeps the whole of it in memory, which may be a page: what is kept for long is copied. */
export function ownCopy(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1');
}
