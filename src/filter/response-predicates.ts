/** Predicates over what came back: known when a response has come, and some only when the page was read. */
import { inRange, parseIp, parseRange } from '../net/ip-range.ts';
import { typeFilter } from './content-type.ts';
import type { Predicate, Value } from './predicate.ts';
import type { PageFacts, ResponseFacts, Stage, Subject, VisitFacts } from './subject.ts';
import { compileUrlPattern } from './url-pattern.ts';

type Words = Pick<Predicate, 'name' | 'doc' | 'example'>;
type Bound<Facts> = (values: readonly string[]) => (facts: Facts) => boolean | number;

/** A predicate over the facts of one stage; a filter for an earlier one was refused when it was read. */
function about<Facts>(
  from: Stage,
  factsOf: (subject: Subject) => Facts | undefined,
  gives: 'truth' | 'number',
  parameters: Predicate['parameters'],
  words: Words,
  bound: Bound<Facts>,
): Predicate {
  const bind = (values: readonly string[]): Value => {
    const of = bound(values);
    return (subject) => of(factsOf(subject) as Facts);
  };
  return { from, gives, parameters, ...words, bind };
}

const visit = ({ visit }: Subject) => visit;
const response = ({ response }: Subject) => response;
const page = ({ page }: Subject) => page;

const responseIs = (
  words: Words,
  parameters: Predicate['parameters'],
  bound: Bound<ResponseFacts>,
) => about('parse', response, 'truth', parameters, words, bound);
const responseNumber = (words: Words, of: (facts: ResponseFacts) => number) =>
  about('parse', response, 'number', [], words, () => of);
const pageIs = (words: Words, parameters: Predicate['parameters'], bound: Bound<PageFacts>) =>
  about('follow', page, 'truth', parameters, words, bound);

/** Longer texts of strangers are not matched beyond this. */
const LONGEST_TEXT = 2000;

export const RESPONSE_PREDICATES: readonly Predicate[] = [
  about<VisitFacts>(
    'fetch',
    visit,
    'truth',
    [{ kind: 'range', many: true }],
    {
      name: 'AddressIn',
      doc: 'the address of its host is in one of these ranges',
      example: 'AddressIn(192.0.2.0/24)',
    },
    (texts) => {
      const ranges = texts.map(parseRange);
      return ({ ip }) => {
        const address = parseIp(ip);
        return address !== undefined && ranges.some((range) => inRange(address, range));
      };
    },
  ),
  responseNumber(
    { name: 'Status', doc: 'the status', example: 'Status == 200' },
    ({ status }) => status,
  ),
  responseNumber(
    { name: 'Length', doc: 'bytes of the body, as it came', example: 'Length < 5M' },
    ({ length }) => length,
  ),
  responseNumber(
    { name: 'ResponseTime', doc: 'milliseconds until it was there', example: 'ResponseTime < 5k' },
    ({ elapsed }) => elapsed,
  ),
  responseIs(
    {
      name: 'ContentTypeIs',
      doc: 'its type is one of these, with stars as for --types',
      example: 'ContentTypeIs(text/*, application/pdf)',
    },
    [{ kind: 'type', many: true }],
    (patterns) => {
      const wanted = typeFilter(patterns);
      return ({ headers }) => wanted(headers.get('content-type'));
    },
  ),
  responseIs(
    {
      name: 'LanguageIs',
      doc: 'Content-Language names one of these',
      example: 'LanguageIs(en, de)',
    },
    [{ kind: 'word', many: true }],
    (languages) =>
      ({ headers }) =>
        (headers.get('content-language') ?? '')
          .toLowerCase()
          .split(',')
          .some((tag) => languages.some((wanted) => isLanguage(tag.trim(), wanted))),
  ),
  responseIs(
    { name: 'HasHeader', doc: 'it has a header of this name', example: 'HasHeader(last-modified)' },
    [{ kind: 'word' }],
    ([name]) =>
      ({ headers }) =>
        headers.get(name) !== undefined,
  ),
  responseIs(
    {
      name: 'HeaderMatches',
      doc: 'a regular expression matches a header’s value',
      example: 'HeaderMatches(server, /nginx/i)',
    },
    [{ kind: 'word' }, { kind: 'regular' }],
    ([name, expression]) => {
      const matches = compileUrlPattern(expression);
      return ({ headers }) =>
        headers.all(name).some((value) => matches(value.slice(0, LONGEST_TEXT)));
    },
  ),
  responseIs(
    { name: 'IsDuplicate', doc: 'the same bytes came before, lately', example: 'not IsDuplicate' },
    [],
    () =>
      ({ isDuplicate }) =>
        isDuplicate(),
  ),
  responseIs(
    { name: 'IsTruncated', doc: 'it was cut short', example: 'not IsTruncated' },
    [],
    () =>
      ({ truncated }) =>
        truncated,
  ),
  responseIs(
    { name: 'IsHtml', doc: 'it is a page, and no image or the like', example: 'IsHtml' },
    [],
    () =>
      ({ isHtml }) =>
        isHtml(),
  ),
  about(
    'follow',
    page,
    'number',
    [],
    { name: 'Links', doc: 'links of the page; 0 where none were read', example: 'Links < 1k' },
    () =>
      ({ links }) =>
        links,
  ),
  pageIs(
    {
      name: 'CharsetIs',
      doc: 'how the page was read: utf-8, windows-1252, …, or ascii',
      example: 'CharsetIs(utf-8, ascii)',
    },
    [{ kind: 'word', many: true }],
    (names) =>
      ({ charset }) =>
        names.includes(charset.toLowerCase()),
  ),
  pageIs(
    {
      name: 'TitleMatches',
      doc: 'a regular expression matches the page’s title',
      example: 'TitleMatches(/not found/i)',
    },
    [{ kind: 'regular' }],
    ([expression]) => {
      const matches = compileUrlPattern(expression);
      return ({ title }) => matches((title() ?? '').slice(0, LONGEST_TEXT));
    },
  ),
  pageIs(
    { name: 'IsNoindex', doc: 'the page asks not to be indexed', example: 'not IsNoindex' },
    [],
    () =>
      ({ noindex }) =>
        noindex,
  ),
  pageIs(
    {
      name: 'IsNofollow',
      doc: 'the page asks that its links not be followed, which they are not in any case',
      example: 'not IsNofollow',
    },
    [],
    () =>
      ({ nofollow }) =>
        nofollow,
  ),
];

/** `en` is `en-GB`, too. */
const isLanguage = (tag: string, wanted: string): boolean =>
  tag === wanted || tag.startsWith(`${wanted}-`);
