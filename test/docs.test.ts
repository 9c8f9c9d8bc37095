/** Files, headings, commands and flags that README, guides and reference pages name exist. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commandTree } from '../src/cli/commands/completion-tree.ts';
import { createProgram } from '../src/cli/program.ts';

const ROOT = join(import.meta.dirname, '..');
const FOLDERS = ['docs/guides', 'docs/reference'];
const NAMES = 'scope filters log exit-codes operations robots sitemaps configuration README';
const PAGES = [
  'README.md',
  ...NAMES.split(' ').map((name) => `docs/${name}.md`),
  ...FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder)).map((name) => `${folder}/${name}`),
  ),
];
const FENCE = /^```.*\n[\s\S]*?^```$/gm;
const textOf = (page: string): string => readFileSync(join(ROOT, page), 'utf8');
const proseOf = (page: string): string => textOf(page).replace(FENCE, '');

describe.each(PAGES.map((page) => [page]))('%s', (page) => {
  test('links to files and headings that exist', () => {
    for (const [, link] of proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)) {
      const [path, heading] = link.split('#');
      // docs/api/ is generated and checked by its own test.
      if (/^[a-z]+:/.test(link) || /(^|\/)api\//.test(path)) continue;
      const target = path === '' ? page : join(dirname(page), path);
      expect(existsSync(join(ROOT, target)), `${link} in ${page}`).toBe(true);
      if (heading) expect(headingsOf(target), `${link} in ${page}`).toContain(heading);
    }
  });

  test('names sources and tests that exist', () => {
    for (const [, path] of proseOf(page).matchAll(/`((?:src|test|bench|soak|scripts)\/[^`\s]*)`/g))
      expect(existsSync(join(ROOT, path)), `${path} in ${page}`).toBe(true);
  });

  test('types commands and flags that exist', () => {
    for (const command of commandsOf(page)) expect(complaint(command), command).toBe('');
  });
});

test('the README has at most 150 lines', () => {
  expect(textOf('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(150);
});

test('the programs of the library guide run', () => {
  const programs = [...textOf('docs/guides/library.md').matchAll(/^```ts\n([\s\S]*?)^```$/gm)]
    .map(([, program]) => program)
    .filter((program) => program.includes('startLab('));
  expect(programs.length).toBeGreaterThan(3);
  // Inside the checkout, where "drumlin" is this package; not among the examples, which are packed.
  const folder = mkdtempSync(join(ROOT, 'test/guide.tmp-'));
  try {
    const printed = programs.map((program, i) => {
      const file = join(folder, `${i}.ts`);
      writeFileSync(file, program);
      return execFileSync('npx', ['tsx', file], { cwd: ROOT, encoding: 'utf8' });
    });
    expect(printed[0]).toMatch(/^200 63 http:/);
    expect(printed.at(-1)).toBe('30\nfinished\n');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

/** As GitHub names the anchors of headings. */
function headingsOf(page: string): string[] {
  return [...proseOf(page).matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** What is typed at a prompt, or stands in a block without one. */
function commandsOf(page: string): string[] {
  const blocks = (textOf(page).match(FENCE) ?? []).filter((block) =>
    /^```(console.*|sh)?\n/.test(block),
  );
  return blocks.flatMap(
    (block) => block.replaceAll('\\\n', ' ').match(/^(?:\$ )?(?:bin\/)?drumlin (?!▸).*$/gm) ?? [],
  );
}

/** Why a command cannot be typed, or ''. */
function complaint(line: string): string {
  const [typed] = line
    .replace(/^(\$ )?(bin\/)?drumlin /, '')
    .replace(/'[^']*'|"[^"]*"/g, 'quoted')
    .split(/ {2,}#|[|<>;)]| #/);
  const words = typed.split(' ').filter(Boolean);
  let at = '';
  for (const word of words) {
    const next = `${at} ${word}`.trim();
    if (TREE.some(({ path }) => path === next)) at = next;
    else break;
  }
  if (at === '' && !words[0]?.startsWith('-')) return `no command ${words[0]}`;
  const flags = TREE.filter(({ path }) => path === at || at.startsWith(`${path} `)).flatMap((one) =>
    one.flags.map(({ name }) => name),
  );
  const parameters = basename(at) === 'rank' ? ['--p', '--good', '--alpha'] : [];
  const unknown = words.filter(
    (word) => word.startsWith('--') && ![...flags, ...parameters].includes(word),
  );
  return unknown.length === 0 ? '' : `no flag ${unknown.join(', ')}`;
}

const TREE = commandTree(createProgram());
