import { describe, expect, test } from 'vitest';
import { isUseful } from './judge-text.ts';

const words = 'word '.repeat(1000);

describe('a document is useful by default', () => {
  test.each([
    'References',
    'REFERENCES',
    '7 References',
    '7. References',
    'VII. References:',
    '[Bibliography]',
    'R EFERENCES',
    '5.1  Bibliography ',
  ])('with a thousand words and the heading %j', (heading) => {
    expect(isUseful(`${words}\n${heading}\n[1] Somebody`)).toBe(true);
  });

  test.each([
    'the references',
    'References to it are rare.',
    'Cross references',
    'Preferences',
    'Literature',
  ])('but not with a line such as %j', (line) => {
    expect(isUseful(`${words}\n${line}\n`)).toBe(false);
  });

  test('but not with fewer words', () => {
    expect(isUseful(`${'word '.repeat(998)}\nReferences\n`)).toBe(false);
    expect(isUseful(`${'word '.repeat(999)}\nReferences\n`)).toBe(true);
  });
});
