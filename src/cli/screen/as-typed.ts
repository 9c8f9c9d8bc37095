/**
 * Commands in hints as their reader can type them: in a checkout that is `bin/drumlin`, which no search path has.
 */
import { delimiter, dirname, relative } from 'node:path';

const COMMANDS =
  'crawl|config|filter|robots|domains|status|report|archive|graph|rank|demo|web|lab|doctor|unique|plan|completion|help';
/** Not in a word, a path or a name: only where a command begins. */
const COMMAND = new RegExp(`(?<![\\w/.-])drumlin (?=(?:${COMMANDS})\\b)`, 'g');

const typed = typedName(process.argv[1] ?? '', process.env.PATH ?? '', process.cwd());

/** How the program at `path` is called from `folder`: by its name where that is enough, or where its path says less. */
export function typedName(path: string, searchPath: string, folder: string): string {
  if (searchPath.split(delimiter).includes(dirname(path))) return 'drumlin';
  const from = relative(folder, path);
  return /^(?!\.\.).*(?<![^/\\])bin[/\\]drumlin$/.test(from) ? from : 'drumlin';
}

export function asTyped(text: string, name = typed): string {
  return name === 'drumlin' ? text : text.replace(COMMAND, `${name} `);
}
