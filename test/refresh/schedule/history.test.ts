import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DAY, History } from '../../../src/refresh/schedule/history.ts';
import { looksIn } from '../../../src/refresh/schedule/looks.ts';
import { temporaryFolder } from '../../disk/temporary-folder.ts';
import { quickDisk } from '../../graph/fixtures.ts';

const at = (day: number) => day * DAY;
const moment = (day: number) => ({ from: at(day), to: at(day) });

/** A page that was looked at on days 0 and 10, and had another payload the second time. */
function changedOnce(): History {
  const history = new History();
  history.look(at(0), 'a');
  history.look(at(10), 'b');
  return history;
}

describe('the history of a page', () => {
  test('is what looks showed', () => {
    const history = changedOnce();
    history.look(at(12), undefined);
    history.look(at(15), 'b');
    expect(history.looks).toEqual([
      { time: 10, changed: true },
      { time: 2, changed: false },
      { time: 3, changed: false },
    ]);
    history.dead();
    expect(history).toMatchObject({ isAlive: false, last: at(15) });
  });

  test('does not count a statement about a page of which none proved right before', () => {
    const history = changedOnce();
    history.stated(at(20), moment(5));
    expect(history.looks).toHaveLength(1);
    expect(history.last).toBe(at(10));
  });

  test('counts statements like looks once one proved right', () => {
    const history = changedOnce();
    history.stated(at(11), moment(5)); // right: the look of day 10 showed a change
    history.stated(at(14), moment(5));
    expect(history.last).toBe(at(14));
    history.stated(at(20), moment(17));
    expect(history.looks.slice(1)).toEqual([
      { time: 4, changed: false },
      { time: 6, changed: true },
    ]);
    expect(history.last).toBe(at(14)); // the copy is known to be old: due all the sooner
    history.look(at(25), 'c'); // what happened from day 20 to 25 is not known
    history.look(at(26), 'c');
    expect(history.looks.slice(3)).toEqual([{ time: 1, changed: false }]);
  });

  test.each([
    ['no change where there was one', 11, -5],
    ['a change where there was none', 13, 11],
  ])('counts none after one that was wrong: %s', (_, time, when) => {
    const history = changedOnce();
    history.stated(at(10.5), moment(5));
    history.look(at(12), 'b');
    history.stated(at(time < 12 ? 12.5 : time), moment(when));
    const before = history.looks.length;
    if (time < 12) history.look(at(13), 'c');
    if (time < 12) history.stated(at(13.5), moment(when));
    const after = history.looks.length;
    history.stated(at(20), moment(5));
    expect(history.looks.length).toBe(after);
    expect(before).toBe(2);
  });

  test('a statement of a change that the next look does not see is wrong', () => {
    const history = changedOnce();
    history.stated(at(10.5), moment(10.4));
    history.look(at(12), 'b');
    history.stated(at(20), moment(5));
    history.stated(at(30), moment(5));
    expect(history.looks).toHaveLength(2);
  });

  test('a day that begins before a look and ends after it says nothing', () => {
    const history = changedOnce();
    history.stated(at(11), moment(5));
    history.stated(at(14), { from: at(9.5), to: at(10.5) });
    expect(history.looks).toHaveLength(1);
  });

  test('honest statements teach as much as looks at the same times', () => {
    const days = fc.uniqueArray(fc.integer({ min: 12, max: 90 }), { minLength: 1, maxLength: 9 });
    fc.assert(
      fc.property(days, fc.uniqueArray(fc.integer({ min: 11, max: 90 })), (times, changes) => {
        const all = [5, ...changes].sort((a, b) => a - b);
        const [told, seen] = [changedOnce(), changedOnce()];
        told.stated(at(10.5), moment(5));
        for (const time of times.sort((a, b) => a - b)) {
          const before = all.filter((change) => change <= time);
          told.stated(at(time), moment(before[before.length - 1]));
          seen.look(at(time), `${before.length}`.replace(/^1$/, 'b'));
        }
        expect(told.looks).toEqual(seen.looks);
      }),
    );
  });
});

/** Days of 2026. */
const date = (day: number) => new Date(Date.UTC(2026, 0, 1) + at(day)).toISOString();

test("sitemaps in the archive count: those of the page's own host, with honest dates", async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'archive'));
  const records: string[] = [];
  const add = (url: string, day: number, type: string, body: string) => {
    const sha1 = createHash('sha1').update(body).digest('hex');
    const digest = url.endsWith('/bare') ? '' : `WARC-Payload-Digest: sha1:${sha1}\r\n`;
    const block = `HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\n\r\n${body}`;
    records.push(
      `WARC/1.1\r\nWARC-Type: response\r\nContent-Type: application/http;msgtype=response\r\nWARC-Record-ID: <urn:uuid:${records.length}>\r\n${digest}WARC-Target-URI: ${url}\r\nWARC-Date: ${date(day)}\r\nContent-Length: ${block.length}\r\n\r\n${block}\r\n\r\n`,
    );
  };
  const sitemap = (day: number, lastmod: string) =>
    add(
      'http://a.test/map.xml',
      day,
      'application/xml',
      `<urlset><url><loc>/page</loc><lastmod>${lastmod}</lastmod></url><url><loc>http://b.test/</loc><lastmod>${date(1)}</lastmod></url><url><loc>/other</loc><lastmod>soon</lastmod></url></urlset>`,
    );
  for (const rest of ['a.test/page', 'a.test/other', 'a.test/bare', 'b.test/']) {
    const url = `http://${rest}`;
    add(url, 0, 'text/html', 'first');
    add(url, 10, 'text/html', 'second');
  }
  sitemap(11, date(5));
  sitemap(12, date(13)); // not yet
  sitemap(13, '1989-12-31');
  sitemap(20, date(5));
  sitemap(30, date(28).slice(0, 10));
  writeFileSync(join(folder, 'archive', 'a-00000.warc'), records.join(''));
  const looks = new Map<string, string>();
  for await (const page of looksIn(quickDisk(), [folder], folder))
    looks.set(
      page.url,
      page.looks.map(({ time, changed }) => `${time}${changed ? '!' : ''}`).join(),
    );
  expect(looks.get('http://a.test/page')).toBe('10!,10,10!');
  expect(looks.get('http://a.test/other')).toBe('10!');
  expect(looks.get('http://b.test/')).toBe('10!');
  expect(looks.get('http://a.test/bare')).toBe(''); // without digests, nothing can be compared
});
