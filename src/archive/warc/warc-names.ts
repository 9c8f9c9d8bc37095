/** The names of WARC files. */

export const isWarcName = (name: string): boolean => /\.warc(?:\.gz|\.zst)?$/.test(name);

/** The name, or a similar one that is not in use. */
export function freeName(name: string, taken: ReadonlySet<string>): string {
  let free = name;
  for (let i = 2; taken.has(free); i++) free = `${i}-${name}`;
  return free;
}
