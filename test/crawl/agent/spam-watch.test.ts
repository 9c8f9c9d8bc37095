import { expect, test } from 'vitest';
import { SpamWatch } from '../../../src/crawl/agent/spam-watch.ts';
import { Counters } from '../../../src/crawl/record/counters.ts';
import { Domain } from '../../../src/frontier/host.ts';
import { MEASURES, rounded } from '../../../src/spam/features/content/measures.ts';
import { LiveModel } from '../../../src/spam/live/live-model.ts';
import { tinyModel } from '../../spam/live/tiny-model.ts';

/** By name the domain is ham, by a page of so many words it is spam. */
const values = Float64Array.from(MEASURES, (measure, i) => rounded(i === 0 ? 200 : 0.05, measure));

function watched(isTrusted: boolean) {
  const events: string[] = [];
  const counters = new Counters();
  const watch = new SpamWatch({
    ...{ model: new LiveModel(tinyModel(0.3), 'm.json'), reputation: undefined, counters },
    log: { event: (name) => void events.push(name) },
    trusts: () => isTrusted,
  });
  const domain = new Domain('a.example');
  watch.committed(domain, 'http://a.example/', values);
  return { events, counted: counters.spam, spam: watch.spamOf(domain) };
}

test('a domain that turns out to be spam is counted and logged, unless the operator trusts it', () => {
  const judged = watched(false);
  expect(judged.spam).toBeGreaterThan(0.5);
  expect(judged.events).toEqual(['spam-verdict']);
  expect(judged.counted).toEqual({ verdicts: 1, found: 1, pages: 1 });
  expect(watched(true)).toEqual({ events: [], counted: { verdicts: 1 }, spam: 0 });
});
