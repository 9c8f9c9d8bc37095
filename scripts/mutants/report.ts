/** What a sample of planted faults says: the share that was found, by folder, and what was not. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Outcome {
  readonly key: string;
  readonly kind: string;
  readonly file: string;
  readonly line: number;
  readonly from: string;
  readonly to: string;
  readonly what?: string | undefined;
  /** `unreached`: no test runs the line. It counts as one that survived. */
  readonly outcome: 'found' | 'survived' | 'unreached' | 'timeout';
  readonly tests: number;
  readonly seconds: number;
  /** The first test that failed. */
  readonly by?: string | undefined;
}

/** A fault here loses data, lets somebody in or is impolite: it is drawn twice as often. */
export const isDouble = (file: string): boolean =>
  /^src\/(?:politeness|frontier|drum|disk|crawl\/(?:state|hosts|render)|archive\/(?:write|index)|fetch|robots|net|render|cluster)\//.test(
    file,
  );

/** Faults that nobody could see, each with the reason: `{ file, from, to, why }`. */
const EQUIVALENT: readonly Record<'file' | 'from' | 'to' | 'why', string>[] = JSON.parse(
  readFileSync(join(import.meta.dirname, 'equivalents.json'), 'utf8'),
);

export function report(outcomes: readonly Outcome[]): string {
  const why = ({ file, from, to }: Outcome) =>
    EQUIVALENT.find((each) => each.file === file && each.from === from && each.to === to)?.why;
  const late = outcomes.filter(({ outcome }) => outcome === 'timeout');
  const counted = outcomes.filter((each) => {
    return each.outcome === 'found' || (each.outcome !== 'timeout' && why(each) === undefined);
  });
  const missed = counted.filter(({ outcome }) => outcome !== 'found');
  const equal = outcomes.filter((each) => !counted.includes(each) && !late.includes(each));
  const share = (name: string, some: readonly Outcome[]) => {
    const found = some.filter(({ outcome }) => outcome === 'found').length;
    const percent = ((100 * found) / Math.max(some.length, 1)).toFixed(1);
    return `${name.padEnd(26)} ${found} of ${some.length} (${percent} %)`;
  };
  const short = (text: string) => text.replace(/\s+/g, ' ').slice(0, 70) || '(nothing)';
  const line = (sign: string, each: Outcome) =>
    `${sign} ${each.file}:${each.line} ${each.outcome} (${each.tests} test files), ${each.kind}: ` +
    `${each.what ?? `${short(each.from)} → ${short(each.to)}`}${why(each) ? `. ${why(each)}` : ''}`;
  const folders = [...new Set(counted.map(({ file }) => file.split('/')[1]))].sort();
  return [
    ...folders.map((name) =>
      share(
        name,
        counted.filter(({ file }) => file.split('/')[1] === name),
      ),
    ),
    share(
      'folders that count double',
      counted.filter(({ file }) => isDouble(file)),
    ),
    share(
      'elsewhere',
      counted.filter(({ file }) => !isDouble(file)),
    ),
    `equivalent ${equal.length}, timeouts ${late.length}`,
    ...equal.map((each) => line('=', each)),
    ...late.map((each) => line('?', each)),
    ...missed.map((each) => line('-', each)),
  ].join('\n');
}
