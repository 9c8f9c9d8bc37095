/**
 * Which worker runs which agent?
 *
 * Idea      Rendezvous hashing with a bound. Every agent ranks the workers by a hash of both names,
 *           scaled by their weights. Agents choose in a fixed order, the heaviest first, and each
 *           takes the first worker of its list that has room. So a worker that comes or goes moves
 *           few agents beside its own, and none has much more to do than the others. An agent with
 *           a giant domain cannot be divided: it is placed first, and the others fill up around it.
 * Requires  names of workers that differ; loads that are not negative.
 * Ensures   every agent has a worker, if there is one. A worker's load exceeds its share by at most
 *           a tenth and the load of one agent. The same input gives the same placement everywhere.
 * Cost      O(agents · workers).
 */
import { xxh64 } from '../../base/xxh64.ts';

interface PlacedWorker {
  readonly name: string;
  readonly weight: number;
}

/** What each worker may have above its share. */
const SLACK = 1.1;

/** `loads` by agent: any unit. Returns the worker of each agent; '' if there is none. */
export function place(workers: readonly PlacedWorker[], loads: readonly number[]): string[] {
  const placed = loads.map(() => '');
  if (workers.length === 0) return placed;
  // A new agent has no load yet; it counts a little, so that agents are spread by number too.
  const total = loads.reduce((sum, load) => sum + load, 0);
  const least = total === 0 ? 1 : (0.2 * total) / loads.length;
  const counted = loads.map((load) => Math.max(load, least));
  const all = counted.reduce((sum, load) => sum + load, 0);
  const weights = workers.reduce((sum, { weight }) => sum + weight, 0);
  const room = new Map(workers.map(({ name, weight }) => [name, (SLACK * all * weight) / weights]));
  for (const agent of heaviestFirst(counted)) {
    const ranked = rank(workers, agent);
    const chosen =
      ranked.find((name) => (room.get(name) ?? 0) >= counted[agent]) ??
      ranked.reduce((best, name) => ((room.get(name) ?? 0) > (room.get(best) ?? 0) ? name : best));
    room.set(chosen, (room.get(chosen) ?? 0) - counted[agent]);
    placed[agent] = chosen;
  }
  return placed;
}

function heaviestFirst(loads: readonly number[]): number[] {
  return loads.map((_, agent) => agent).sort((a, b) => loads[b] - loads[a] || a - b);
}

/** The workers in the order in which an agent prefers them. */
function rank(workers: readonly PlacedWorker[], agent: number): string[] {
  const score = ({ name, weight }: PlacedWorker) => {
    const share = (Number(xxh64(`${agent} ${name}`) >> 11n) + 0.5) / 2 ** 53;
    return -weight / Math.log(share);
  };
  return workers
    .map((worker) => ({ name: worker.name, score: score(worker) }))
    .sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1))
    .map(({ name }) => name);
}
