import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Domain, Host } from '../../src/frontier/host.ts';
import { ByBudget } from '../../src/frontier/turn-order.ts';
import { Workbench } from '../../src/frontier/workbench.ts';

/** Gives turns among hosts that are always ready, and counts them by domain. */
function turns(count: number, hosts: readonly Host[], order: ByBudget): Map<Domain, number> {
  const given = new Map<Domain, number>();
  for (let i = 0; i < count; i++) {
    const [first] = hosts.toSorted((a, b) => order.placeOf(a) - order.placeOf(b));
    order.took(first);
    given.set(first.domain, (given.get(first.domain) ?? 0) + 1);
  }
  return given;
}

const hostsOf = (domain: Domain, count: number) =>
  Array.from({ length: count }, (_, i) => new Host(`h${i}.${domain.name}`, domain));

test('domains get turns in proportion to their weights, however many hosts they have', () => {
  const one = fc.record({
    budget: fc.integer({ min: 1, max: 200 }),
    hosts: fc.integer({ min: 1, max: 5 }),
  });
  fc.assert(
    fc.property(fc.array(one, { minLength: 2, maxLength: 5 }), (all) => {
      const budgets = new Map<Domain, number>();
      const hosts = all.flatMap(({ budget, hosts: count }, i) => {
        const domain = new Domain(`d${i}.test`);
        budgets.set(domain, budget);
        return hostsOf(domain, count);
      });
      const given = turns(600, hosts, new ByBudget((domain) => budgets.get(domain) ?? 0));
      const sum = [...budgets.values()].reduce((total, budget) => total + budget ** 0.75, 0);
      for (const [domain, budget] of budgets) {
        const share = (600 * budget ** 0.75) / sum;
        expect(Math.abs((given.get(domain) ?? 0) - share)).toBeLessThanOrEqual(all.length);
      }
    }),
    { numRuns: 60 },
  );
});

test('new domains do not all get a turn before the others', () => {
  const good = new Domain('good.test');
  const order = new ByBudget((domain) => (domain === good ? 100 : 1));
  const [host] = hostsOf(good, 1);
  const all = [
    host,
    ...Array.from({ length: 20 }, (_, i) => hostsOf(new Domain(`s${i}.test`), 1)[0]),
  ];
  expect(turns(4, all, order)).toEqual(new Map([[good, 4]]));
  const [first, later] = [all[1], new Host('late.test', new Domain('late.test'))];
  expect(order.placeOf(first)).toBeLessThan(order.placeOf(later));
});

test('a domain that had no ready host has saved nothing up', () => {
  const [a, b] = ['a.test', 'b.test'].map((name) => new Host(name, new Domain(name)));
  const order = new ByBudget(() => 1);
  turns(1, [b], order);
  turns(50, [a], order);
  const given = turns(20, [a, b], order);
  expect(given.get(b.domain)).toBeLessThanOrEqual(11);
});

test('a domain without a budget comes last', () => {
  const [none, least] = ['none.test', 'least.test'].map((name) => new Host(name, new Domain(name)));
  const order = new ByBudget((domain) => (domain === none.domain ? 0 : 1));
  expect(turns(9, [none, least], order).get(none.domain)).toBeUndefined();
});

test('hosts of one domain queue one behind the other', () => {
  const domain = new Domain('wide.test');
  const order = new ByBudget(() => 1);
  const hosts = hostsOf(domain, 4);
  order.took(hosts[0]);
  const places = hosts.map((host) => order.placeBehind(host));
  expect(places.map((place) => Math.round(place - places[0]))).toEqual([0, 1, 2, 3]);
});

test('a domain that rises gets as many turns with all its hosts as one that always was there', () => {
  const WIDE = 20;
  const turnsOf = (before: number) => {
    const wide = new Domain('wide.test');
    let [budget, now] = [before, 0];
    const order = new ByBudget((domain) => (domain === wide ? budget : 1));
    const bench = new Workbench<Host>(undefined, undefined, undefined, order);
    const small = Array.from({ length: 200 }, (_, i) => hostsOf(new Domain(`s${i}.test`), 1)[0]);
    for (const [i, host] of [...hostsOf(wide, WIDE), ...small].entries()) {
      host.queue.push({ url: `http://${host.name}/`, depth: 0, redirects: 0 });
      bench.attach(host, { ip: `10.0.${i >> 8}.${i & 255}`, family: 4 });
    }
    const give = (count: number) => {
      let given = 0;
      for (let i = 0; i < count; i++) {
        const turn = bench.acquire(now++) as NonNullable<ReturnType<typeof bench.acquire>>;
        if (turn.host.domain === wide) given++;
        bench.release(turn, now + 100, now);
      }
      return given;
    };
    give(2000);
    budget = 100;
    bench.reorder(now);
    return give(500);
  };
  const always = turnsOf(100);
  expect(turnsOf(1)).toBeGreaterThan(0.8 * always);
});
