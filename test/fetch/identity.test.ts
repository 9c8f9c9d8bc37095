import { describe, expect, test } from 'vitest';
import { createIdentity } from '../../src/fetch/identity.ts';

const version = '1.2.3';

describe('the identity', () => {
  test('names the crawler, its version and a contact', () => {
    expect(createIdentity({ version, contact: 'https://example.org/crawler' })).toEqual({
      userAgent: 'Mozilla/5.0 (compatible; drumlin/1.2.3; +https://example.org/crawler)',
      productToken: 'drumlin',
      hasContact: true,
    });
  });

  test('sends an e-mail address as From', () => {
    expect(createIdentity({ version, contact: 'me@example.org' })).toEqual({
      userAgent: 'Mozilla/5.0 (compatible; drumlin/1.2.3; +mailto:me@example.org)',
      from: 'me@example.org',
      productToken: 'drumlin',
      hasContact: true,
    });
    expect(
      createIdentity({ version, contact: ['mailto:me@example.org', 'http://example.org'] }),
    ).toMatchObject({
      userAgent: 'Mozilla/5.0 (compatible; drumlin/1.2.3; +http://example.org/)',
      from: 'me@example.org',
    });
  });

  test('without a contact has hasContact false', () => {
    expect(createIdentity({ version })).toEqual({
      userAgent: 'Mozilla/5.0 (compatible; drumlin/1.2.3)',
      productToken: 'drumlin',
      hasContact: false,
    });
  });

  test.each([
    ['my-crawler/2.0 (+https://example.org)', 'my-crawler', true],
    ['Mozilla/5.0 (compatible; other_bot/1.0)', 'other_bot', false],
    ['plain', 'plain', false],
    ['Bot2000/1.0', 'Bot2000', false],
  ])('with the user agent %j has the product token %j', (userAgent, productToken, hasContact) => {
    expect(createIdentity({ version, userAgent })).toEqual({ userAgent, productToken, hasContact });
  });

  test.each([
    { contact: 'not an address' },
    { contact: 'ftp://example.org/' },
    { contact: 'javascript:alert(1)' },
    { contact: 'a@b' },
    { contact: 'https://example.org/)(' },
    { userAgent: 'a\r\nb' },
    { userAgent: 'crawler ü' },
    { userAgent: '(nobody)' },
  ])('refuses %j with a remedy', (options) => {
    expect(() => createIdentity({ version, ...options })).toThrow(/(Write|Begin) /);
  });
});
