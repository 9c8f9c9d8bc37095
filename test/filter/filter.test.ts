/** The filter language: what it means, how it is printed, and what it refuses. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DrumlinError } from '../../src/base/errors.ts';
import { compile } from '../../src/filter/compile.ts';
import { explain } from '../../src/filter/explain.ts';
import { bindingOf } from '../../src/filter/filter-set.ts';
import { print } from '../../src/filter/node.ts';
import { parseFilter } from '../../src/filter/parse.ts';
import { BUILT_IN, withUserPredicates } from '../../src/filter/predicates.ts';
import type { Stage, Subject } from '../../src/filter/subject.ts';
import { mutate, randomFrom } from '../fuzz/mutation.ts';
import { filters } from './random-filters.ts';

const NO_LISTS = bindingOf([]);
const parse = (text: string, stage?: Stage, ranking?: string) =>
  parseFilter(text, {
    predicates: BUILT_IN,
    ...(stage && { stage }),
    ...(ranking !== undefined && { ranking }),
  });

const link = (url: string, depth = 0): Subject => ({
  url,
  depth,
  standing: undefined,
  visit: undefined,
  response: undefined,
  page: undefined,
});

const accepts = (text: string, url: string, depth = 0): boolean =>
  compile(parse(text), NO_LISTS)(link(url, depth));

describe('a filter over a URL', () => {
  test.each([
    ['SchemeIs(https)', 'https://a.test/', 'http://a.test/'],
    ['HostIs(a.test)', 'http://a.test:81/', 'http://b.a.test/'],
    ['HostIs(.a.test)', 'http://b.a.test/', 'http://ba.test/'],
    ['HostIs(.a.test)', 'http://a.test/', 'http://test/'],
    ['HostIs(x.test, .a.test, [2001:db8::1])', 'http://c.b.a.test/', 'http://y.test/'],
    ['HostIs(x.test, [2001:DB8::1])', 'http://[2001:db8::1]:8080/', 'http://[2001:db8::2]/'],
    ['HostEndsWith(.edu)', 'http://x.edu/', 'http://x.org/a.edu'],
    ['HostEndsWith(.EDU)', 'http://x.y.edu:8080/', 'http://edu/'],
    ['HostMatches(/^www\\d/)', 'http://www2.test/', 'http://test/www2'],
    ['HostIsAddress', 'http://127.0.0.1/', 'http://a1/'],
    ['HostIsAddress', 'http://[::1]:80/', 'http://a.test/1.2.3.4'],
    ['HostLabels == 3', 'http://a.b.test/x.y', 'http://b.test/'],
    ['Port == 443', 'https://a.test/', 'http://a.test/'],
    ['Port == 8080', 'http://[::1]:8080/', 'http://a.test/:8080'],
    ['DomainIs(example.co.uk)', 'http://www.example.co.uk/', 'http://other.co.uk/'],
    ['PathStartsWith(/docs/)', 'http://a.test/docs/x', 'http://a.test/a/docs/'],
    ['PathEndsWith(.html)', 'http://a.test/x.html?a.htm', 'http://a.test/x?y.html'],
    ['PathEndsWith(/)', 'http://a.test/', 'http://a.test/x'],
    ['PathContains(/b/)', 'http://a.test/a/b/c', 'http://a.test/a?x=/b/'],
    ['PathDepth == 0', 'http://a.test/', 'http://a.test/x'],
    ['PathDepth == 2', 'http://a.test/a/b.html?x=/c/d', 'http://a.test/a/b/c'],
    ['PathDepth == 2', 'http://a.test/a//b/', 'http://a.test/a/'],
    ['PathRepeats == 3', 'http://a.test/x/a/b/a/b/a/b/', 'http://a.test/a/b/a/b?a/b'],
    ['PathRepeats == 0', 'http://a.test/', 'http://a.test/a'],
    ['ExtensionIs(jpg, PNG)', 'http://a.test/x.Png?y', 'http://a.test/x.png/y'],
    ['ExtensionIs(test)', 'http://a.b/x.test', 'http://a.test/'],
    ['HasQuery', 'http://a.test/?x', 'http://a.test/x'],
    ['QueryContains(b=)', 'http://a.test/?ab=c', 'http://a.test/b=?a'],
    ['HasParameter(id)', 'http://a.test/?xid=1&id=2', 'http://a.test/?xid=1&idx=2'],
    ['HasParameter(id)', 'http://a.test/?id', 'http://a.test/id'],
    ['Parameters == 2', 'http://a.test/?a&b', 'http://a.test/a&b'],
    ['UrlContains(calendar)', 'http://a.test/calendar/', 'http://a.test/'],
    ['Matches(*/print/*, /\\.zip$/i)', 'http://a.test/x.ZIP', 'http://a.test/x.zip?y'],
    ['UrlLength < 16', 'http://a.test/x', 'http://a.test/xyz'],
    ['true', 'http://a.test/', undefined],
    ['false', undefined, 'http://a.test/'],
    ['NOT HasQuery AND Port == 80', 'http://a.test/', 'https://a.test/'],
    ['HasQuery or Port == 80 and PathDepth > 0', 'https://a.test/?q', 'http://a.test/'],
    ['(HasQuery or Port == 80) and PathDepth > 0', 'http://a.test/x', 'http://a.test/?q'],
    ['not (HasQuery or Port == 443)', 'http://a.test/', 'http://a.test/?q'],
    ['PathDepth<4 # not too deep\n  and\tHasQuery', 'http://a.test/?q', 'http://a.test/'],
    ['UrlLength >= 1.5k or UrlLength != 2e1', 'http://a.test/', 'http://a.test/?12345'],
  ])('%s accepts %s and rejects %s', (text, yes, no) => {
    if (yes !== undefined) expect(accepts(text, yes)).toBe(true);
    if (no !== undefined) expect(accepts(text, no)).toBe(false);
  });

  test('a sample has about the size of its share and is always the same', () => {
    const sample = (share: number) =>
      Array.from({ length: 20_000 }, (_, i) => accepts(`Sample(${share})`, `http://a.test/${i}`));
    const tenth = sample(0.1);
    expect(tenth.filter(Boolean).length / 20_000).toBeCloseTo(0.1, 1);
    expect(sample(0.1)).toEqual(tenth);
    const fifth = sample(0.2);
    expect(tenth.every((taken, i) => !taken || fifth[i])).toBe(true);
    expect(sample(1).every(Boolean)).toBe(true);
  });

  test('Depth is the depth of the link', () => {
    expect(accepts('Depth <= 2', 'http://a.test/', 2)).toBe(true);
    expect(accepts('Depth <= 2', 'http://a.test/', 3)).toBe(false);
  });

  test('and, or and not work as in JavaScript and stop at the first part that decides', () => {
    const asked: string[] = [];
    const predicates = withUserPredicates({
      Yes: (_, name) => asked.push(name) > 0,
      No: (_, name) => asked.push(name) < 0,
    });
    const run = (text: string) => {
      asked.length = 0;
      const verdict = compile(parseFilter(text, { predicates }), NO_LISTS)(link('http://a.test/'));
      return [verdict, asked.join('')];
    };
    expect(run('Yes(a) or Yes(b)')).toEqual([true, 'a']);
    expect(run('No(a) or Yes(b) or Yes(c)')).toEqual([true, 'ab']);
    expect(run('No(a) and Yes(b)')).toEqual([false, 'a']);
    expect(run('Yes(a) and No(b) and Yes(c)')).toEqual([false, 'ab']);
    expect(run('Yes(a) and (No(b) or not No(c)) and Yes(d)')).toEqual([true, 'abcd']);
  });
});

describe('every predicate', () => {
  test('there are more than 40 of them, over URLs, domains and responses', () => {
    expect(BUILT_IN.size).toBeGreaterThan(40);
  });

  test.each([...BUILT_IN.values()])('$name has an example that parses at its stage', ({
    example,
    from,
  }) => {
    const node = parse(example, from);
    expect(print(parse(print(node), from))).toBe(print(node));
  });
});

describe('the printed form of a filter', () => {
  test('parses to the same filter, for 10,000 random filters', () => {
    fc.assert(
      fc.property(filters, (node) => {
        expect(parse(print(node))).toEqual(node);
      }),
      { numRuns: 10_000 },
    );
  });

  test('is on one line and has no more parentheses than it needs', () => {
    const printed = (text: string) => print(parse(text));
    expect(printed('((HasQuery)and(not((Port==80))))or\n(true)')).toBe(
      'HasQuery and not Port == 80 or true',
    );
    expect(printed('(HasQuery or true) and (false and true)')).toBe(
      '(HasQuery or true) and (false and true)',
    );
    expect(printed('not not (true or false)')).toBe('not not (true or false)');
    expect(printed('PathContains("a") and PathContains("(a,b)")')).toBe(
      'PathContains(a) and PathContains("(a,b)")',
    );
    expect(printed('HostIs(Bücher.Example)')).toBe('HostIs(xn--bcher-kva.example)');
  });
});

describe('a filter with an error is refused, with a caret under the column', () => {
  test.each([
    ['', 1, 'expected a predicate, "not" or "(", found the end'],
    ['HostIs(a.test) and', 19, 'found the end'],
    ['HostEndWith(.edu)', 1, 'there is no predicate "HostEndWith". Did you mean "HostEndsWith"?'],
    ['not constructor', 5, 'there is no predicate "constructor"'],
    ['hasquery', 1, 'Did you mean "HasQuery"?'],
    ['(HasQuery', 10, 'expected ")", found the end'],
    ['HasQuery)', 9, 'found ")"'],
    ['HasQuery HasQuery', 10, 'expected "and", "or" or the end, found "HasQuery"'],
    ['HasQuery && HasQuery', 10, 'Write "and".'],
    ['HasQuery || HasQuery', 10, 'Write "or".'],
    ['!HasQuery', 1, 'Write "not".'],
    ['Port = 80', 6, 'Write "==".'],
    ['Port', 1, 'Port is a number. Compare it with one, like Port == 443.'],
    ['HasQuery < 5', 10, 'HasQuery is true or false'],
    ['Port < x', 8, 'expected a number, found "x"'],
    ['Port < 10x', 10, 'expected the end of a number, found "x"'],
    ['Port < 1e999', 8, '1e999 is too large'],
    ['HasQuery(x)', 10, 'HasQuery takes no value'],
    ['HostIs', 1, 'HostIs takes 1 or more values, not 0'],
    ['HostEndsWith(a, b)', 1, 'HostEndsWith takes 1, not 2'],
    ['HostIs(a b)', 10, 'expected "," or ")", found "b"'],
    ['HostIs(a.test', 14, 'expected "," or ")", found the end'],
    ['HostIs("a.test)', 8, 'expected a value, found """'],
    ['HostIs("")', 8, 'the value is empty'],
    ['HostIs(a:80)', 8, '"a:80" is not a host'],
    ['HostIs(.127.0.0.1)', 8, 'is not a host'],
    ['DomainIs(www.example.org)', 10, 'Write example.org, or HostIs(.www.example.org)'],
    ['PathContains(é)', 14, 'Write %C3%A9 instead'],
    ['SchemeIs(ftp)', 10, 'Write http or https'],
    ['HostMatches(abc)', 13, '"abc" is not a regular expression. Write it between slashes'],
    ['Matches(/(/)', 9, 'is not a regular expression'],
    ['Matches(/(?!a)b/)', 9, 'has look-around'],
    ['Matches(login)', 9, 'Write *login*'],
    ['Sample(2)', 8, '2 is not a share'],
    ['ContentTypeIs(html)', 15, 'is not a content type'],
    ['AddressIn(10.0.0.1/8)', 11, 'Write'],
    ['HasQuery and\n  Port ', 3, 'Port is a number'],
  ])('%s', (text, column, what) => {
    const error = refusal(() => parse(text));
    expect(error.message).toContain(what);
    expect(error.fact).toMatch(text.includes('\n') ? /^Line 2, column / : /^Column /);
    expect(error.fact).toContain(`olumn ${column} of the filter: `);
    const [line, caret] = error.message.split('\n').slice(-2);
    expect(caret).toMatch(/^ *\^$/);
    expect(line.length + 1).toBeGreaterThanOrEqual(caret.length);
    if (text.length < 50 && !text.includes('\n')) expect(caret.length).toBe(2 + column);
  });

  test('a filter that is too long or nested too deeply is refused', () => {
    expect(refusal(() => parse(`${'('.repeat(200)}true`)).fact).toContain(
      'Column 101 of the filter: the filter is nested',
    );
    expect(refusal(() => parse('not '.repeat(200))).fact).toContain('nested too deeply');
    expect(refusal(() => parse('true or '.repeat(20_000))).fact).toContain(
      'Column 1 of the filter: the filter is too long',
    );
    expect(() => parse(`true${' or true'.repeat(10_000)}`)).not.toThrow();
  });

  test('a predicate that is not known at a stage is refused; the error names the stages that know it', () => {
    expect(refusal(() => parse('Status == 200', 'schedule')).message).toContain(
      'Column 1 of the schedule filter: Status is not known when a link is discovered. It is known before a page is parsed: put it into the parse or render or follow or store filter.',
    );
    expect(refusal(() => parse('Links > 5', 'parse')).message).toContain(
      'Links is not known before a page is parsed',
    );
    expect(refusal(() => parse('DomainPages > 5', 'schedule')).message).toContain(
      'fetch or parse or render or follow',
    );
    for (const stage of ['render', 'follow', 'store'] as const)
      expect(() => parse('Links > 5', stage)).not.toThrow();
  });

  test('DomainSpam is refused without verdicts on spam', () => {
    const parsed = (spam: boolean) =>
      parseFilter('not DomainSpam > 0.8', { predicates: BUILT_IN, stage: 'fetch', spam });
    expect(() => parsed(false)).toThrow(/DomainSpam is not known in this crawl[\s\S]*--spam/);
    expect(parsed(true).kind).toBe('not');
  });

  test('rank predicates are refused without a ranking, or with another ranking', () => {
    expect(refusal(() => parse('DomainRank < 5', 'fetch', 'none')).message).toContain(
      'Crawl with --order budget.',
    );
    expect(refusal(() => parse('DomainSupporters < 5', 'fetch', 'in')).message).toContain(
      '--rank tse',
    );
    expect(() => parse('DomainRank < 5 and DomainInDegree > 2', 'schedule', 'in')).not.toThrow();
  });

  test('any other text is parsed or refused', () => {
    const examples = [...BUILT_IN.values()].map(({ example }) => Buffer.from(example));
    const words = [' and ', ' or ', 'not ', '(', ')', '"', ',', '/', '#', '\n', '<', '=='].map(
      (w) => Buffer.from(w),
    );
    const random = randomFrom(5);
    let refused = 0;
    for (let round = 0; round < 3000; round++) {
      const text = mutate(examples, words, random).toString('utf8');
      try {
        const node = parse(text);
        expect(parse(print(node))).toEqual(node);
      } catch (error) {
        expect(error).toBeInstanceOf(DrumlinError);
        refused++;
      }
    }
    expect(refused).toBeGreaterThan(500);
  });
});

describe('the explanation of a verdict', () => {
  const why = (text: string, url: string) => {
    const isKnown = ({ from, ranking }: { from: Stage; ranking?: string }) =>
      from === 'schedule' && !ranking;
    const { accepted, because } = explain(parse(text), link(url), NO_LISTS, isKnown);
    return [accepted, because.map(({ part, answer }) => `${part} is ${answer}`).join(', ')];
  };

  test('names the part that decided', () => {
    expect(why('HasQuery and Port == 80', 'http://a.test/')).toEqual([false, 'HasQuery is false']);
    expect(why('HasQuery or PathDepth < 4', 'http://a.test/x/y')).toEqual([true, 'PathDepth is 2']);
    expect(why('not HasQuery and Port == 80', 'http://a.test/')).toEqual([
      true,
      'HasQuery is false, Port is 80',
    ]);
    expect(why('(HasQuery or Port == 1) and true', 'http://a.test/')).toEqual([
      false,
      'HasQuery is false, Port is 80',
    ]);
    expect(why('true', 'http://a.test/')).toEqual([true, 'true is true']);
  });

  test('names the unknown parts if they decide', () => {
    expect(why('Status == 200 and HasQuery', 'http://a.test/')).toEqual([
      false,
      'HasQuery is false',
    ]);
    expect(why('Status == 200 and not HasQuery', 'http://a.test/')).toEqual([
      undefined,
      'Status == 200 is undefined',
    ]);
    expect(why('Status == 200 or DomainRank < 5', 'http://a.test/')).toEqual([
      undefined,
      'Status == 200 is undefined, DomainRank < 5 is undefined',
    ]);
    expect(why('not (IsDuplicate or true)', 'http://a.test/')).toEqual([false, 'true is true']);
  });
});

describe('user predicates', () => {
  test('receive the values in parentheses, and their number may be compared', () => {
    const predicates = withUserPredicates({
      IsBlog: ({ url }) => url.includes('/blog/'),
      Count: { from: 'schedule', value: ({ url }, letter) => url.split(letter).length - 1 },
      Bytes: { from: 'parse', value: ({ response }) => response?.length ?? 0 },
    });
    const run = (text: string, url: string) =>
      compile(parseFilter(text, { predicates }), NO_LISTS)(link(url));
    expect(run('IsBlog and Count("/") > 4', 'http://a.test/blog/x')).toBe(false);
    expect(run('IsBlog and Count("/") > 4', 'http://a.test/blog/x/')).toBe(true);
    expect(run('not Count(z)', 'http://a.test/')).toBe(true);
    expect(() => parseFilter('Bytes > 5', { predicates, stage: 'fetch' })).toThrow(
      'Bytes is not known before',
    );
  });

  test.each([
    [{ isBlog: () => true }, '"isBlog" is not a predicate'],
    [{ HasQuery: () => true }, 'The predicate HasQuery exists already'],
    [{ X: 5 }, '"X" is not a predicate'],
    [{ X: null }, '"X" is not a predicate'],
    [{ X: { from: 'later', value: () => true } }, '"X" is not a predicate'],
  ])('%j is refused', (users, words) => {
    expect(() => withUserPredicates(users as never)).toThrow(words);
  });
});

function refusal(work: () => unknown): DrumlinError {
  try {
    work();
  } catch (error) {
    if (error instanceof DrumlinError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}
