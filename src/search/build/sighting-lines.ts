/**
 * Captures as lines of text, so that they can be sorted by page, then by time.
 *
 *   key, time: 16 and 12 hexadecimal digits
 *   v TEXT VERSION      a capture: the hash of its text, its version in the runs
 *   r TIME              a revisit: the time of the capture that it refers to, plus 1; 0 if unknown;
 *                       2^48 if the page is gone
 */
import type { Millis } from '../../base/units.ts';
import { GONE } from '../store/sightings.ts';

/** Whether a time can be written: from 1970, in 48 bits, of which the last is `GONE`. */
export const isTime = (time: Millis | undefined): time is Millis =>
  time !== undefined && time >= 0 && time < GONE;

const hex = (value: number | bigint, digits: number) => value.toString(16).padStart(digits, '0');

export const captureLine = (key: bigint, time: Millis, text: bigint, version: number): string =>
  `${hex(key, 16)} ${hex(time, 12)} v ${hex(text, 16)} ${hex(version, 8)}`;

/** The server said that the page is not there any more. */
export const goneLine = (key: bigint, time: Millis): string => revisitLine(key, time, GONE);

export const revisitLine = (key: bigint, time: Millis, refersTo: Millis | undefined): string =>
  `${hex(key, 16)} ${hex(time, 12)} r ${hex(refersTo === undefined ? 0 : refersTo + 1, 12)}`;

interface SightingLine {
  readonly time: Millis;
  /** Of a capture; undefined for a revisit. */
  readonly text: bigint | undefined;
  readonly version: number;
  readonly refersTo: Millis;
}

export interface PageLines {
  readonly key: bigint;
  readonly lines: readonly SightingLine[];
}

/** Sorted lines by page. Equal captures come once. */
export async function* byPage(
  batches: AsyncIterable<readonly string[]>,
): AsyncGenerator<PageLines> {
  let [key, before] = ['', ''];
  let lines: SightingLine[] = [];
  for await (const batch of batches) {
    for (const line of batch) {
      // The version does not count: a text may have got several numbers in different runs.
      const capture = line.slice(0, 48);
      const page = line.slice(0, 16);
      if (page !== key) {
        if (lines.length > 0) yield { key: BigInt(`0x${key}`), lines };
        key = page;
        lines = [];
      } else if (capture === before) continue;
      before = capture;
      lines.push(parsed(line));
    }
  }
  if (lines.length > 0) yield { key: BigInt(`0x${key}`), lines };
}

function parsed(line: string): SightingLine {
  const time = Number.parseInt(line.slice(17, 29), 16);
  if (line[30] === 'r')
    return {
      time,
      text: undefined,
      version: -1,
      refersTo: Number.parseInt(line.slice(32), 16) - 1,
    };
  const text = BigInt(`0x${line.slice(32, 48)}`);
  return { time, text, version: Number.parseInt(line.slice(49), 16), refersTo: -1 };
}
