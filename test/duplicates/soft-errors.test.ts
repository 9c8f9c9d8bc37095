import { describe, expect, test } from 'vitest';
import { fingerprintOf } from '../../src/duplicates/fingerprint.ts';
import { SoftErrors } from '../../src/duplicates/soft-errors.ts';

const page = (text: string) => fingerprintOf(Buffer.from(text));
const missing = page('<h1>Page Not Found</h1><p>Error 404, sorry about that</p>');
const other = page('<h1>Something else</h1><p>that is the same on some pages</p>');

describe('a host with a page for missing URLs', () => {
  test('is tested once with a URL that cannot exist, and confirmed if that has the same text', () => {
    const errors = new SoftErrors();
    expect(errors.suspect('http://a.org/x/1.html', missing)).toBeUndefined();
    const question = errors.suspect('http://a.org/y/2.html?q=1', missing);
    expect(question).toMatch(/^http:\/\/a\.org\/y\/[0-9a-z]+\.html$/);
    expect(errors.isQuestion(question as string)).toBe(true);
    expect(errors.isQuestion('http://a.org/y/2.html')).toBe(false);
    expect(errors.isSoft('http://a.org/z', missing)).toBe(false);
    expect(errors.answered(question as string, missing)).toBe(true);
    expect(errors.isSoft('http://a.org/z', missing)).toBe(true);
    expect(errors.isSoft('http://a.org/z', other)).toBe(false);
    expect(errors.isSoft('http://b.org/z', missing)).toBe(false);
    expect(errors.suspect('http://a.org/3', missing)).toBeUndefined();
  });

  test('is not confirmed if the answer is an error or another page, and never tested again', () => {
    for (const answer of [undefined, other]) {
      const errors = new SoftErrors();
      errors.suspect('http://a.org/1', missing);
      const question = errors.suspect('http://a.org/2', missing) as string;
      expect(errors.answered(question, answer)).toBe(false);
      expect(errors.isSoft('http://a.org/3', missing)).toBe(false);
      for (let i = 0; i < 20; i++)
        expect(errors.suspect(`http://a.org/${i}`, missing)).toBeUndefined();
    }
  });

  test('is not tested because of two texts that were repeated once each', () => {
    const errors = new SoftErrors();
    expect(errors.suspect('http://a.org/1', missing)).toBeUndefined();
    expect(errors.suspect('http://a.org/2', other)).toBeUndefined();
    expect(errors.suspect('http://a.org/3', missing)).toBeUndefined();
  });

  test('an answer without a test changes nothing', () => {
    const errors = new SoftErrors();
    expect(errors.answered('http://a.org/1', missing)).toBe(false);
    expect(errors.isSoft('http://a.org/1', missing)).toBe(false);
  });

  test('is evicted after too many other hosts', () => {
    const errors = new SoftErrors(4);
    errors.suspect('http://a.org/1', missing);
    for (let i = 0; i < 4; i++) errors.suspect(`http://h${i}.org/1`, missing);
    expect(errors.suspect('http://a.org/2', missing)).toBeUndefined();
  });

  test('is kept as long as memory has room, and a "not found" page in use for longer', () => {
    const full = new SoftErrors(4);
    full.suspect('http://a.org/1', missing);
    for (let i = 0; i < 3; i++) full.suspect(`http://h${i}.org/1`, missing);
    expect(full.suspect('http://a.org/2', missing)).toMatch(/^http:\/\/a\.org\//);
    const errors = new SoftErrors(4);
    errors.suspect('http://a.org/1', missing);
    errors.answered(errors.suspect('http://a.org/2', missing) as string, missing);
    for (let i = 0; i < 20; i++) {
      errors.suspect(`http://h${i}.org/1`, missing);
      expect(errors.isSoft('http://a.org/3', missing)).toBe(true);
    }
  });

  test('is known after a restart between question and answer', () => {
    const errors = new SoftErrors();
    errors.suspect('http://a.org/1', missing);
    const question = errors.suspect('http://a.org/2', missing) as string;
    const again = new SoftErrors();
    again.restore(errors.encode());
    expect(again.isQuestion(question)).toBe(true);
    expect(again.suspect('http://a.org/3', missing)).toBeUndefined();
    expect(again.answered(question, missing)).toBe(true);
  });

  test('is known after a restart', () => {
    const errors = new SoftErrors();
    errors.suspect('http://a.org/1', missing);
    errors.answered(errors.suspect('http://a.org/2', missing) as string, missing);
    errors.suspect('http://b.org/1', other);
    const again = new SoftErrors();
    again.restore(errors.encode());
    expect(again.isSoft('http://a.org/9', missing)).toBe(true);
    expect(again.suspect('http://b.org/2', other)).toMatch(/^http:\/\/b\.org\//);
    again.restore(new Uint8Array(0));
  });
});
