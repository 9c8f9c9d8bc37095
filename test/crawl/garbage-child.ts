/**
 * Makes garbage that V8 takes for old; prints the number of full collections and the largest heap.
 */
import { constants, type NodeGCPerformanceDetail, PerformanceObserver } from 'node:perf_hooks';
import { setImmediate as turn } from 'node:timers/promises';
import { getHeapStatistics } from 'node:v8';
import { limitGarbage } from '../../src/crawl/heap-growth.ts';

const [limits, lives] = [process.argv[2] === 'limited', Number(process.argv[3])];
if (limits) limitGarbage();
/** Megabytes of garbage before V8 has adjusted, and afterwards. */
const [SETTLING, COUNTED] = [400, 600];
let collections = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    const { kind } = (entry as unknown as { detail: NodeGCPerformanceDetail }).detail;
    if (kind === constants.NODE_PERFORMANCE_GC_MAJOR) collections++;
  }
}).observe({ entryTypes: ['gc'] });

/** Two kilobytes each; each is dropped after one round of the ring. */
const ring: unknown[] = new Array(lives * 512).fill(undefined);
let largest = 0;
for (let made = 0; made < (SETTLING + COUNTED) * 512; made++) {
  ring[made % ring.length] = new Array(256).fill(made);
  if (made % 512 > 0) continue;
  await turn();
  if (made === SETTLING * 512) collections = 0;
  if (made > SETTLING * 512) largest = Math.max(largest, getHeapStatistics().used_heap_size);
}
process.stdout.write(JSON.stringify({ collections, megabytes: Math.round(largest / 2 ** 20) }));
