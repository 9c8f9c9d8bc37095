import { describe, expect, test } from 'vitest';
import { LINK_WIDTH, LinkRecords } from '../../src/search/links/link-records.ts';
import { KEPT, UrlKeys } from '../../src/search/links/url-keys.ts';

const RECORD = 4 * LINK_WIDTH;
const linksTo = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ url: `http://b.example/${i}` }));

describe('the links of a page', () => {
  test('are held once each, with one record for the page, and none to itself', () => {
    const records = new LinkRecords('crawl', ['one'], new UrlKeys());
    const links = [...linksTo(3), ...linksTo(3), { url: 'http://a.example/' }];
    records.add('http://a.example/', 'one', 0, links);
    expect(records.bytes).toBe(4 * RECORD);
    records.add('http://c.example/', 'one', 0, links);
    expect(records.bytes).toBe(9 * RECORD);
  });

  test('are all held when there are more than keys are kept', () => {
    const records = new LinkRecords('crawl', ['one'], new UrlKeys());
    records.add('http://a.example/', 'one', 0, linksTo(KEPT + 1000));
    expect(records.bytes).toBe((KEPT + 1001) * RECORD);
  });
});
