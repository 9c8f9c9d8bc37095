/** The health of a crawl: if it is in trouble, one sentence about it and the remedy. */
import {
  type Bytes,
  counted,
  formatBytes,
  formatCount,
  formatDuration,
  type Millis,
} from '../../base/units.ts';
import type { Progress } from '../record/progress.ts';

export interface Trouble {
  readonly code:
    | 'network-gone'
    | 'names-gone'
    | 'no-pages'
    | 'no-checkpoint'
    | 'disk-low'
    | 'internal-error';
  readonly fact: string;
  readonly remedy: string;
  /** The crawl does all that it should: `/healthz` still reports healthy. */
  readonly isHealthy?: true;
}

const MINUTE: Millis = 60_000;
/** Longer than any pause for politeness, except those that servers ask for. */
const SILENCE: Millis = 5 * MINUTE;
/** A merge and a checkpoint need some hundred megabytes at the same time. */
const LITTLE_ROOM: Bytes = 5e8;
/** Trouble from this many checkpoint intervals on: a busy disk may delay checkpoints a little. */
const LATE = 10;

export function troubleOf(now: Progress): Trouble | undefined {
  const { vitals, at, front, fetching, queued } = now;
  const since = (time: Millis) => formatDuration(at - time);
  if (vitals.outage?.of === 'network') {
    return {
      code: 'network-gone',
      fact: `No server has answered for ${since(vitals.outage.since)}.`,
      remedy: 'Check the network; the crawl continues by itself, and no URL fails meanwhile.',
    };
  }
  if (vitals.outage) {
    return {
      code: 'names-gone',
      fact: `DNS look-ups have failed for ${since(vitals.outage.since)}.`,
      remedy: 'Check the name servers, or name others with --dns; the crawl continues by itself.',
    };
  }
  if (now.diskFree !== undefined && now.diskFree < LITTLE_ROOM) {
    return {
      code: 'disk-low',
      fact: `Only ${formatBytes(now.diskFree)} are free on the disk of the crawl.`,
      remedy:
        'Free some space: on a full disk the crawl stops, and you can resume it from its last checkpoint.',
    };
  }
  if (!now.paused && at - vitals.lastPageAt > SILENCE && front + fetching + queued > 0) {
    return {
      code: 'no-pages',
      fact: `No page was fetched for ${since(vitals.lastPageAt)}, although ${formatCount(queued + fetching)} URLs are queued.`,
      remedy: 'Read the last lines of log.jsonl: hosts may ask for long delays, or fail.',
    };
  }
  // The age of a checkpoint of an earlier run does not matter.
  const saved = Math.max(vitals.savedAt ?? 0, now.startedAt);
  if (now.checkpoint > 0 && at - saved > Math.max(SILENCE, LATE * now.checkpoint)) {
    return {
      code: 'no-checkpoint',
      fact: `The last checkpoint is ${since(saved)} old.`,
      remedy: 'The disk may be too slow or too full: measure it with drumlin doctor.',
    };
  }
  return internalErrors(now);
}

/** What `/healthz` reports. */
export function isHealthy(now: Progress): boolean {
  const trouble = troubleOf(now);
  return trouble === undefined || trouble.isHealthy === true;
}

/** Errors of our own in the handling of hosts and pages, in this run. */
function internalErrors({ errors, retries, refused }: Progress): Trouble | undefined {
  const [failed = 0, retried = 0, cut = 0] = [
    errors['internal-error'],
    retries['internal-error'],
    refused['links-lost'],
  ];
  if (failed + retried + cut === 0) return undefined;
  return {
    code: 'internal-error',
    fact: `Drumlin has a bug: ${counted(failed, 'URL')} failed by it, ${counted(retried, 'attempt')} ${retried === 1 ? 'is' : 'are'} made again, the links of ${counted(cut, 'page')} were lost.`,
    remedy: 'Report the "internal-error" events of log.jsonl; the crawl continues.',
    isHealthy: true,
  };
}
