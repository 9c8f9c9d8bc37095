/**
 * How much garbage an agent lets grow before V8 collects old objects.
 *
 * By default V8 waits until garbage is as large as the live objects, or three times as large where
 * it may use gigabytes. An agent keeps little alive, and every collection takes the pages under way
 * for old objects, which are garbage a moment later. With 20 MB alive V8 collects three times a
 * second, in threads that no profile shows.
 *
 * Here garbage may grow to 32 MB whatever is alive: small crawls pay for few collections, and usual
 * ones do not grow by it. Where more than 56 MB are alive, a collection is expensive: then garbage
 * may grow by four more megabytes for each megabyte beyond.
 *
 * Requires  a process whose other threads belong to the crawl too: V8 has one such setting for all.
 *           Agents are alike, so it does not matter whose collection sets it.
 */
import {
  constants,
  type NodeGCPerformanceDetail,
  type PerformanceEntry,
  PerformanceObserver,
} from 'node:perf_hooks';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import type { Bytes } from '../base/units.ts';

const GARBAGE: Bytes = 32 * 2 ** 20;
/** Live objects that need no more garbage than that. */
const USUAL: Bytes = 56 * 2 ** 20;
/** Megabytes of garbage for each live megabyte beyond. */
const BEYOND = 4;
/** The most percent of the live objects: tiny heaps must not grow manifold between collections. */
const MOST = 1000;

/** Adjusts V8 after every full collection in this thread, from now on. */
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
