import { describe, expect, test } from 'vitest';
import { crawl } from '../../src/api/index.ts';
import { linking, startSmallSite } from './small-site.ts';

const LOCAL = { allowPrivate: true, delay: 0, agents: 1 };

describe('the stream of pages', () => {
  test('yields url, status, headers, body and links of each page', async () => {
    const site = await startSmallSite({ '/': linking('/a'), '/a': 'the end' });
    const pages = [];
    for await (const page of crawl({ ...LOCAL, seeds: `${site.origin}/` })) pages.push(page);
    expect(pages.map(({ url, status }) => [url, status])).toEqual([
      [`${site.origin}/`, 200],
      [`${site.origin}/a`, 200],
    ]);
    expect(pages[0].headers.get('Content-Type')).toBe('text/html');
    expect(pages[0].links).toEqual([{ url: `${site.origin}/a`, kind: 'a', nofollow: false }]);
    expect(Buffer.from(pages[1].body).toString()).toBe('the end');
    await site.close();
  });

  test('stops the crawl when its reader leaves the loop', async () => {
    const site = await startSmallSite({
      '/': linking(...Array.from({ length: 500 }, (_, i) => `/${i}`)),
    });
    for await (const _ of crawl({ ...LOCAL, seeds: `${site.origin}/` })) break;
    const asked = site.asked.length;
    expect(asked).toBeLessThan(100);
    await site.close();
  });

  test('throws what is wrong with its options, with the remedy', async () => {
    const first = (options: object) =>
      crawl({ ...LOCAL, seeds: 'http://127.0.0.1:1/', ...options }).next();
    await expect(first({ maxPags: 3 })).rejects.toThrow(
      'There is no setting "maxPags". Did you mean "maxPages"?',
    );
    await expect(first({ seeds: 'ftp://example.org' })).rejects.toThrow(
      'Only http and https URLs are crawled',
    );
    await expect(first({ delay: '10x' })).rejects.toThrow('delay: "10x" is not a time');
  });
});
