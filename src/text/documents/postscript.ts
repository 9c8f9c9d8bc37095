/**
 * The text of PostScript: the strings that a program shows.
 *
 * Idea      PostScript is a program, and its prologue defines the operators that the pages use. A
 *           small machine runs it: numbers, stack, definitions, places and fonts. Drawing is
 *           ignored. What dvips writes is recognised and read by the fixed meaning of its
 *           one-letter operators: its prologue needs more than this machine has.
 * Ensures   Never throws, and ends: a program has a limit of steps, of depth and of text.
 * Limits    Fonts with an encoding of their own give wrong letters.
 * Cost      About 0.1 s a megabyte.
 */
import type { FoundText } from './document-text.ts';
import { DvipsPages } from './dvips.ts';
import { PostScriptMachine } from './postscript-machine.ts';
import { Tokens } from './postscript-tokens.ts';
import { TextLines } from './text-lines.ts';

/** So far into a file its maker is named. */
const HEADER = 8192;

export function readPostScript(bytes: Uint8Array, characters: number): FoundText {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  const lines = new TextLines(characters);
  const isDvips = /^%%Creator: dvips|TeXDict begin/m.test(source.slice(0, HEADER));
  const tokens = new Tokens(source, isDvips ? [['%%BeginProcSet', '%%EndProcSet']] : []);
  const reader = isDvips
    ? new DvipsPages(tokens, lines, source)
    : new PostScriptMachine(tokens, lines);
  reader.run();
  lines.newLine();
  return { text: lines.text, pages: reader.pages, addresses: reader.addresses };
}
