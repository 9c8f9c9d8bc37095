/** Changes of links by their definitions, on sets. */
import fc from 'fast-check';

/** A snapshot: its sites and their links, by name. */
export interface Snapshot {
  readonly names: readonly string[];
  readonly arcs: readonly (readonly [string, string])[];
}

const NAMES = ['a.com', 'b.com', 'c.com', 'd.com', 'e.com', 'f.com', 'g.com'];

const snapshot: fc.Arbitrary<Snapshot> = fc.subarray(NAMES, { minLength: 2 }).chain((names) =>
  fc.record({
    names: fc.constant([...names].sort()),
    arcs: fc.array(fc.tuple(fc.constantFrom(...names), fc.constantFrom(...names)), {
      maxLength: 24,
    }),
  }),
);

/** The later one often keeps links of the earlier one. */
export const snapshots: fc.Arbitrary<readonly [Snapshot, Snapshot]> = fc
  .tuple(snapshot, snapshot)
  .map(([earlier, later]) => {
    const known = new Set(later.names);
    const kept = earlier.arcs.filter(([x, y], i) => i % 3 > 0 && known.has(x) && known.has(y));
    return [earlier, { names: later.names, arcs: [...later.arcs.slice(0, 8), ...kept] }];
  });

export type Neighbours = (site: string) => ReadonlySet<string>;

export function neighboursIn({ arcs }: Snapshot, direction: 'in' | 'out'): Neighbours {
  const others = arcs.filter(([x, y]) => x !== y);
  const known = new Map<string, Set<string>>();
  for (const [x, y] of others) {
    const [key, value] = direction === 'out' ? [x, y] : [y, x];
    known.set(key, (known.get(key) ?? new Set()).add(value));
  }
  return (site) => known.get(site) ?? new Set();
}

export const mean = (values: readonly number[]) =>
  values.length === 0 ? 0 : values.reduce((a, b) => a + b, 0) / values.length;
export const variance = (values: readonly number[]) =>
  mean(values.map((value) => (value - mean(values)) ** 2));

export function rates(before: ReadonlySet<string>, after: ReadonlySet<string>) {
  const kept = [...before].filter((site) => after.has(site)).length;
  const base = before.size || 1;
  return { death: (before.size - kept) / base, growth: (after.size - kept) / base };
}

export function clustering(out: Neighbours, site: string): number {
  const linked = [...out(site)];
  const pairs = linked.flatMap((b) => linked.filter((c) => c !== b).map((c) => out(b).has(c)));
  return pairs.length === 0 ? 0 : pairs.filter(Boolean).length / pairs.length;
}

function jaccard(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const all = new Set([...a, ...b]).size;
  return all === 0 ? 1 : [...a].filter((one) => b.has(one)).length / all;
}

export interface Estimated {
  readonly value: number;
  /** Of one draw; at most this. */
  readonly deviation: number;
}

/** XJaccard for each length. */
export function xJaccard(earlier: Neighbours, later: Neighbours, site: string): Estimated[] {
  let [a, b] = [new Set([site]), new Set([site])];
  let [value, deviation] = [0, 0];
  return [1, 2, 3, 4].map((k) => {
    a = new Set([...a].flatMap((one) => [...earlier(one)]));
    b = new Set([...b].flatMap((one) => [...later(one)]));
    const j = jaccard(a, b);
    value += j * 0.1 ** k * 0.9;
    deviation += Math.sqrt(j * (1 - j)) * 0.1 ** k * 0.9;
    return { value, deviation };
  });
}

/** PSimRank for each length: the recursion of its definition, over pairs of places. */
export function pSimRank(earlier: Neighbours, later: Neighbours, site: string): Estimated[] {
  /** The mean of c^(power · steps) until they meet. */
  const expected = (u: string, v: string, steps: number, power: number): number => {
    if (steps === 0) return 0;
    const [a, b] = [[...earlier(u)], [...later(v)]];
    const c = 0.15 ** power;
    if (a.length === 0 && b.length === 0) return u === v ? c : 0;
    if (a.length === 0 || b.length === 0) return 0;
    const all = new Set([...a, ...b]).size;
    const onlyA = a.filter((one) => !b.includes(one));
    const onlyB = b.filter((one) => !a.includes(one));
    const apart = [
      ...onlyA.map((x) => mean(b.map((y) => expected(x, y, steps - 1, power)))),
      ...onlyB.map((y) => mean(a.map((x) => expected(x, y, steps - 1, power)))),
    ];
    const met = all - onlyA.length - onlyB.length;
    return (c * (met + apart.reduce((sum, one) => sum + one, 0))) / all;
  };
  return [1, 2, 3, 4].map((steps) => {
    const value = expected(site, site, steps, 1);
    const square = expected(site, site, steps, 2);
    return { value, deviation: Math.sqrt(Math.max(0, square - value ** 2)) };
  });
}
