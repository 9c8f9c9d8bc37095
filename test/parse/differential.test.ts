import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decode } from '../../src/parse/charset.ts';
import { type ParsedPage, parsePage } from '../../src/parse/page.ts';
import { ACCEPTED, BROKEN_PAGES } from './broken-pages.ts';
import { oracle } from './oracle.ts';
import { foreign, soup, structuredSoup } from './soup.ts';

const PAGE_URL = 'http://docs.example.org/a/b.html';

function answerOf(page: ParsedPage) {
  const links = new Set(
    page.links.map((link) => `${link.kind} ${link.url}${link.nofollow ? ' nofollow' : ''}`),
  );
  return { links: [...links].sort(), base: page.base, title: page.title() };
}

function agreesWithOracle(page: string): void {
  const parsed = parsePage(Buffer.from(page), {
    url: PAGE_URL,
    contentType: 'text/html; charset=utf-8',
  });
  expect(answerOf(parsed)).toEqual(oracle(page, PAGE_URL));
}

describe('links, base and title are those of a conformant parser', () => {
  test('for soup of tags, attributes, references, comments and raw text', () => {
    fc.assert(fc.property(soup, agreesWithOracle), { numRuns: 2000 });
  });

  test('for soup whose elements the tree builder moves', () => {
    fc.assert(fc.property(structuredSoup, agreesWithOracle), { numRuns: 1200 });
  });

  test('for well-nested SVG and MathML with HTML inside', () => {
    fc.assert(fc.property(foreign, agreesWithOracle), { numRuns: 1200 });
  });

  test.each(BROKEN_PAGES)('for %s', (_, page) => {
    agreesWithOracle(page);
  });
});

describe('the accepted differences', () => {
  test.each(ACCEPTED)('$what: $why', ({ page, ours, theirs }) => {
    const urls = (links: string[]) =>
      links.map((link) => link.replace('http://docs.example.org/a/', ''));
    const parsed = parsePage(Buffer.from(page), {
      url: PAGE_URL,
      contentType: 'text/html; charset=utf-8',
    });
    expect(urls(answerOf(parsed).links)).toEqual(ours);
    expect(urls(oracle(page, PAGE_URL).links)).toEqual(theirs);
  });
});

/** Folders of HTML that come with Debian, Rust, Node or Python. */
const FOLDERS = [
  '/usr/share/doc',
  '/usr/share/gtk-doc',
  '/usr/lib/node_modules',
  '/usr/local/lib/node_modules',
  join(homedir(), '.rustup/toolchains'),
  resolve(import.meta.dirname, '../../node_modules'),
];
const PAGES_A_FOLDER = 80;
const MAX_PAGE_BYTES = 400_000;

/** The first pages found, at most three per folder so that the sample is varied. */
function pagesUnder(folder: string, limit: number): string[] {
  const found: string[] = [];
  const visit = (at: string, depth: number): void => {
    if (found.length >= limit || depth > 9) return;
    const entries = readdirSync(at, { withFileTypes: true });
    const pages = entries
      .filter((entry) => entry.isFile() && /\.html?$/.test(entry.name))
      .slice(0, 3);
    found.push(...pages.map((entry) => join(at, entry.name)));
    for (const entry of entries) if (entry.isDirectory()) visit(join(at, entry.name), depth + 1);
  };
  if (existsSync(folder)) visit(folder, 0);
  return found.slice(0, limit);
}

const realPages = FOLDERS.flatMap((folder) => pagesUnder(folder, PAGES_A_FOLDER));

test('the real pages of this machine have exactly the links of a conformant parser', () => {
  expect(realPages.length).toBeGreaterThan(0); // node_modules has some
  for (const file of realPages) {
    const body = readFileSync(file);
    if (body.length > MAX_PAGE_BYTES) continue;
    const parsed = parsePage(body, { url: PAGE_URL }, { maxLinks: 100_000 });
    const text =
      parsed.charset === 'ascii' ? body.toString('latin1') : decode(body, parsed.charset);
    expect(answerOf(parsed), file).toEqual(oracle(text, PAGE_URL));
  }
});
