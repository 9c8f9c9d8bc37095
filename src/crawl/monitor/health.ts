/** Is a crawl doing what it is there for? If not: what is wrong, in one sentence, and what to do about it. */
import {
  type Bytes,
  formatBytes,
  formatCount,
  formatDuration,
  type Millis,
} from '../../base/units.ts';
import type { Progress } from '../record/progress.ts';

export interface Trouble {
  readonly code: 'network-gone' | 'names-gone' | 'no-pages' | 'no-checkpoint' | 'disk-low';
  readonly fact: string;
  readonly remedy: string;
}

const MINUTE: Millis = 60_000;
/** Longer than any pause that politeness asks for, unless servers asked for it themselves. */
const SILENCE: Millis = 5 * MINUTE;
/** A merge and a checkpoint want some hundred megabytes at once. */
const LITTLE_ROOM: Bytes = 5e8;
/** Checkpoints may be late while the disk is busy; so late they may not be. */
const LATE = 10;

export function troubleOf(now: Progress): Trouble | undefined {
  const { vitals, at, front, fetching, queued } = now;
  const since = (time: Millis) => formatDuration(at - time);
  if (vitals.outage?.of === 'network') {
    return {
      code: 'network-gone',
      fact: `Nobody has answered for ${since(vitals.outage.since)}.`,
      remedy: 'Check the network; the crawl goes on by itself, and no URL is given up meanwhile.',
    };
  }
  if (vitals.outage) {
    return {
      code: 'names-gone',
      fact: `Names cannot be looked up for ${since(vitals.outage.since)}.`,
      remedy: 'Check the name servers, or name others with --dns; the crawl goes on by itself.',
    };
  }
  if (now.diskFree !== undefined && now.diskFree < LITTLE_ROOM) {
    return {
      code: 'disk-low',
      fact: `Only ${formatBytes(now.diskFree)} are free on the disk that the crawl is kept on.`,
      remedy:
        'Make room: when it is full the crawl stops, and goes on from its last checkpoint when it is begun again.',
    };
  }
  if (at - vitals.lastPageAt > SILENCE && front + fetching + queued > 0) {
    return {
      code: 'no-pages',
      fact: `No page has come for ${since(vitals.lastPageAt)} although ${formatCount(queued + fetching)} URLs wait.`,
      remedy: 'See the last lines of log.jsonl: hosts may ask for long delays, or refuse.',
    };
  }
  // One of an earlier run may be as old as it likes.
  const saved = Math.max(vitals.savedAt ?? 0, now.startedAt);
  if (now.checkpoint > 0 && at - saved > Math.max(SILENCE, LATE * now.checkpoint)) {
    return {
      code: 'no-checkpoint',
      fact: `The last checkpoint is ${since(saved)} old.`,
      remedy: 'The disk may be too slow or too full: drumlin doctor measures it.',
    };
  }
  return undefined;
}
