/** WARC files of other tools: the older ones are in a package, the others in none. */
import { type FoundMaterial, foreignMaterial } from './foreign-material.ts';

/** Those that are the same in the package and in `../shared/data`. */
const OLDER: ReadonlySet<string> = new Set([
  'example-bad-non-chunked.warc.gz',
  'example-bad.warc.gz.bad',
  'example-iana.org-chunked.warc',
  'example-resource.warc.gz',
  'example-trunc.warc',
  'post-test.warc.gz',
]);

/** A folder, and which files are to be read in it. */
type Archives = FoundMaterial & { readonly has: (file: string) => boolean };

export const ARCHIVES: readonly Archives[] = [
  { ...(await foreignMaterial('archives')), has: (file) => OLDER.has(file) },
  { ...(await foreignMaterial('newerArchives')), has: (file) => !OLDER.has(file) },
];
