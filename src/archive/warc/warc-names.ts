/** What WARC files are called. */

export const isWarcName = (name: string): boolean => /\.warc(?:\.gz|\.zst)?$/.test(name);

/** The name, or one like it that is not taken. */
export function freeName(name: string, taken: ReadonlySet<string>): string {
  let free = name;
  for (let i = 2; taken.has(free); i++) free = `${i}-${name}`;
  return free;
}
