/**
 * Explains a robots.txt: the group that applies, and the lines as written in the file.
 *
 * It reads the file again, so that the rules that a crawl keeps need none of this.
 */
import { agentName, forEachRobotsLine, MAX_ROBOTS_BYTES, utf8 } from './lines.ts';

export interface RobotsGroup {
  /** The name of the group in the file, in lower case, or `*`. */
  readonly agent: string;
  /** The numbers of its User-agent lines, from 1. Groups with the same name are one group. */
  readonly lines: readonly number[];
}

/** The group that applies to the crawler; undefined if none does, not even `*`. */
export function groupFor(bytes: Uint8Array, productToken: string): RobotsGroup | undefined {
  const token = productToken.toLowerCase();
  const ours: number[] = [];
  const everybody: number[] = [];
  forEachRobotsLine(bytes, MAX_ROBOTS_BYTES, (key, from, to, line) => {
    if (key !== 'user-agent') return;
    const name = agentName(utf8(bytes, from, to));
    if (name === token) ours.push(line);
    else if (name === '*') everybody.push(line);
  });
  if (ours.length > 0) return { agent: token, lines: ours };
  return everybody.length > 0 ? { agent: '*', lines: everybody } : undefined;
}

/** A line as written in the file, without blanks at its ends. */
export function lineOf(bytes: Uint8Array, line: number): string {
  const lines = utf8(bytes, 0, bytes.length)
    .replace(/^\ufeff/, '')
    .split(/\r\n|\r|\n/);
  return (lines[line - 1] ?? '').trim();
}
