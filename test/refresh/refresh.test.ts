import { afterEach, describe, expect, test } from 'vitest';
import { Later } from './lab-refresh.ts';

let later: Later;
afterEach(() => later.close());

describe('a refresh of the clean web', () => {
  test('finds which pages are alive, without sending an unchanged body again', async () => {
    later = new Later({ domains: 12, pages: 40 });
    await later.stepTo(0);
    console.log(await later.crawl({ maxPages: 1000 }));
    await later.stepTo(11, 'access.jsonl');
    const summary = await later.refresh('new', { alpha: 1, z: '5%' });
    console.log({ ...summary, curve: undefined });
    const wrong = later.verdicts('new').filter(({ url, verdict }) => {
      const expected = later.lab.expected(url);
      const alive = ['unchanged', 'changed', 'moved'].includes(verdict);
      return alive !== (expected?.status === 200);
    });
    expect(wrong).toEqual([]);
    await later.lab.close();
    const log = later.requests('access.jsonl');
    console.log(log.length, log.filter((x) => x.path === '/robots.txt').length);
    expect(log.filter(({ condition }) => condition).length).toBeGreaterThan(10);
  });
});
