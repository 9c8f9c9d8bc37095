/** Predicates over the response. Some are known only after the page was parsed. */
import { inRange, parseIp, parseRange } from '../net/ip-range.ts';
import { typeFilter } from './content-type.ts';
import type { Predicate, Value } from './predicate.ts';
import type { PageFacts, ResponseFacts, Stage, Subject, VisitFacts } from './subject.ts';
import { compileUrlPattern } from './url-pattern.ts';

type Words = Pick<Predicate, 'name' | 'doc' | 'example'>;
type Bound<Facts> = (values: readonly string[]) => (facts: Facts) => boolean | number;

/** A predicate over the facts of one stage. The parser refuses it in filters of earlier stages. */
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

/** Header values and titles are matched up to this length, because others control them. */
const LONGEST_TEXT = 2000;

export const RESPONSE_PREDICATES: readonly Predicate[] = [
  about<VisitFacts>(
    'fetch',
    visit,
    'truth',
    [{ kind: 'range', many: true }],
    {
      name: 'AddressIn',
      doc: 'IP address of the host is in one of these ranges',
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
    { name: 'Status', doc: 'HTTP status', example: 'Status == 200' },
    ({ status }) => status,
  ),
  responseNumber(
    { name: 'Length', doc: 'bytes of the body as received', example: 'Length < 5M' },
    ({ length }) => length,
  ),
  responseNumber(
    {
      name: 'ResponseTime',
      doc: 'milliseconds until the response was complete',
      example: 'ResponseTime < 5k',
    },
    ({ elapsed }) => elapsed,
  ),
  responseIs(
    {
      name: 'ContentTypeIs',
      doc: 'Content-Type is one of these patterns, written as for --types',
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
      doc: 'Content-Language lists one of these',
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
    {
      name: 'HasHeader',
      doc: 'the response has a header with this name',
      example: 'HasHeader(last-modified)',
    },
    [{ kind: 'word' }],
    ([name]) =>
      ({ headers }) =>
        headers.get(name) !== undefined,
  ),
  responseIs(
    {
      name: 'HeaderMatches',
      doc: 'regular expression matches a value of the header',
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
    {
      name: 'IsDuplicate',
      doc: 'a recent response had the same bytes',
      example: 'not IsDuplicate',
    },
    [],
    () =>
      ({ isDuplicate }) =>
        isDuplicate(),
  ),
  responseIs(
    { name: 'IsTruncated', doc: 'the body was truncated', example: 'not IsTruncated' },
    [],
    () =>
      ({ truncated }) =>
        truncated,
  ),
  responseIs(
    { name: 'IsHtml', doc: 'the response is HTML', example: 'IsHtml' },
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
    { name: 'Links', doc: 'links on the page; 0 if it was not parsed', example: 'Links < 1k' },
    () =>
      ({ links }) =>
        links,
  ),
  pageIs(
    {
      name: 'CharsetIs',
      doc: 'charset of the page: utf-8, windows-1252, …, or ascii',
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
      doc: 'regular expression matches the title of the page',
      example: 'TitleMatches(/not found/i)',
    },
    [{ kind: 'regular' }],
    ([expression]) => {
      const matches = compileUrlPattern(expression);
      return ({ title }) => matches((title() ?? '').slice(0, LONGEST_TEXT));
    },
  ),
  about(
    'follow',
    page,
    'number',
    [],
    {
      name: 'Words',
      doc: 'words of the text; in a crawl of the main text of HTML, 0 for anything else',
      example: 'Words >= 200',
    },
    () =>
      ({ words }) =>
        words(),
  ),
  pageIs(
    {
      name: 'TextMatches',
      doc: 'regular expression matches a line of the text: a paragraph or heading of HTML, a line of a document',
      example: 'TextMatches(/^references$/i)',
    },
    [{ kind: 'regular' }],
    ([expression]) => {
      const matches = compileUrlPattern(expression);
      return ({ text }) => text().split('\n').some(matches);
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
      doc: 'the page asks not to follow its links; they are never followed anyway',
      example: 'not IsNofollow',
    },
    [],
    () =>
      ({ nofollow }) =>
        nofollow,
  ),
];

/** `en` also matches `en-GB`. */
const isLanguage = (tag: string, wanted: string): boolean =>
  tag === wanted || tag.startsWith(`${wanted}-`);
