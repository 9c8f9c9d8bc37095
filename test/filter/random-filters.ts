/** Random filters: trees of all predicates, with arguments that are hard to print. */
import fc from 'fast-check';
import { normalise } from '../../src/filter/argument.ts';
import type { Call, Comparison, Node, Sign } from '../../src/filter/node.ts';
import type { ArgumentKind, Predicate } from '../../src/filter/predicate.ts';
import { BUILT_IN } from '../../src/filter/predicates.ts';

const printable = fc
  .string({ unit: 'grapheme', minLength: 1 })
  .filter((text) => !/[\0-\x1f\x7f]/.test(text));
const awkward = fc.constantFrom(
  '"',
  '\\',
  '\\"',
  '#x',
  ' a ',
  '(',
  ')',
  ',',
  '""',
  'and',
  'not',
  '5',
  '\\\\',
);
const word = fc.stringMatching(/^[a-z0-9_-]{1,8}$/);
const urlText = fc
  .constantFrom('/', '/docs/', '(a)', 'a,b', '%20', "it's", '?', 'ä'.normalize())
  .filter(isUrlText);

function isUrlText(text: string): boolean {
  try {
    normalise('url-text', text);
    return true;
  } catch {
    return false;
  }
}

const ARGUMENTS: { readonly [kind in ArgumentKind]: fc.Arbitrary<string> } = {
  text: fc.oneof(printable, awkward),
  'url-text': urlText,
  word,
  scheme: fc.constantFrom('http', 'https'),
  host: fc.constantFrom(
    'example.org',
    '.example.org',
    'localhost',
    '127.0.0.1',
    '[2001:db8::1]',
    'xn--bcher-kva.example',
  ),
  'host-end': fc.constantFrom('.edu', 'x', '-a.b', '.co.uk'),
  domain: fc.constantFrom('example.org', 'example.co.uk', 'localhost'),
  url: fc.webUrl().map((url) => normalise('url', url)),
  pattern: fc.constantFrom(
    '*',
    '*.zip',
    'https://example.org/(a,b)/*',
    '/a b/',
    '/[/")]/i',
    '/\\/x/',
    '/(?:a|"b)/',
  ),
  regular: fc.constantFrom('/a/', '/[)/,]+/i', '/\\//', '/"/', '/ # /'),
  type: fc.constantFrom('text/html', 'image/*', 'application/*+xml'),
  range: fc.constantFrom('10.0.0.0/8', '::1', 'fd00::/8'),
  share: fc.double({ min: 1e-9, max: 1, noNaN: true }).map(String),
  number: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => String(value || 0)),
  file: fc.oneof(printable, awkward).map((name) => `/lists/${name}`),
};

function valuesOf({ parameters }: Predicate): fc.Arbitrary<string[]> {
  const each = parameters.map(({ kind, optional, many }) =>
    fc.array(ARGUMENTS[kind], { minLength: optional ? 0 : 1, maxLength: many ? 3 : 1 }),
  );
  return fc.tuple(...each).map((lists) => lists.flat());
}

const call = (gives: Predicate['gives']): fc.Arbitrary<Call> =>
  fc
    .constantFrom(...[...BUILT_IN.values()].filter((predicate) => predicate.gives === gives))
    .chain((predicate) =>
      valuesOf(predicate).map((values) => ({ kind: 'call', predicate, values }) as const),
    );

const comparison: fc.Arbitrary<Comparison> = fc.record({
  kind: fc.constant('comparison' as const),
  of: call('number'),
  sign: fc.constantFrom<Sign>('<', '<=', '>', '>=', '==', '!='),
  than: fc
    .oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }))
    .map((value) => value || 0),
});

/** Any filter. */
export const filters: fc.Arbitrary<Node> = fc.letrec<{ node: Node }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    call('truth'),
    comparison,
    fc.record({ kind: fc.constant('constant' as const), value: fc.boolean() }),
    fc.record({ kind: fc.constant('not' as const), of: tie('node') }),
    fc.record({
      kind: fc.constantFrom('and' as const, 'or' as const),
      parts: fc.array(tie('node'), { minLength: 2, maxLength: 4 }),
    }),
  ),
})).node;
