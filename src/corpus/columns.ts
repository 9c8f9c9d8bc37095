/**
 * The columns of a corpus, in order. Everything that names one follows from this list: the schema
 * of the files, the conditions of `--where`, the table in docs/corpus.md.
 */
import { SIGNALS } from '../text/signals.ts';
import type { Column } from './parquet/column.ts';

interface CorpusColumn extends Column {
  readonly doc: string;
  /** Whether it is known only when all pages have been read: no condition can use it. */
  readonly late?: boolean;
}

const text = (name: string, doc: string, options: Partial<CorpusColumn> = {}): CorpusColumn => ({
  ...{ name, doc, kind: 'text', nullable: false },
  ...options,
});

const number = (
  name: string,
  kind: 'int' | 'long' | 'double' | 'time',
  doc: string,
  options: Partial<CorpusColumn> = {},
): CorpusColumn => ({ ...{ name, doc, kind, nullable: false }, ...options });

const MAYBE = { nullable: true };
const OFTEN = { repeats: true };

export const COLUMNS: readonly CorpusColumn[] = [
  text('id', 'the UUID of the record'),
  text('url', 'the URL of the page'),
  text('domain', 'its pay-level domain', OFTEN),
  text('crawl', 'the crawl: the name of its folder, or `isPartOf` of the WARC file', OFTEN),
  number('date', 'time', 'when it was fetched', MAYBE),
  text('file', 'the WARC file, by its name in corpus.json', OFTEN),
  number('offset', 'long', 'where the record begins in the file'),
  text('title', 'the title', MAYBE),
  text('author', 'the author', MAYBE),
  text('published', 'the date that the page states, as it states it', MAYBE),
  text('language', 'the language of the text (ISO 639-1)', { ...MAYBE, ...OFTEN }),
  number('language_score', 'double', 'how sure that is, 0 to 1', MAYBE),
  text('text', 'the text, one block a line'),
  ...SIGNALS.map(({ name, type, meaning }) =>
    number(name, type === 'integer' ? 'int' : 'double', meaning),
  ),
  { ...text('truncated', 'whether a part of the page is missing'), kind: 'truth' },
  number(
    'domain_rank',
    'double',
    'the rank of the domain in its crawl, or its value in `--ranks`',
    MAYBE,
  ),
  number('spam', 'double', 'the value of the domain in `--spam`', MAYBE),
  text('opt_out', 'what the page says against its use', { ...MAYBE, ...OFTEN }),
  text('near_duplicate_of', 'the `id` of the earliest page with nearly the same text', {
    ...MAYBE,
    late: true,
  }),
  text('cluster', 'the same for all pages with nearly the same text', { ...MAYBE, late: true }),
  number('revisits', 'int', 'how often it was fetched again and was the same', { late: true }),
];

/** The columns that are known when a page has been read. */
export const EARLY = COLUMNS.filter(({ late }) => !late);

/** The places of columns in a row. */
export const AT: Readonly<Record<string, number>> = Object.fromEntries(
  COLUMNS.map(({ name }, i) => [name, i]),
);

/** The values of the early columns of a page. */
export type Row = (string | number | boolean | null)[];
