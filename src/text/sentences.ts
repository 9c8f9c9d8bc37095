/**
 * Sentences of a line, and what ends one.
 *
 * A sentence ends at a run of terminal punctuation, with closing quotes and brackets behind it, if
 * white space or the end of the line follows. An East Asian full stop needs nothing behind it. Words
 * after the last end are a sentence, too.
 */
import { CLASS, classes, countWordsIn } from './words.ts';

const TERMINAL = /\p{Sentence_Terminal}/u;
const CLOSING = `"'”’»)]」』）`;
const EAST_ASIAN = '。！？｡';

/** The roles of a character, as bits. */
const ENDS = 1;
const CLOSES = 2;
const ENDS_ALONE = 4;
/** The first half of a character of two units: it has to be looked at. */
const PAIR = 8;

let roles: Uint8Array | undefined;

function rolesOf(): Uint8Array {
  roles ??= Uint8Array.from({ length: 0x10000 }, (_, unit) => {
    if (unit >= 0xd800 && unit < 0xe000) return unit < 0xdc00 ? PAIR : 0;
    const character = String.fromCharCode(unit);
    if (EAST_ASIAN.includes(character)) return ENDS | ENDS_ALONE;
    return (TERMINAL.test(character) ? ENDS : 0) | (CLOSING.includes(character) ? CLOSES : 0);
  });
  return roles;
}

/** Whether the line from `start` to `end` ends with terminal punctuation. */
export function endsWithTerminal(units: Uint16Array, start: number, end: number): boolean {
  if (end === start) return false;
  const last = units[end - 1];
  if (last >= 0xdc00 && last < 0xe000)
    return end - start > 1 && TERMINAL.test(String.fromCharCode(units[end - 2], last));
  return (rolesOf()[last] & ENDS) !== 0;
}

/** The number of sentences in the line from `start` to `end`. */
export function countSentences(units: Uint16Array, start: number, end: number): number {
  const role = rolesOf();
  const kinds = classes();
  let count = 0;
  let rest = start;
  let at = start;
  while (at < end) {
    if ((role[units[at]] & (ENDS | PAIR)) === 0) {
      at++;
      continue;
    }
    let alone = 0;
    const run = at;
    for (let width = endsAt(units, at, role); width > 0; width = endsAt(units, at, role)) {
      alone |= role[units[at]];
      at += width;
    }
    if (at === run) {
      at++;
      continue;
    }
    while (at < end && (role[units[at]] & CLOSES) !== 0) at++;
    const ends = at === end || (alone & ENDS_ALONE) !== 0 || kinds[units[at]] === CLASS.space;
    if (!ends) continue;
    count++;
    rest = at;
  }
  return countWordsIn(units, rest, end) > 0 ? count + 1 : count;
}

/** The units of the terminal punctuation mark at a place; 0 if there is none. */
function endsAt(units: Uint16Array, at: number, role: Uint8Array): number {
  const found = role[units[at]];
  if (found === PAIR) return TERMINAL.test(String.fromCharCode(units[at], units[at + 1])) ? 2 : 0;
  return (found & ENDS) !== 0 ? 1 : 0;
}
