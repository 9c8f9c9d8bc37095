import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Ask, Outcome } from '../../../src/crawl/planned/ask.ts';
import { SKETCH_WORDS } from '../../../src/duplicates/fingerprint.ts';
import { Judge } from '../../../src/refresh/run/judge.ts';
import type { Judged, TestName, VerdictName } from '../../../src/refresh/verdict.ts';

/** A small web: the answer to each URL, and with `*` to all others of a host; or not found. */
type Answers = Record<string, Partial<Outcome>>;

/** Judges pages by answers that come in any order. Returns verdicts and the requests made. */
function judge(
  pages: readonly string[],
  answers: Answers,
  { test = 'conditional', known = [], pick = () => 0 }: Options = {},
) {
  const open: Ask[] = [];
  const asked: string[] = [];
  const verdicts: Judged[] = [];
  const outcomes: Outcome[] = [];
  const judge = new Judge(
    {
      test,
      maxRedirects: 5,
      ask: (ask) => {
        open.push(ask);
        asked.push(`${ask.method} ${ask.url}`);
      },
      onVerdict: (page, judged) => {
        verdicts[page] = judged;
      },
    },
    known,
  );
  for (const [page, url] of pages.entries()) judge.test(page, url);
  while (open.length > 0) {
    const [{ url, method }] = open.splice(pick(open.length), 1);
    const answer = answers[`${method} ${url}`] ?? answerTo(url, answers);
    const outcome = { url, method, time: 0, ...answer } as Outcome;
    outcomes.push(outcome);
    judge.heard(outcome);
  }
  return { names: verdicts.map(({ verdict }) => verdict), verdicts, asked, outcomes };
}
interface Options {
  readonly test?: TestName;
  readonly known?: readonly Outcome[];
  readonly pick?: (open: number) => number;
}

const answerTo = (url: string, answers: Answers): Partial<Outcome> =>
  answers[url] ?? answers[`${new URL(url).origin}/*`] ?? { status: 404 };

/** The verdicts by following each page alone, with all answers known. */
function naiveVerdicts(pages: readonly string[], answers: Answers): VerdictName[] {
  const endOf = (from: string): { url: string; answer: Partial<Outcome> } | undefined => {
    const way = [from];
    for (let answer = answerTo(from, answers); ; answer = answerTo(way.at(-1) ?? '', answers)) {
      const url = way.at(-1) ?? '';
      if (answer.target === undefined) return { url, answer };
      if (way.includes(answer.target) || way.length > 5) return undefined;
      way.push(answer.target);
    }
  };
  const isSoft = ({ url, answer }: NonNullable<ReturnType<typeof endOf>>): boolean => {
    const lost = endOf(new URL('/made-up', url).href);
    const isSame = lost?.url === url || lost?.answer.digest === answer.digest;
    return answer.page === 'other' && lost?.answer.status === 200 && isSame;
  };
  const ends = pages.map((url) => endOf(url));
  const isFront = (url: string) => ['/', '/index.html'].includes(new URL(url).pathname);
  return pages.map((url, i) => {
    const end = ends[i];
    if (end === undefined) return 'gone';
    const { status, fault, page } = end.answer;
    if (fault !== undefined) return 'no-host';
    if (status === 404) return 'gone';
    if (status === 500) return 'unknown';
    if (isSoft(end)) return 'soft-404';
    if (end.url === url) return page === 'confirmed' ? 'unchanged' : 'changed';
    const others = ends.filter((one, k) => one?.url === end.url && pages[k] !== end.url);
    return (isFront(end.url) && !isFront(url)) || others.length > 3 ? 'gone' : 'moved';
  });
}

const page = (digest: string): Partial<Outcome> => ({ status: 200, page: 'other', digest });
const redirect = (target: string): Partial<Outcome> => ({ status: 301, target });

