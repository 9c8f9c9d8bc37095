/** Answers that rendered pages have in common. */
import { expect, test } from 'vitest';
import { AnswerCache } from '../../../src/crawl/render/answer-cache.ts';

const ask = (url: string, kind = 'Script', origin?: string, isAnonymous = true) => ({
  ...{ url, kind, method: 'GET' as const, isAnonymous },
  headers: origin === undefined ? [] : [['Origin', origin] as const],
});
const answer = (text: string, headers: readonly (readonly [string, string])[] = []) => ({
  ...{ status: 200, headers, body: Buffer.from(text) },
});

test('scripts are kept for a while, data is not, nor what must not be stored', () => {
  const cache = new AnswerCache(1000);
  cache.put(ask('/a.js'), answer('a'), 0);
  cache.put(ask('/a.json', 'XHR'), answer('a'), 0);
  cache.put(ask('/b.js'), answer('b', [['Cache-Control', 'private, no-store']]), 0);
  cache.put(ask('/c.js'), { ...answer('c'), status: 404 }, 0);
  expect(cache.get(ask('/a.js'), 599_999)?.body).toEqual(Buffer.from('a'));
  for (const url of ['/a.json', '/b.js', '/c.js']) expect(cache.get(ask(url), 1)).toBeUndefined();
  expect(cache.get(ask('/a.js'), 600_000)).toBeUndefined();
  expect(cache.size).toBe(0);
});

/** What an answer takes beside its body: its URL has five characters with the space before. */
const OWN = 206;

test('equal bodies are kept once, and let go with the last answer that has them', () => {
  const cache = new AnswerCache(2 * OWN + 1500);
  cache.put(ask('/a.js'), answer('1'.repeat(1000)), 0);
  cache.put(ask('/b.js'), answer('1'.repeat(1000)), 0);
  expect(cache.size).toBe(2 * OWN + 1000);
  cache.put(ask('/c.js'), answer('2'.repeat(1400)), 0); // both others must go
  expect(cache.size).toBe(OWN + 1400);
  expect(cache.get(ask('/b.js'), 0)).toBeUndefined();
});

test('answers count beside their bodies: a pixel with ever new addresses does not fill it', () => {
  const cache = new AnswerCache(10 * OWN);
  for (let i = 0; i < 1000; i++) cache.put(ask(`/${1000 + i}`, 'Image'), answer('gif'), 0);
  expect(cache.size).toBeLessThanOrEqual(10 * OWN);
  expect(cache.get(ask('/1000', 'Image'), 0)).toBeUndefined();
});

test('the answer that was used the longest ago goes first', () => {
  const cache = new AnswerCache(3 * OWN);
  for (const name of ['a', 'b']) cache.put(ask(name), answer(name.repeat(90)), 0);
  cache.get(ask('a'), 0);
  cache.put(ask('c'), answer('c'.repeat(90)), 0);
  expect(['a', 'b', 'c'].filter((name) => cache.get(ask(name), 0))).toEqual(['a', 'c']);
});

test('an answer to the login of the user is none to pages of other sites', () => {
  const cache = new AnswerCache(1000);
  cache.put(ask('/me.js', 'Script', undefined, false), answer('secret'), 0);
  expect(cache.get(ask('/me.js'), 0)).toBeUndefined();
  expect(cache.get(ask('/me.js', 'Script', undefined, false), 0)).toBeDefined();
});

test('an answer to one origin is none to another', () => {
  const cache = new AnswerCache(100);
  cache.put(ask('/f', 'Font', 'https://a.test'), answer('f'), 0);
  expect(cache.get(ask('/f', 'Font', 'https://b.test'), 0)).toBeUndefined();
});
