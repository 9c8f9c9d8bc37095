/** The names of WARC files, and of the ARC files that are read like them. */

export const isWarcName = (name: string): boolean => /\.w?arc(?:\.gz|\.zst)?$/.test(name);

export const isArcName = (name: string): boolean => /\.arc(?:\.gz)?$/.test(name);

/** The name, or a similar one that is not in use. */
export function freeName(name: string, taken: ReadonlySet<string>): string {
  let free = name;
  for (let i = 2; taken.has(free); i++) free = `${i}-${name}`;
  return free;
}
