import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseRobots, robotsFromResponse, UNREACHABLE } from '../../src/robots/parse-robots.ts';
import { matches, normalisePath, patternOf } from '../../src/robots/pattern.ts';

const robots = (text: string, token = 'drumlin') => parseRobots(Buffer.from(text), token);
const allowed = (text: string, path: string, token?: string) =>
  robots(text, token).verdict(path).allowed;

describe('the rules that apply', () => {
  test('are those of all groups that name us, in any letter case', () => {
    const text = `User-agent: *\nDisallow: /everybody\n\nUser-agent: DRUMLIN\nDisallow: /a\n\nUser-agent: other\nDisallow: /b\n\nuser-agent: Drumlin/1.0 beta\nDISALLOW : /c`;
    expect(['/everybody', '/a', '/b', '/c'].map((path) => allowed(text, path))).toEqual([
      true,
      false,
      true,
      false,
    ]);
  });

  test('are those of * if no group names us', () => {
    const text =
      'User-agent: drum\nDisallow: /a\nUser-agent: drumlinbot\nDisallow: /b\nUser-agent: *\nDisallow: /c';
    expect(['/a', '/b', '/c'].map((path) => allowed(text, path))).toEqual([true, true, false]);
  });

  test('are shared by several names in a row', () => {
    const text =
      'User-agent: a\nUser-agent: drumlin\n\n# comment\nUser-agent: b\nDisallow: /x\nUser-agent: c\nDisallow: /y';
    expect(['/x', '/y'].map((path) => allowed(text, path))).toEqual([false, true]);
  });

  test('are none if our group has none, even if * has some', () => {
    expect(allowed('User-agent: *\nDisallow: /\n\nUser-agent: drumlin\n', '/x')).toBe(true);
    expect(allowed('User-agent: *\nDisallow: /\n\nUser-agent: drumlin\nDisallow:\n', '/x')).toBe(
      true,
    );
  });

  test('are none before the first group and in a file without groups', () => {
    expect(allowed('Disallow: /', '/x')).toBe(true);
    expect(allowed('', '/x')).toBe(true);
    expect(allowed('<html><body>404 Not Found: /</body></html>', '/x')).toBe(true);
  });

  test('are not separated from their names by lines with other keys', () => {
    expect(
      allowed(
        'User-agent: drumlin\nSitemap: http://x/\nNoindex: /\nUser-agent: *\nDisallow: /',
        '/x',
      ),
    ).toBe(false);
  });

  test('are not separated from their names by a Crawl-delay, which the RFC does not define', () => {
    const text =
      'User-agent: drumlin\nCrawl-delay: 1\nUser-agent: other\nDisallow: /a\nUser-agent: *\nDisallow: /b';
    expect(['/a', '/b'].map((path) => allowed(text, path))).toEqual([false, true]);
    expect(
      allowed(
        'User-agent: drumlin\nDisallow: /a\nCrawl-delay: 1\nUser-agent: *\nDisallow: /b',
        '/b',
      ),
    ).toBe(true);
  });

  test('are those of a name with digits, which differs from the name without them', () => {
    const text =
      'User-agent: MJ12bot\nDisallow: /a\nUser-agent: 360Spider/1.0\nDisallow: /b\nUser-agent: *\nDisallow: /c';
    expect(['/a', '/b', '/c'].map((path) => allowed(text, path, 'MJ12bot'))).toEqual([
      false,
      true,
      true,
    ]);
    expect(['/a', '/b', '/c'].map((path) => allowed(text, path, '360spider'))).toEqual([
      true,
      false,
      true,
    ]);
    expect(['/a', '/b', '/c'].map((path) => allowed(text, path, 'mj'))).toEqual([
      true,
      true,
      false,
    ]);
  });

  test('are read from misspelt lines, as large crawlers do', () => {
    expect(allowed('Useragent: drumlin\nDissallow: /x', '/x')).toBe(false);
  });
});

