/**
 * Commands in hints, spelt as the user can type them: `bin/drumlin` in a checkout, where the
 * search path does not find `drumlin`.
 */
import { delimiter, dirname, relative } from 'node:path';

const COMMANDS =
  'crawl|cluster|config|set|console|filter|robots|domains|status|report|archive|repair|corpus|graph|rank|matrix|search|spam|refresh|focus|demo|web|lab|doctor|unique|plan|completion|help';
/** Matches only where a command begins, not inside a word, path or name. */
const COMMAND = new RegExp(`(?<![\\w/.-])drumlin (?=(?:${COMMANDS})\\b)`, 'g');

const typed = typedName(process.argv[1] ?? '', process.env.PATH ?? '', process.cwd());

/**
 * How to call the program at `path` from `folder`: `bin/drumlin` inside a checkout that is not in
 * the search path, otherwise `drumlin`.
 */
export function typedName(path: string, searchPath: string, folder: string): string {
  if (searchPath.split(delimiter).includes(dirname(path))) return 'drumlin';
  const from = relative(folder, path);
  return /^(?!\.\.).*(?<![^/\\])bin[/\\]drumlin$/.test(from) ? from : 'drumlin';
}

export function asTyped(text: string, name = typed): string {
  return name === 'drumlin' ? text : text.replace(COMMAND, `${name} `);
}
