import { describe, expect, test } from 'vitest';
import { fingerprintOf } from '../../src/duplicates/fingerprint.ts';
import { LikenessMemory } from '../../src/duplicates/likeness-folder.ts';

const ORIGIN = 'http://example.org';
const textOf = (topic: string | number): string =>
  Array.from({ length: 80 }, (_, i) => `w${topic}x${i}`).join(' ');

/** Visits a site whose pages are a function of their URL; returns what was learned. */
function visit(
  memory: LikenessMemory,
  urls: readonly string[],
  textAt: (url: string) => string,
): string[] {
  return urls.flatMap((path) => {
    const url = ORIGIN + path;
    const fingerprint = fingerprintOf(Buffer.from(textAt(path)));
    const near = memory.pages.find(fingerprint, 0.65);
    const { learned } = memory.learner.learn(url, fingerprint, memory.add(fingerprint, url), near);
    return learned.map(({ rule, change }) => `${change} ${rule}`);
  });
}

const range = (n: number): number[] => Array.from({ length: n }, (_, i) => i);

describe('learning', () => {
  test('a session id that every page has, from pages fetched twice', () => {
    const memory = new LikenessMemory(2 ** 20);
    const urls = range(60).map((i) => `/page${i % 10}?sid=${(i * 7919).toString(16)}x${i}`);
    const learned = visit(memory, urls, (path) => textOf(path.split('?')[0]));
    expect(learned).toContain('learned ?sid');
    expect(memory.rules.rewrite(`${ORIGIN}/page3?sid=new0`)).toMatch(
      /^http:\/\/example\.org\/page3\?sid=/,
    );
  });

  test('nothing from a parameter that chooses the page', () => {
    const memory = new LikenessMemory(2 ** 20);
    expect(
      visit(
        memory,
        range(200).map((i) => `/view?id=${i}&tab=a`),
        textOf,
      ),
    ).toEqual([]);
  });

  test('a parameter that matters only under one path is learned for the others', () => {
    const memory = new LikenessMemory(2 ** 20);
    const urls = range(40).flatMap((i) => [`/view?ref=r${i}`, `/search?ref=r${i}`]);
    const learned = visit(memory, urls, (path) =>
      path.startsWith('/view') ? textOf('view') : textOf(path),
    );
    expect(learned).toEqual(['learned /view?ref']);
  });

  test('the empty years of a calendar, but not those with entries', () => {
    const memory = new LikenessMemory(2 ** 20);
    const urls = range(60).flatMap((year) =>
      range(4).map((month) => `/calendar/${2020 + year}/${month + 1}`),
    );
    const learned = visit(memory, urls, (path) =>
      Number(path.split('/')[2]) < 2030 ? textOf(path) : textOf('empty'),
    );
    expect(learned).toContain('learned /calendar/#/#: numbers 1, 2 above 2030, 4');
    expect(memory.rewrite(`${ORIGIN}/calendar/2024/3`)).toBe(`${ORIGIN}/calendar/2024/3`);
    const far = range(20).map((i) => memory.rewrite(`${ORIGIN}/calendar/${2200 + i}/3`));
    expect(new Set(far).size).toBeLessThan(5);
  });

  test('the pages of a list beyond its last', () => {
    const memory = new LikenessMemory(2 ** 20);
    const urls = range(120).map((i) => `/list?page=${i + 1}`);
    const learned = visit(memory, urls, (path) =>
      Number(path.slice(11)) <= 30 ? textOf(path) : textOf('no more'),
    );
    expect(learned).toContain('learned /list?page=#: number above 32');
    for (const i of range(30))
      expect(memory.rewrite(`${ORIGIN}/list?page=${i + 1}`)).toBe(`${ORIGIN}/list?page=${i + 1}`);
  });

  test('a folder below which everything is one page', () => {
    const memory = new LikenessMemory(2 ** 20);
    const urls = ['/archive/', ...range(12).map((i) => `/archive/${'more/'.repeat(i + 1)}`)];
    expect(visit(memory, urls, () => textOf('archive'))).toContain('learned /archive/**');
  });

  test('nothing from siblings whose folder was never seen', () => {
    const memory = new LikenessMemory(2 ** 20);
    expect(
      visit(
        memory,
        range(50).map((i) => `/private/note${i}`),
        () => textOf('private'),
      ),
    ).toEqual([]);
  });

  test('nothing from pages of a few words', () => {
    const memory = new LikenessMemory(2 ** 20);
    expect(
      visit(
        memory,
        range(50).map((i) => `/a?x=${i}k`),
        () => 'please log in',
      ),
    ).toEqual([]);
  });
});
