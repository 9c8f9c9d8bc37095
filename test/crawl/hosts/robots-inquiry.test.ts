import { describe, expect, test } from 'vitest';
import { freshRules, inquiryAt, RobotsInquiry } from '../../../src/crawl/hosts/robots-inquiry.ts';
import { Domain, Host } from '../../../src/frontier/host.ts';
import { parseRobots, UNREACHABLE } from '../../../src/robots/parse-robots.ts';

const ORIGIN = 'http://host.test';
const HOUR = 3600_000;
const RULES = parseRobots(new Uint8Array(), 'drumlin');
const newHost = () => new Host('host.test', new Domain('host.test'));

describe('an inquiry into a robots.txt', () => {
  test('begins with the file of the origin, and is resumed in the next turn', () => {
    const host = newHost();
    const inquiry = new RobotsInquiry(host, ORIGIN);
    expect(inquiry.url).toBe(`${ORIGIN}/robots.txt`);
    expect(inquiry.redirected('http://other.test/rules')).toBe(true);
    expect(new RobotsInquiry(host, ORIGIN).url).toBe('http://other.test/rules');
    expect(freshRules(host, ORIGIN, 0)).toBeUndefined();
  });

  test('follows five redirects, and none to the same file', () => {
    const host = newHost();
    expect(new RobotsInquiry(host, ORIGIN).redirected(`${ORIGIN}/robots.txt`)).toBe(false);
    const followed = [1, 2, 3, 4, 5, 6].map((i) =>
      new RobotsInquiry(host, ORIGIN).redirected(`${ORIGIN}/${i}`),
    );
    expect(followed).toEqual([true, true, true, true, true, false]);
  });

  test('retries as often as it may, each time later, and gives up for an hour', () => {
    const host = newHost();
    expect(inquiryAt(host, ORIGIN)).toBe(0);
    const retries = [1, 2, 3].map((i) => new RobotsInquiry(host, ORIGIN).retries(2, false, i));
    expect(retries).toEqual([true, true, false]);
    expect(inquiryAt(host, ORIGIN)).toBe(2);
    expect(new RobotsInquiry(host, ORIGIN).retries(2, true, 4)).toBe(true);
    expect(inquiryAt(host, ORIGIN)).toBe(4);
    new RobotsInquiry(host, ORIGIN).gaveUp(0);
    expect(freshRules(host, ORIGIN, HOUR - 1)).toBe(UNREACHABLE);
    expect(freshRules(host, ORIGIN, HOUR)).toBeUndefined();
  });

  test('ends with rules that hold for a day; then the Crawl-delay holds until there are new ones', () => {
    const host = newHost();
    new RobotsInquiry(host, ORIGIN).learned(RULES, 7000, 0);
    expect(freshRules(host, ORIGIN, 24 * HOUR - 1)).toBe(RULES);
    expect(freshRules(host, ORIGIN, 24 * HOUR)).toBeUndefined();
    const again = new RobotsInquiry(host, ORIGIN);
    expect(again.url).toBe(`${ORIGIN}/robots.txt`);
    again.retries(2, false, 0);
    expect(host.crawlDelay).toBe(7000);
  });
});
