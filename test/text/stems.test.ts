import fc from 'fast-check';
import snowball from 'snowball-stemmers';
import { describe, expect, it } from 'vitest';
import { stemmerOf } from '../../src/text/stems.ts';

/** Letters and endings that the rules are about. */
const PARTS = (
  "a e i o u y b c d f g h k l m n p r s t w x z é ' ss sses ied ies us ed eed ing ly at bl iz bb dd " +
  'tt tional enci anci abli entli izer ization ational ation ator alism aliti alli fulness ousli ' +
  'ousness iveness iviti biliti bli ogi logi fulli lessli li alize icate iciti ical ful ness ative ic ' +
  'ance ence able ible ate ive ize iti al ism ion sion er ous ant ent ment ement ll arsen commun gener'
).split(' ');
const WORDS =
  'skis skies dying lying tying idly gently ugly early only singly sky news howe atlas cosmos bias ' +
  'andes inning outings canning herrings earring proceeds exceed succeeding generally communism ' +
  'arsenal say by youth boy boyish hopping hoping happy cries ties gas this kiwis agreed feed';

describe('The stem of an English word', () => {
  const stem = stemmerOf('en');
  const { stem: expected } = snowball.newStemmer('english');

  it('is that of Snowball, for any letters and endings', () => {
    const word = fc
      .array(fc.constantFrom(...PARTS), { maxLength: 6 })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(word, (text) => stem?.(text) === expected(text)),
      { numRuns: 10_000 },
    );
  });

  it('is that of Snowball where a rule has exceptions', () => {
    for (const word of WORDS.split(' ')) expect(stem?.(word)).toBe(expected(word));
  });
});
