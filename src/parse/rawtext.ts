/**
 * Where the text of a `<script>`, `<style>`, `<title>` … ends: elements whose content is not
 * markup.
 *
 * The ends are positions of the `<` of the end tag, or -1 if the page ends before it.
 */

/**
 * The end of the content of an element like `<style>`: `</style` and then a space, a slash or `>`.
 */
export function rawTextEnd(text: string, from: number, name: string): number {
  for (let at = text.indexOf('</', from); at >= 0; at = text.indexOf('</', at + 2)) {
    if (isTagName(text, at + 2, name)) return at;
  }
  return -1;
}

/**
 * The end of a script. Old pages hide scripts in comments, and a `<script>` within such a comment
 * hides the next `</script>`: the "escaped" and "double escaped" states of the standard.
 */
export function scriptEnd(text: string, from: number): number {
  const end = rawTextEnd(text, from, 'script');
  const comment = end < 0 ? -1 : text.slice(from, end).indexOf('<!--');
  return comment < 0 ? end : escapedScriptEnd(text, from + comment);
}

const SCRIPT_MARK = /<!--|-->|<\/?script(?=[\t\n\f\r />])/gi;

function escapedScriptEnd(text: string, from: number): number {
  let state: 'plain' | 'escaped' | 'double escaped' = 'plain';
  SCRIPT_MARK.lastIndex = from;
  for (let match = SCRIPT_MARK.exec(text); match !== null; match = SCRIPT_MARK.exec(text)) {
    const mark = match[0].toLowerCase();
    if (mark === '-->') state = 'plain';
    else if (mark === '<!--') {
      if (state === 'plain') state = 'escaped';
      SCRIPT_MARK.lastIndex = match.index + 2; // the dashes of `<!-->` also close it
    } else if (mark === '<script') {
      if (state === 'escaped') state = 'double escaped';
    } else if (state === 'double escaped') state = 'escaped';
    else return match.index;
  }
  return -1;
}

/**
 * The end of a comment that begins with `<!--` at `from`: after `-->` or `--!>`, at once for
 * `<!-->`, `<!--->`.
 */
export function commentEnd(text: string, from: number): number {
  if (text.startsWith('>', from + 4)) return from + 5;
  if (text.startsWith('->', from + 4)) return from + 6;
  for (let at = text.indexOf('--', from + 4); at >= 0; at = text.indexOf('--', at + 1)) {
    if (text.startsWith('>', at + 2)) return at + 3;
    if (text.startsWith('!>', at + 2)) return at + 4;
  }
  return text.length;
}

function isTagName(text: string, at: number, name: string): boolean {
  const end = at + name.length;
  if (end >= text.length || !/[\t\n\f\r />]/.test(text.charAt(end))) return false;
  return text.slice(at, end).toLowerCase() === name;
}
