/** docs/filters.md lists every predicate. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BUILT_IN } from '../../src/filter/predicates.ts';
import { stagesFrom } from '../../src/filter/subject.ts';

const PAGE = join(import.meta.dirname, '../../docs/filters.md');
const SECTION = /(<!-- predicates -->\n).*?(<!-- \/predicates -->)/s;

function table(): string {
  const rows = [...BUILT_IN.values()].map(({ example, doc, from }) => {
    const stages = from === 'schedule' ? 'all' : stagesFrom(from).join(', ');
    return `| \`${example.replaceAll('|', '\\|')}\` | ${doc.replaceAll('|', '\\|')} | ${stages} |`;
  });
  return ['| example | true if, or the number is | stages |', '|---|---|---|', ...rows, ''].join(
    '\n',
  );
}

test('the page lists every predicate with its example (UPDATE_DOCS=1 writes the list)', () => {
  const page = readFileSync(PAGE, 'utf8');
  const updated = page.replace(
    SECTION,
    (_, begin: string, end: string) => `${begin}${table()}${end}`,
  );
  if (process.env.UPDATE_DOCS) writeFileSync(PAGE, updated);
  expect(readFileSync(PAGE, 'utf8')).toBe(updated);
  expect(updated).toContain('| `Depth <= 5` |');
});
