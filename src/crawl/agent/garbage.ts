/**
 * How much garbage an agent lets grow before V8 collects what is old.
 *
 * Left to itself V8 goes by what lives: it waits until as much garbage has gathered again, or three times as much where it may take gigabytes. Little
 * lives in an agent, and every collection takes whatever pages are under way for old, which are garbage a moment later: at 20 MB that live it
 * collects three times a second, in threads that no profile shows. Here garbage may grow to 48 MB whatever lives, so that small
 * crawls do not pay for collections and usual ones do not grow by them; where more than 56 MB live, which makes a collection dear, it may grow by four
 * for each megabyte beyond.
 *
 * Requires  a process whose other threads are ours as well: V8 has one such setting for all. Agents are alike, so it does not matter that the one
 *           that was collected last decides for all.
 */
import {
  constants,
  type NodeGCPerformanceDetail,
  type PerformanceEntry,
  PerformanceObserver,
} from 'node:perf_hooks';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import type { Bytes } from '../../base/units.ts';

const GARBAGE: Bytes = 48 * 2 ** 20;
/** More, so many times as much, for what lives beyond. */
const USUAL: Bytes = 56 * 2 ** 20;
const BEYOND = 4;
/** Percent of what lives. Tiny heaps would otherwise be asked to grow manifold from one collection to the next. */
const MOST = 1000;

/** Sees to it from now on, in this thread. */
export function limitGarbage(): void {
  const collected = new PerformanceObserver((list) => {
    if (list.getEntries().some(isFull)) setGrowth(getHeapStatistics().used_heap_size);
  });
  collected.observe({ entryTypes: ['gc'] });
}

// Node's types know no detail.
const isFull = (entry: PerformanceEntry & { readonly detail?: NodeGCPerformanceDetail }): boolean =>
  entry.detail?.kind === constants.NODE_PERFORMANCE_GC_MAJOR;

function setGrowth(lives: Bytes): void {
  const garbage = GARBAGE + BEYOND * Math.max(0, lives - USUAL);
  setFlagsFromString(
    `--heap-growing-percent=${Math.min(MOST, Math.round((100 * garbage) / lives))}`,
  );
}
