/** docs/filters.md lists every built-in predicate with its example. */
import { BUILT_IN } from '../../src/filter/predicates.ts';
import { stagesFrom } from '../../src/filter/subject.ts';
import { type GeneratedPage, withSection } from './page.ts';

export const filtersPage: GeneratedPage = {
  path: 'docs/filters.md',
  text: (present) => withSection(present, 'predicates', predicateTable()),
};

function predicateTable(): string {
  const cell = (text: string) => text.replaceAll('|', '\\|');
  const rows = [...BUILT_IN.values()].map(({ example, doc, from }) => {
    const stages = from === 'schedule' ? 'all' : stagesFrom(from).join(', ');
    return `| \`${cell(example)}\` | ${cell(doc)} | ${stages} |`;
  });
  return `${['| example | true when, or the number is | stages |', '|---|---|---|', ...rows].join('\n')}\n`;
}
