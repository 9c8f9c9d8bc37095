import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  parseRobots,
  type RobotsRules,
  rulesFromBytes,
  UNREACHABLE,
} from '../../src/robots/parse-robots.ts';

const robots = (text: string, token = 'drumlin') => parseRobots(Buffer.from(text), token);
const restored = (rules: RobotsRules) => rulesFromBytes(rules.toBytes()!);

/** Files with collisions, wildcards, encodings and bytes that are not text. */
const piece = fc.constantFrom(
  'a',
  'b',
  '/',
  '*',
  '$',
  '%61',
  '%2F',
  '%2a',
  'é',
  '?',
  '[',
  ' ',
  '#',
  '\u0000',
  '~',
);
const path = fc.array(piece, { maxLength: 8 }).map((pieces) => `/${pieces.join('')}`);
const line = fc.oneof(
  fc
    .tuple(fc.constantFrom('Allow: ', 'Disallow: ', 'disallow:'), path)
    .map((parts) => parts.join('')),
  fc
    .tuple(fc.constant('Disallow: '), fc.constantFrom('', '*', 'nonsense', '/\u0080'))
    .map((parts) => parts.join('')),
  fc.constantFrom(
    'User-agent: *',
    'User-agent: drumlin',
    'Crawl-delay: 1.5',
    'Crawl-delay: 0',
    'Sitemap: x',
    '',
  ),
);
const file = fc
  .tuple(fc.array(line, { maxLength: 25 }), fc.boolean())
  .map(([lines, latin1]) =>
    Buffer.from(`User-agent: *\n${lines.join('\n')}`, latin1 ? 'latin1' : 'utf8'),
  );

describe('stored rules', () => {
  test('give the same verdicts as before, with lines and delay', () => {
    fc.assert(
      fc.property(file, fc.array(path, { maxLength: 8 }), (bytes, paths) => {
        const rules = parseRobots(bytes, 'drumlin');
        const copy = restored(rules);
        expect(paths.map((one) => copy.verdict(one))).toEqual(
          paths.map((one) => rules.verdict(one)),
        );
        expect(copy.crawlDelay).toBe(rules.crawlDelay);
        expect(copy.toBytes()).toEqual(rules.toBytes());
      }),
      { numRuns: 500 },
    );
  });

  test('report a line as written, although it is matched in another spelling', () => {
    const rules = restored(robots('User-agent: *\n\n\nDisallow: /%7ejoe/**é$ # why\nAllow: /b*$'));
    expect(rules.verdict('/~joe/xé')).toEqual({
      allowed: false,
      line: 4,
      rule: 'Disallow: /%7ejoe/**é$',
    });
    expect(rules.verdict('/bc')).toEqual({ allowed: true, line: 5, rule: 'Allow: /b*$' });
  });

  test.each([undefined, '0', '0.5', '999999999.999'])('keep a delay of %j', (delay) => {
    const rules = robots(`User-agent: *\n${delay === undefined ? '' : `Crawl-delay: ${delay}`}`);
    expect(restored(rules).crawlDelay).toBe(delay === undefined ? undefined : Number(delay) * 1000);
  });

  test('that forbid everything because the file was unreachable are UNREACHABLE itself', () => {
    expect(restored(UNREACHABLE)).toBe(UNREACHABLE);
    expect(UNREACHABLE.toBytes()).toEqual(Uint8Array.of(1, 0));
  });

  test('have no sitemaps, which are reported only when the file is parsed', () => {
    const rules = robots('Sitemap: http://x/1\nUser-agent: *\nDisallow: /a');
    expect(rules.sitemaps).toEqual(['http://x/1']);
    expect(restored(rules).sitemaps).toEqual([]);
  });

  test('take little more memory than their text', () => {
    const text = `User-agent: *\n${'Disallow: /some/path\n'.repeat(100)}`;
    expect(robots(text).toBytes()!.length).toBeLessThan(100 * '/some/path'.length + 310);
    expect(robots('').toBytes()!.length).toBe(3);
  });

  test('do not change with the bytes that they were restored from', () => {
    const bytes = robots('User-agent: *\nDisallow: /a').toBytes()!;
    const rules = rulesFromBytes(bytes);
    bytes.fill(0);
    expect(rules.verdict('/a').allowed).toBe(false);
  });
});

describe('rules that are too long to be stored', () => {
  const rules = robots(`User-agent: *\n${'Disallow: /some/path\n'.repeat(10_000)}`);
  test('are not stored at all, because half of them would be wrong', () => {
    expect(rules.toBytes()).toBeUndefined();
    expect(robots('User-agent: *\nDisallow: /some/path').toBytes(5)).toBeUndefined();
  });
  test('are subject to the limit of the caller', () => {
    expect(restored(robots('User-agent: *\nDisallow: /a')).toBytes(7)).toHaveLength(7);
    expect(rulesFromBytes(rules.toBytes(1e6)!).verdict('/some/path').line).toBe(2);
  });
});

describe('bytes that are not rules', () => {
  test.each([
    [[], 'format none'],
    [[2, 1, 0], 'format 2'],
    [[1], 'an unknown kind'],
    [[1, 7], 'an unknown kind'],
    [[1, 0, 0], 'an unknown kind'],
    [[1, 1], 'truncated'],
    [[1, 1, 0, 16], 'truncated'],
    [[1, 1, 0, 16, 3, 47, 97], 'truncated'],
    [[1, 1, 0, 17, 1, 47, 9, 97], 'truncated'],
    [[1, 1, 0x80, 0x80], 'truncated'],
  ])('%j are refused with the reason', (bytes, reason) => {
    expect(() => rulesFromBytes(Uint8Array.from(bytes))).toThrow(reason);
  });

  test('are refused wherever they were truncated, and never do harm', () => {
    const whole = robots('User-agent: *\nCrawl-delay: 7\nDisallow: /a*b\nAllow: /%7ea$').toBytes()!;
    const verdictOf = (bytes: Uint8Array) => {
      try {
        return typeof rulesFromBytes(bytes).verdict('/~a').allowed;
      } catch (error) {
        return (error as { code: string }).code;
      }
    };
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), fc.nat(whole.length - 1), (noise, at) => {
        expect(['boolean', 'ROBOTS_FORMAT']).toContain(verdictOf(Uint8Array.of(1, 1, ...noise)));
        expect(['boolean', 'ROBOTS_FORMAT']).toContain(verdictOf(whole.subarray(0, at)));
      }),
    );
  });
});

describe('a file of nothing but wildcards', () => {
  const text = (rules: number) =>
    `User-agent: *\n${Array.from({ length: rules }, (_, i) => `Disallow: /*b${i}\n`).join('')}Allow: /\n`;
  const long = `/${'a'.repeat(2000)}`;

  test('is matched while that takes milliseconds', () => {
    expect(robots(text(2000)).verdict(long)).toMatchObject({ allowed: true, line: 2002 });
    expect(robots(text(30_000)).verdict('/short')).toMatchObject({ allowed: true });
  });

  test('forbids a path that would take longer', () => {
    const rules = robots(text(30_000));
    const began = process.cpuUsage();
    expect(rules.verdict(long)).toEqual({ allowed: false });
    expect(process.cpuUsage(began).user).toBeLessThan(500_000);
  });
});
