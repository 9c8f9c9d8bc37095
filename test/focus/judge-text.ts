/** Judges a text by the default of `--useful`. */
import { compile } from '../../src/filter/compile.ts';
import { bindingOf } from '../../src/filter/filter-set.ts';
import { parseFilter } from '../../src/filter/parse.ts';
import { BUILT_IN } from '../../src/filter/predicates.ts';
import { DEFAULT_USEFUL } from '../../src/focus/learn/rules.ts';
import { countWords } from '../../src/text/words.ts';

const accepts = compile(
  parseFilter(DEFAULT_USEFUL, { predicates: BUILT_IN, stage: 'store' }),
  bindingOf([]),
);

export function isUseful(text: string): boolean {
  return accepts({
    ...{ url: 'http://a.test/a.pdf', depth: 0 },
    ...{ standing: undefined, visit: undefined, response: undefined },
    page: {
      ...{ links: 0, title: () => undefined, charset: '', noindex: false, nofollow: false },
      text: () => text,
      words: () => countWords(text),
    },
  });
}