describe('the lines', () => {
  test.each(['\n', '\r', '\r\n', '\n\r\n'])('may end in %j', (end) => {
    const text = ['User-agent: *', 'Disallow: /a', '', 'Allow: /a/b'].join(end);
    expect(['/a', '/a/b'].map((path) => allowed(text, path))).toEqual([false, true]);
  });

  test('may begin with a byte order mark, blanks and bytes that are not text', () => {
    expect(allowed('\ufeffUser-agent: *\nDisallow: /a', '/a')).toBe(false);
    expect(allowed(' \t User-agent :\t* \n  Disallow :  /a  # why', '/a')).toBe(false);
    const garbage = Buffer.concat([
      Buffer.from([0xff, 0xfe, 0, 10, 0x80, 58, 0xc3, 10]),
      Buffer.from('User-agent: *\nDisallow: /a'),
    ]);
    expect(parseRobots(garbage, 'drumlin').verdict('/a').allowed).toBe(false);
  });

  test('that decided are reported by number and text', () => {
    const rules = robots('# hello\r\nUser-agent: *\r\n\r\nDisallow: /a # no\r\nAllow: /a/*.html$');
    expect(rules.verdict('/a/x')).toEqual({ allowed: false, line: 4, rule: 'Disallow: /a' });
    expect(rules.verdict('/a/x.html')).toEqual({
      allowed: true,
      line: 5,
      rule: 'Allow: /a/*.html$',
    });
    expect(rules.verdict('/b')).toEqual({ allowed: true });
  });

  test('are read up to the limit; a line that it truncates is dropped', () => {
    const text = `User-agent: *\nDisallow: /a\n${'#'.repeat(100)}\nDisallow: /bc`;
    const upTo = (maxBytes: number, path: string) =>
      parseRobots(Buffer.from(text), 'x', { maxBytes }).verdict(path).allowed;
    expect(upTo(text.length, '/bc')).toBe(false);
    expect(upTo(text.length - 1, '/b')).toBe(true);
    expect(upTo(30, '/a')).toBe(false);
  });

  test('are read up to at least 500 KiB', () => {
    const filler = `# ${'x'.repeat(97)}\n`.repeat(5118);
    const text = `User-agent: *\n${filler}Disallow: /a`;
    expect(text.length).toBeGreaterThan(511_800);
    expect(allowed(text, '/a')).toBe(false);
    expect(allowed(`User-agent: *\n${filler}${filler}Disallow: /a`, '/a')).toBe(true);
  });
});

describe('a rule', () => {
  const cases: [rule: string, path: string, matches: boolean][] = [
    ['/', '/anything', true],
    ['/fish', '/fish', true],
    ['/fish', '/fishheads/yummy.html', true],
    ['/fish', '/Fish.asp', false],
    ['/fish', '/catfish', false],
    ['/fish/', '/fish', false],
    ['/fish*', '/fish.php?id=1', true],
    ['/*.php', '/folder/any.php.file.html', true],
    ['/*.php', '/', false],
    ['/*.php$', '/filename.php', true],
    ['/*.php$', '/filename.php?parameters', false],
    ['/*.php$', '/filename.php/', false],
    ['/fish*.php', '/fishheads/catfish.php?parameters', true],
    ['/fish*.php', '/Fish.PHP', false],
    ['*.pdf', '/a/b.pdf', true],
    ['/a*a$', '/a', false],
    ['/a*a$', '/aa', true],
    ['/$', '/', true],
    ['/$', '/a', false],
    ['*', '/x', true],
    ['/**x', '/yx', true],
    ['/a$b', '/a$b', true],
    ['/a$b', '/a', false],
    ['/foo/bar?baz=quz', '/foo/bar?baz=quz', true],
    ['/foo/bar?baz=https://foo.bar', '/foo/bar?baz=https%3A%2F%2Ffoo.bar', true],
    ['/foo/bar?baz=https%3A%2F%2Ffoo.bar', '/foo/bar?baz=https://foo.bar', true],
    ['/foo/bar/ツ', '/foo/bar/%E3%83%84', true],
    ['/foo/bar/%e3%83%84', '/foo/bar/%E3%83%84', true],
    ['/foo/bar/%62%61%7A', '/foo/bar/baz', true],
    ['/foo/bar/baz', '/foo/bar/%62%61%7a', true],
    ['/~joe', '/%7Ejoe/', true],
    ['/%7ejoe', '/~joe/', true],
    ['/a%2Fb', '/a/b', false],
    ['/a/b', '/a%2Fb', false],
    ['/path/file-with-a-%2A.html', '/path/file-with-a-*.html', true],
    ['/path/file-with-a-%2A.html', '/path/file-with-a-b.html', false],
    ['/path/foo-%24', '/path/foo-$', true],
    ['/path/foo-%24', '/path/foo-', false],
    ['/a b', '/a%20b', true],
    ['/100%', '/100%25', true],
    ['/x[y]', '/x%5By%5D', true],
    ['/x[y]', '/x[y]', true],
    ['fish', '/fish', false],
    ['http://lab.test/fish', '/fish', false],
  ];
  test.each(cases)('%j for %j: %j', (rule, path, expected) => {
    expect(allowed(`User-agent: *\nDisallow: ${rule}`, path)).toBe(!expected);
  });

  const contests: [rules: string, path: string, allowed: boolean][] = [
    ['Allow: /p\nDisallow: /', '/page', true],
    ['Allow: /folder\nDisallow: /folder', '/folder/page', true],
    ['Disallow: /folder\nAllow: /folder', '/folder/page', true],
    ['Allow: /page\nDisallow: /*.htm', '/page.htm', false],
    ['Allow: /$\nDisallow: /', '/', true],
    ['Allow: /$\nDisallow: /', '/page.htm', false],
    ['Allow: /page\nDisallow: /*.ph', '/page.php5', true],
    ['Disallow: /x/page.html\nAllow: /x/', '/x/page.html', false],
    ['Disallow: /%7Ea\nAllow: /~a', '/~a', true],
    ['Disallow: /\nAllow:', '/x', false],
  ];
  test.each(contests)('the longest of %j wins for %j', (rules, path, expected) => {
    expect(allowed(`User-agent: *\n${rules}`, path)).toBe(expected);
  });

  test('never forbids robots.txt itself', () => {
    expect(allowed('User-agent: *\nDisallow: /', '/robots.txt')).toBe(true);
    expect(allowed('User-agent: *\nDisallow: /', '/robots.txt2')).toBe(false);
  });
});

