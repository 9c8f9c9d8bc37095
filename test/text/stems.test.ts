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

/** Letters of a language, and endings that its rules are about. */
const OTHERS: readonly (readonly [code: string, name: string, parts: string])[] = [
  [
    'de',
    'german',
    'a e i o u ä ö ü ß y b d g h k l m n r s t em ern er en es e st ig lich isch ik heit keit ung',
  ],
  [
    'es',
    'spanish',
    'a e i o u á é í ó ú ñ b c d g l m n r s t selos iendo ándo amente ación icas encia idad iva ísimo aba iera ar ados imos éis yeron gu',
  ],
  [
    'fr',
    'french',
    'a e i o u é è ê à â î ë ï ô û ç y b c d g l m n p q r s t issement ateurs logies ences euses issantes eraient ières ité ivement eux iques antes âmes ère ll nn qu',
  ],
  [
    'hu',
    'hungarian',
    'a á e é i í o ó ö ő u ú ü ű b cs d dzs gy k l ly m n ny r s sz t ty zs ban nak stul astul enként ok jaitok unk ével at',
  ],
  [
    'it',
    'italian',
    'a e i o u à é ì ò b c d g h l m n p q r s t qu gliela arci azione logie enza mente abili ivo ità assero irebbero andi erà',
  ],
  [
    'nl',
    'dutch',
    'a e i o u ë ï é è y ij b d g h k l m n p r s t heden ene en se s heid end ing ig lijk baar bar kk aa ee',
  ],
  [
    'no',
    'norwegian',
    'a e i o u æ ø å b d g k l m n r s t hetenes ende ert erte dt vt hetslov elig els lig eig',
  ],
  [
    'pt',
    'portuguese',
    'a e i o u á é í ó ú â ê ô ã õ ç b c d g l m n q r s t ências amente idades ações ariam ísseis inhas icas ivo logia gue eira',
  ],
  [
    'ro',
    'romanian',
    'a ă â e i î o u ș ț ş ţ b c d l m n r s t ului iilor ațiune icator itate abil ist ească aserăți indu iți ele',
  ],
  [
    'ru',
    'russian',
    'а е ё и й о у ы ь э ю я б в г д к л м н р с т ш щ вшись ейшими ующего ость ение ами иями нн ла ете',
  ],
  [
    'sv',
    'swedish',
    'a e i o u ä ö å b d g k l m n r s t heterna andes ornas ast erns fullt löst lig els dt gd',
  ],
  [
    'tr',
    'turkish',
    'a e ı i o ö u ü b c ç d g ğ k l m n r s ş t y z ların imiz dir casına yla ken ymış ndan ki',
  ],
];

describe.each(OTHERS)('The stem of a word in %s', (code, name, parts) => {
  const stem = stemmerOf(code);
  const { stem: expected } = snowball.newStemmer(name);

  it('is that of Snowball, for any letters and endings', () => {
    const word = fc
      .array(fc.constantFrom(...parts.split(' ')), { maxLength: 8 })
      .map((some) => some.join(''));
    fc.assert(
      fc.property(word, (text) => stem?.(text) === expected(text)),
      { numRuns: 1000 },
    );
  });
});
