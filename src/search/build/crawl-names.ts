/** The names of crawls: what a timeline calls them. */
import { basename, resolve } from 'node:path';
import type { IndexManifest } from '../store/index-folder.ts';

const ENDING = /\.warc(?:\.gz|\.zst)?$/;

/**
 * The name of each place, by its path: its last folder, or as many more as make it differ from all
 * other places of the call and of the index. A place that the index has keeps its name.
 */
export function crawlNames(
  places: readonly string[],
  manifest: IndexManifest | undefined,
): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const { files } of manifest?.parts ?? [])
    for (const { place, crawl = basename(place).replace(ENDING, '') } of files)
      names.set(place, crawl);
  const taken = new Set(names.values());
  let open = [...new Set(places.map((place) => resolve(place)))].filter((each) => !names.has(each));
  for (let folders = 1; open.length > 0; folders++) {
    const ends = open.map((place) => endOf(place, folders));
    const isNamed = (place: string, i: number): boolean => {
      const isWhole = ends[i] === endOf(place, folders + 1); // x.warc and x.warc.gz are one crawl
      return (
        isWhole || (!taken.has(ends[i]) && ends.indexOf(ends[i]) === ends.lastIndexOf(ends[i]))
      );
    };
    const rest: string[] = [];
    for (const [i, place] of open.entries())
      if (isNamed(place, i)) names.set(place, ends[i]);
      else rest.push(place);
    for (const end of ends) taken.add(end);
    open = rest;
  }
  return names;
}

const endOf = (place: string, folders: number): string =>
  place
    .replace(ENDING, '')
    .split(/[/\\]/)
    .filter((each) => each !== '')
    .slice(-folders)
    .join('/');
