/**
 * The tree is the architecture: the table of folders in docs/architecture.md is compared with all
 * imports of src/.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const MOST_FILES = 25;
const MOST_LINES = 80;
/** These every folder may import; they are listed in their own order. */
const BELOW_ALL = ['base', 'url', 'disk'];
const ALLOWED_BELOW: Readonly<Record<string, readonly string[]>> = {
  base: [],
  url: ['base'],
  disk: ['base'],
};

interface Source {
  /** From the root of the project. */
  readonly path: string;
  readonly text: string;
}

function sourcesIn(...folders: string[]): Source[] {
  return folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .map((name) => posix.join(folder, name.replaceAll('\\', '/')))
      .filter((path) => /\.(?:ts|mjs)$/.test(path) && !path.includes('node_modules'))
      .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') })),
  );
}

const sources = sourcesIn('src');
const folderOf = (path: string) => dirname(path).replace(/^src\/?/, '');

/** The files that a source imports, by relative paths, statically or not. */
function importsOf({ path, text }: Source): string[] {
  const found = text.matchAll(/(?:\bfrom\s+|\bimport\s+|\bimport\(\s*)'(\.{1,2}\/[^']+)'/g);
  return [...found].map(([, target]) => posix.join(dirname(path), target));
}

/** Which folder may import which others; `undefined`: anything. */
function allowedImports(): Map<string, ReadonlySet<string> | undefined> {
  const page = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');
  const table = page.split('<!-- folders -->')[1].split('<!-- /folders -->')[0];
  const rows = table.trim().split('\n').slice(2);
  return new Map(
    rows.map((row) => {
      const [, folder, , mayImport] = row.split('|');
      const names = [...mayImport.matchAll(/`([^`]+)`/g)].map(([, name]) => name);
      const name = folder.replaceAll('`', '').trim();
      const below = ALLOWED_BELOW[name] ?? BELOW_ALL;
      return [name, mayImport.includes('anything') ? undefined : new Set([...names, ...below])];
    }),
  );
}

/** Every edge between two folders, with the files that make it. */
function edges(): Map<string, Map<string, string[]>> {
  const found = new Map<string, Map<string, string[]>>();
  for (const source of sources) {
    const from = folderOf(source.path);
    for (const target of importsOf(source)) {
      const to = folderOf(target);
      if (to === from || !target.startsWith('src/')) continue;
      const targets = found.get(from) ?? new Map<string, string[]>();
      found.set(from, targets);
      targets.set(to, [...(targets.get(to) ?? []), `${source.path} imports ${target}`]);
    }
  }
  return found;
}

describe('the folders of src/', () => {
  const allowed = allowedImports();

  test('are those of the table in docs/architecture.md', () => {
    const folders = new Set(sources.map(({ path }) => folderOf(path)));
    expect([...folders].sort()).toEqual([...allowed.keys()].sort());
  });

  test('import only what the table allows', () => {
    const forbidden = [...edges()].flatMap(([from, targets]) => {
      const may = allowed.get(from);
      return [...targets].filter(([to]) => may && !may.has(to)).flatMap(([, files]) => files);
    });
    expect(forbidden).toEqual([]);
  });

  test('have what the table allows them: no row names an import that is not made', () => {
    const made = edges();
    const unmade = [...allowed].flatMap(([from, may]) =>
      [...(may ?? [])]
        .filter((to) => !BELOW_ALL.includes(to) && !made.get(from)?.has(to))
        .map((to) => `${from} does not import ${to}`),
    );
    expect(unmade).toEqual([]);
  });

  test('do not import each other in a circle', () => {
    const made = edges();
    const done = new Set<string>();
    const circles: string[] = [];
    const follow = (folder: string, path: readonly string[]): void => {
      if (path.includes(folder)) {
        circles.push([...path.slice(path.indexOf(folder)), folder].join(' → '));
        return;
      }
      if (done.has(folder)) return;
      for (const to of made.get(folder)?.keys() ?? []) follow(to, [...path, folder]);
      done.add(folder);
    };
    for (const folder of made.keys()) follow(folder, []);
    expect(circles).toEqual([]);
  });

  test(`hold at most ${MOST_FILES} files each`, () => {
    const counts = new Map<string, number>();
    for (const { path } of sources)
      counts.set(folderOf(path), (counts.get(folderOf(path)) ?? 0) + 1);
    expect([...counts].filter(([, count]) => count > MOST_FILES)).toEqual([]);
  });

  test('leave files to disk/ and cli/', () => {
    const raw = sources.filter(
      ({ path, text }) =>
        /^(?!\s*\*).*(?:from|import\()\s*'(?:node:)?fs\b/m.test(text) &&
        !/^src\/(?:disk|cli)\//.test(path),
    );
    expect(raw.map(({ path }) => path)).toEqual([]);
  });
});

describe('a function', () => {
  test(`has at most ${MOST_LINES} lines, or says after "Long:" why it has more`, () => {
    const long = sources
      .filter(({ path }) => !path.endsWith('-wasm.ts'))
      .flatMap((source) =>
        functionsOf(source)
          .filter(({ lines, reason }) => lines > MOST_LINES && !reason)
          .map(({ lines, line }) => `${source.path}:${line} has ${lines} lines`),
      );
    expect(long).toEqual([]);
  });
});

interface FoundFunction {
  /** Where it begins, from 1. */
  readonly line: number;
  readonly lines: number;
  /** Whether the comment above it says why it is long. */
  readonly reason: boolean;
}

function functionsOf({ path, text }: Source): FoundFunction[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const lineAt = (position: number) => file.getLineAndCharacterOfPosition(position).line;
  const found: FoundFunction[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body) {
      const [from, to] = [lineAt(node.getStart(file)), lineAt(node.getEnd())];
      const above = text.slice(node.getFullStart(), node.getStart(file));
      found.push({ line: from + 1, lines: to - from + 1, reason: above.includes('Long:') });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

describe('a test', () => {
  test('is left out for a reason that the last lines of the run name, or not at all', () => {
    const other = sourcesIn('test')
      .filter(({ path }) => path.endsWith('.test.ts'))
      .flatMap(({ path, text }) =>
        [
          ...text.matchAll(/\b(?:test|describe|it|suite)(?:\.\w+)*\.(?:skip|only|todo|runIf)\b.*/g),
          ...text.matchAll(/\.skipIf\((?!leftOut\().*/g),
          ...text.matchAll(/\b(?:ctx|context)\.skip\(.*/g),
        ].map(([line]) => `${path}: ${line}`),
      );
    expect(other).toEqual([]);
  });
});

describe('an export', () => {
  test('is used outside of its file', () => {
    const users = [...sources, ...sourcesIn('test', 'bench', 'soak', 'scripts', 'examples')];
    const imported = new Map<string, string>();
    for (const user of users) {
      for (const target of importsOf(user)) {
        imported.set(target, `${imported.get(target) ?? ''}\n${user.text}`);
      }
    }
    const unused = sources
      .filter(({ path }) => !path.startsWith('src/api/') && !path.endsWith('.as.ts'))
      .flatMap(({ path, text }) => {
        const names = text.matchAll(
          /^export (?:declare )?(?:abstract )?(?:async )?(?:class|function\*?|const|let|interface|type) (\w+)/gm,
        );
        const use = imported.get(path) ?? '';
        return [...names]
          .map(([, name]) => name)
          .filter((name) => !new RegExp(`\\b${name}\\b`).test(use))
          .map((name) => `${path}: ${name}`);
      });
    expect(unused).toEqual([]);
  });
});