describe('matching', () => {
  const alphabet = fc.constantFrom('a', 'b', '/', '*', '$', '%61', '%2F', '%2a');
  const text = fc.array(alphabet, { maxLength: 9 }).map((parts) => `/${parts.join('')}`);

  /** The definition, by trying everything. */
  function naive(pattern: string, path: string): boolean {
    if (pattern === '') return true;
    if (pattern === '$') return path === '';
    if (pattern[0] === '*')
      return naive(pattern.slice(1), path) || (path !== '' && naive(pattern, path.slice(1)));
    return path[0] === pattern[0] && naive(pattern.slice(1), path.slice(1));
  }
  /** One character for each octet, so that the naive matcher needs no encodings. */
  const decode = (spelling: string, isRule: boolean) => {
    const end = isRule && spelling.endsWith('$') ? '$' : '';
    const body = end === '' ? spelling : spelling.slice(0, -1);
    return (
      body
        .replace(/%61/g, 'a')
        .replace(/\$/g, 'D')
        .replace(/\*/g, isRule ? '*' : 'S')
        .replace(/%2a/g, 'S')
        .replace(/%2F/g, 'F') + end
    );
  };

  test('agrees with a naive matcher, for any rule and path', () => {
    fc.assert(
      fc.property(text, text, (rule, path) => {
        const expected = naive(decode(rule, true), decode(path, false));
        const { text: pattern, anchored } = patternOf(Buffer.from(rule))!;
        // Text around the pattern must not matter.
        const rules = `*a${pattern}b*`;
        expect(matches(rules, 2, 2 + pattern.length, anchored, normalisePath(path))).toBe(expected);
      }),
      { numRuns: 5000 },
    );
  });

  test('does not depend on the spelling of the path', () => {
    const spelling = fc.string({
      unit: fc.constantFrom('/', 'a', '~', '%2F', '%c3%A9', 'é', '?', '=', '[', '$'),
      maxLength: 20,
    });
    fc.assert(
      fc.property(spelling, (path) => {
        const spelt = (path.match(/%..|[\s\S]/g) ?? []).map((part) =>
          /^[a-z0-9~._-]$/i.test(part) ? `%${part.charCodeAt(0).toString(16)}` : part,
        );
        expect(normalisePath(spelt.join(''))).toBe(normalisePath(path));
        expect(normalisePath(normalisePath(path))).toBe(normalisePath(path));
      }),
    );
  });

  test('stays fast for rules that are made to be slow', () => {
    const path = `/${'a'.repeat(2000)}`;
    const rule = `/${'a*'.repeat(900)}b`;
    const text = `User-agent: *\n${`Disallow: ${rule}\n`.repeat(250)}`;
    const rules = robots(text);
    const began = process.cpuUsage();
    for (let i = 0; i < 10; i++) expect(rules.verdict(path).allowed).toBe(true);
    expect(process.cpuUsage(began).user).toBeLessThan(2_000_000);
  });
});

