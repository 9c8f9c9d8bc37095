/**
 * Why robots.txt says what it says, for people: the group that applies and the lines as they stand in the file.
 *
 * Reads the file once more, so that the rules a crawl keeps need not carry any of this.
 */
import { agentName, forEachRobotsLine, MAX_ROBOTS_BYTES, utf8 } from './lines.ts';

export interface RobotsGroup {
  /** The name that was found in the file, in lower case, or `*`. */
  readonly agent: string;
  /** Its User-agent lines, counted from 1: groups of one name are one. */
  readonly lines: readonly number[];
}

/** The group that speaks to the crawler; undefined when none does, not even to everybody. */
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

/** A line as it stands in the file, blanks at its ends removed. */
export function lineOf(bytes: Uint8Array, line: number): string {
  const lines = utf8(bytes, 0, bytes.length)
    .replace(/^\ufeff/, '')
    .split(/\r\n|\r|\n/);
  return (lines[line - 1] ?? '').trim();
}
