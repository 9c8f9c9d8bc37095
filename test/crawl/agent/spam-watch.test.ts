import { expect, test } from 'vitest';
import { SpamWatch } from '../../../src/crawl/agent/spam-watch.ts';
import { Counters } from '../../../src/crawl/record/counters.ts';
import { Disk } from '../../../src/disk/disk.ts';
import { fingerprintOf } from '../../../src/duplicates/fingerprint.ts';
import { FirstTexts } from '../../../src/duplicates/first-texts.ts';
import { Domain } from '../../../src/frontier/host.ts';
import { HostStore } from '../../../src/frontier/host-store.ts';
import { MEASURES, roundValues } from '../../../src/spam/features/content/measures.ts';
import { LiveModel } from '../../../src/spam/live/live-model.ts';
import { temporaryFolder } from '../../disk/temporary-folder.ts';
import { copiesModel, tinyModel } from '../../spam/live/tiny-model.ts';

/** By name the domain is ham, by a page of so many words it is spam. */
const values = Float64Array.from(MEASURES, (_, i) => (i === 0 ? 200 : 0.05));
roundValues(values);
const { sketch, distinct } = fingerprintOf(
  Buffer.from(Array.from({ length: 60 }, (_, i) => `word${i}`).join(' ')),
);
const page = { values, sketch, distinct };

function watched(isTrusted: boolean) {
  const events: string[] = [];
  const counters = new Counters();
  const watch = new SpamWatch({
    ...{
      model: new LiveModel(tinyModel(0.3), 'm.json'),
      texts: undefined,
      reputation: undefined,
      counters,
    },
    log: { event: (name) => void events.push(name) },
    trusts: () => isTrusted,
  });
  const domain = new Domain('a.example');
  watch.committed(domain, 'http://a.example/', page);
  return { events, counted: counters.spam, spam: watch.spamOf(domain) };
}

test('a domain that turns out to be spam is counted and logged, unless the operator trusts it', () => {
  const judged = watched(false);
  expect(judged.spam).toBeGreaterThan(0.5);
  expect(judged.events).toEqual(['spam-verdict']);
  expect(judged.counted).toEqual({ verdicts: 1, found: 1, pages: 1 });
  expect(watched(true)).toEqual({ events: [], counted: { verdicts: 1 }, spam: 0 });
});

/** A store of its own for every test, and what is known of domains in memory. */
async function storeWith(domains: readonly Domain[]) {
  const folder = temporaryFolder();
  const store = await HostStore.open({ disk: new Disk(), folder, memory: 2 ** 20 });
  for (const domain of domains) store.saveDomain(domain);
  return store;
}

test('at the end of a crawl domains on disk are judged once, however often it is resumed', async () => {
  const counters = new Counters();
  const watch = () =>
    new SpamWatch({
      ...{
        model: new LiveModel(tinyModel(0.3), 'm.json'),
        texts: undefined,
        reputation: undefined,
        counters,
      },
      ...{ log: { event: () => {} }, trusts: () => false },
    });
  const domains = ['a.example', 'b.example', 'c.example'].map((name) => new Domain(name));
  const first = watch();
  // The second page is between two stages.
  for (const domain of domains)
    for (const path of ['', 'two']) first.committed(domain, `http://${domain.name}/${path}`, page);
  const store = await storeWith(domains);
  expect(counters.spam?.verdicts).toBe(3);
  await first.conclude({ domainsInMemory: () => [domains[0]] }, store);
  expect(counters.spam?.verdicts).toBe(6);
  await watch().conclude({ domainsInMemory: () => [domains[0]] }, store);
  expect(counters.spam?.verdicts).toBe(6);
  await store.close();
});

test('a domain that its pages have shut out is not fetched from, unless the operator has decided', () => {
  const set: unknown[] = [];
  const decided = new Set<string>();
  const reputation = {
    setSpam: (...verdict: unknown[]) => void set.push(verdict),
    shutsOut: ({ name }: { name: string }, spam: number) => !decided.has(name) && spam > 0.5,
    write: async () => {},
  };
  const watch = new SpamWatch({
    ...{
      model: new LiveModel(tinyModel(0.3), 'm.json'),
      texts: undefined,
      reputation,
      counters: new Counters(),
    },
    ...{ log: { event: () => {} }, trusts: () => false },
  });
  const domain = new Domain('a.example');
  expect(watch.shuts(domain)).toBe(false);
  const hosts = { domainOf: (host: string) => (host === 'www.a.example' ? domain : undefined) };
  watch.committed(domain, 'http://a.example/', page);
  expect(set).toEqual([[domain.hash, watch.spamOf(domain), false]]);
  expect(watch.shuts(domain)).toBe(true);
  expect(watch.shutsDomainOf('www.a.example', hosts)).toBe(true);
  expect(watch.shutsDomainOf('other.example', hosts)).toBe(false);
  decided.add('a.example');
  expect(watch.shuts(domain)).toBe(false);
});

test('a domain whose pages another domain had first is judged by that, and the first is not', () => {
  const watch = new SpamWatch({
    ...{ model: new LiveModel(copiesModel(-1.2), 'm.json'), texts: new FirstTexts() },
    ...{ reputation: undefined, counters: new Counters() },
    ...{ log: { event: () => {} }, trusts: () => false },
  });
  const [first, second] = ['a.example', 'b.example'].map((name) => new Domain(name));
  for (const domain of [first, second, first])
    watch.committed(domain, `http://${domain.name}/`, page);
  expect(watch.spamOf(first)).toBeLessThan(0.5);
  expect(watch.spamOf(second)).toBeGreaterThan(0.5);
});