describe('in addition to the rules', () => {
  test.each([
    ['Crawl-delay: 5', 5000],
    ['crawl-delay: 0.5', 500],
    ['Crawl-delay: 1\nCrawl-delay: 3\nCrawl-delay: 2', 3000],
    ['Crawl-delay: -1', undefined],
    ['Crawl-delay: soon', undefined],
    ['Crawl-delay:', undefined],
    ['Disallow: /', undefined],
  ])('%j sets a delay of %j ms', (lines, expected) => {
    expect(robots(`User-agent: *\n${lines}`).crawlDelay).toBe(expected);
  });

  test('a delay applies to the names just before it, although all names share the next rules', () => {
    const text =
      'User-agent: *\nCrawl-delay: 9\nUser-agent: drumlin\nUser-agent: a\nCrawl-delay: 2\nUser-agent: other\nDisallow: /\nUser-agent: late\nDisallow: /x\nCrawl-delay: 4';
    const delays = ['drumlin', 'a', 'someone', 'other', 'late'].map(
      (name) => robots(text, name).crawlDelay,
    );
    expect(delays).toEqual([2000, 2000, 9000, undefined, 4000]);
    expect(robots('User-agent: *\nCrawl-delay: 1\nUser-agent: a\nCrawl-delay: 5').crawlDelay).toBe(
      1000,
    );
    expect(
      ['drumlin', 'someone', 'other', 'late'].map((name) => allowed(text, '/y', name)),
    ).toEqual([false, false, false, true]);
  });

  test('sitemaps apply to all agents', () => {
    const text =
      'Sitemap: http://x/1\nUser-agent: other\nSITEMAP: http://x/ü?a=b:c\nDisallow: /\nSitemap:\nSitemap: 3 # three';
    expect(robots(text).sitemaps).toEqual(['http://x/1', 'http://x/ü?a=b:c', '3']);
  });
});

describe('a response', () => {
  const body = Buffer.from('User-agent: *\nDisallow: /a');
  test.each([
    [200, '/a', false],
    [200, '/b', true],
    [206, '/a', false],
    [204, '/b', true],
    [301, '/a', true],
    [400, '/a', true],
    [401, '/a', true],
    [403, '/a', true],
    [404, '/a', true],
    [410, '/a', true],
    [429, '/b', false],
    [500, '/b', false],
    [503, '/b', false],
    [599, '/b', false],
    [999, '/b', false],
  ])('of status %d for %s: %j', (status, path, expected) => {
    const rules = robotsFromResponse(status, body, 'drumlin');
    expect(rules.verdict(path).allowed).toBe(expected);
    expect(rules === UNREACHABLE).toBe(status >= 500 || status === 429);
  });
});

test('no bytes make the parser or a verdict fail', () => {
  const words = [
    'User-agent:',
    'Disallow:',
    'Allow:',
    'Crawl-delay:',
    'Sitemap:',
    '*',
    '$',
    '/',
    '%',
    '%4',
    '#',
    ' ',
    '\n',
    '\r',
    '\0',
    'é',
  ];
  fc.assert(
    fc.property(fc.array(fc.nat(40), { maxLength: 60 }), (choices) => {
      const pieces = choices.map((byte) => Buffer.from(words[byte] ?? [byte * 6]));
      const rules = parseRobots(Buffer.concat(pieces), 'drumlin');
      for (const piece of pieces)
        expect(typeof rules.verdict(`/${piece.toString('latin1')}`).allowed).toBe('boolean');
    }),
    { numRuns: 500 },
  );
});