describe('the judge', () => {
  test('follows redirects across hosts, and asks for each URL once', () => {
    const { names, verdicts, asked } = judge(
      ['http://a.test/1', 'http://a.test/2', 'http://b.test/3'],
      {
        'http://a.test/1': redirect('http://b.test/3'),
        'http://a.test/2': redirect('http://a.test/1'),
        'http://b.test/3': page('three'),
      },
    );
    expect(names).toEqual(['moved', 'moved', 'changed']);
    expect(verdicts[1].address).toBe('http://b.test/3');
    expect(asked).toHaveLength(4); // and a made-up URL of b.test
  });

  test('takes redirects home, in circles and without end for lost pages', () => {
    const { names } = judge(['http://a.test/1', 'http://a.test/2', 'http://a.test/'], {
      'http://a.test/1': redirect('http://a.test/'),
      'http://a.test/2': redirect('http://a.test/2'),
      'http://a.test/': page('home'),
    });
    expect(names).toEqual(['gone', 'gone', 'changed']);
  });

  test('revises what has moved when a fourth page leads to the same place', () => {
    const pages = ['1', '2', '3', '4', '5'].map((n) => `http://a.test/${n}`);
    const answers: Answers = { 'http://a.test/all': page('all') };
    for (const url of pages) answers[url] = redirect('http://a.test/all');
    expect(judge(pages.slice(0, 3), answers).names).toEqual(['moved', 'moved', 'moved']);
    expect(new Set(judge(pages, answers).names)).toEqual(new Set(['gone']));
  });

  test('learns the "not found" page of a host from a made-up URL, also behind a redirect', () => {
    const lost = page('lost');
    const { asked } = judge(['http://a.test/1'], { 'http://a.test/1': lost });
    const madeUp = asked[1].slice('GET '.length);
    expect(judge(['http://a.test/1'], { 'http://a.test/1': lost, [madeUp]: lost }).names).toEqual([
      'soft-404',
    ]);
    const behind = {
      'http://a.test/1': redirect('http://a.test/lost'),
      'http://a.test/2': page('two'),
      'http://a.test/lost': lost,
      [madeUp]: redirect('http://a.test/lost'),
    };
    expect(judge(['http://a.test/1', 'http://a.test/2'], behind).names).toEqual([
      'soft-404',
      'changed',
    ]);
  });

  test.each([
    [0.05, 'soft-404'],
    [0.15, 'changed'],
  ])('a text of which %d differs from the "not found" page is %s', (share, verdict) => {
    const places = 8 * SKETCH_WORDS;
    const sketch = 'a'.repeat(places);
    const other = 'b'.repeat(Math.round(share * places)).padEnd(places, 'a');
    const answers = {
      'http://a.test/1': { ...page('one'), sketch },
      'http://a.test/*': { ...page('lost'), sketch: other },
    };
    expect(judge(['http://a.test/1'], answers).names).toEqual([verdict]);
  });

  test('settles all pages of a host without a name with one look-up', () => {
    const answers = { 'http://a.test/1': { fault: 'dns-not-found' } };
    const first = judge(['http://a.test/1'], answers);
    const { names, asked } = judge(
      ['http://a.test/2', 'http://a.test/3'],
      {},
      { known: first.outcomes },
    );
    expect(names).toEqual(['no-host', 'no-host']);
    expect(asked).toEqual([]);
  });

  test('asks with HEAD, and with GET where HEAD is refused or says nothing', () => {
    const pages = ['http://a.test/1', 'http://b.test/1', 'http://c.test/1', 'http://c.test/2'];
    const { asked: probes } = judge(['http://c.test/1'], { 'http://c.test/1': page('x') });
    const madeUp = probes[1].slice('GET '.length);
    const { names, asked } = judge(
      pages,
      {
        'http://a.test/1': page('one'),
        'HEAD http://b.test/1': { status: 405 },
        'http://b.test/1': page('b'),
        'http://c.test/1': page('real'),
        'HEAD http://c.test/2': page('empty'),
        'http://c.test/2': page('lost'),
        [madeUp]: page('lost'),
      },
      { test: 'head' },
    );
    expect(names).toEqual(['changed', 'changed', 'changed', 'soft-404']);
    expect(asked).toContain('HEAD http://a.test/1');
    expect(asked).not.toContain('GET http://a.test/1');
    expect(asked).toContain('GET http://b.test/1');
    expect(asked).toContain('GET http://c.test/2');
  });

  test.each([
    ['HEAD', 400, 'GET'],
    ['HEAD', 405, 'GET'],
    ['HEAD', 501, 'GET'],
    ['HEAD', 'reset', 'GET'],
    ['HEAD', 'empty-response', 'GET'],
    ['HEAD', 'bad-response', 'GET'],
    ['HEAD', 403, undefined],
    ['HEAD', 404, undefined],
    ['HEAD', 500, undefined],
    ['HEAD', 'connect-refused', undefined],
  ])('a host that answers %s with %s is asked with %s', (_, answer, method) => {
    const first = typeof answer === 'number' ? { status: answer } : { fault: answer };
    const answers = { 'HEAD http://a.test/1': first, 'http://a.test/1': { status: 410 } };
    const { asked } = judge(['http://a.test/1'], answers, { test: 'head' });
    expect(asked).toEqual(['HEAD http://a.test/1', ...(method ? ['GET http://a.test/1'] : [])]);
  });

  test.each([
    [5, 'moved'],
    [6, 'gone'],
  ])('a page behind %i redirects, of which five are followed, is %s', (count, verdict) => {
    const answers: Answers = { [`http://a.test/${count}`]: page('end') };
    for (let i = 0; i < count; i++)
      answers[`http://a.test/${i}`] = redirect(`http://a.test/${i + 1}`);
    expect(judge(['http://a.test/0'], answers).names).toEqual([verdict]);
    expect(naiveVerdicts(['http://a.test/0'], answers)).toEqual([verdict]);
  });

  test('gives the naive verdicts in any order of answers, and after any restart', () => {
    const urls = ['/', '/index.html', '/1', '/2', '/3', '/4', '/5'].flatMap((path) => [
      `http://a.test${path}`,
      `http://b.test${path}`,
    ]);
    const answer = fc.oneof(
      fc.constantFrom(...urls).map(redirect),
      fc.constantFrom('one', 'two', 'lost').map(page),
      fc.constantFrom<Partial<Outcome>>(
        { status: 404 },
        { status: 500 },
        { status: 304, page: 'confirmed' },
        { fault: 'connect-refused' },
      ),
    );
    fc.assert(
      fc.property(
        fc.array(answer, { minLength: urls.length, maxLength: urls.length }),
        fc.infiniteStream(fc.nat()),
        fc.nat(20),
        fc.tuple(
          answer,
          fc.constantFrom(page('lost'), redirect(urls[4]), { ...page('lost'), status: 404 }),
        ),
        (given, choices, cut, [one, other]) => {
          const answers: Answers = Object.fromEntries(urls.map((url, i) => [url, given[i]]));
          Object.assign(answers, { 'http://a.test/*': one, 'http://b.test/*': other });
          const inOrder = judge(urls, answers);
          expect(inOrder.names).toEqual(naiveVerdicts(urls, answers));
          const pick = (open: number) => choices.next().value % open;
          const shuffled = judge(urls, answers, { pick });
          expect(shuffled.names).toEqual(inOrder.names);
          const known = shuffled.outcomes.slice(0, cut);
          const resumed = judge(urls, answers, { known });
          expect(resumed.names).toEqual(inOrder.names);
          expect(resumed.outcomes.length + known.length).toBe(inOrder.outcomes.length);
        },
      ),
      { numRuns: 300 },
    );
  });
});
