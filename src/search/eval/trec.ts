/**
 * Files of queries, judgements and runs, in the formats of TREC.
 *
 *   queries      NUMBER ⇥ WORDS [⇥ TIME]            the time is what --at takes
 *   judgements   NUMBER 0 URL GAIN                  a gain of 0 or less: not relevant
 *   run          NUMBER Q0 URL RANK SCORE NAME
 */
import { DrumlinError } from '../../base/errors.ts';
import { canonicalise } from '../../url/canonical.ts';

export interface EvalQuery {
  /** Where it stands, for errors: `Line 3 of queries.tsv`. */
  readonly where: string;
  readonly id: string;
  readonly text: string;
  /** When it happened; undefined if the file does not tell. */
  readonly time: string | undefined;
}

/** The gains of the pages of each query, by URL in canonical form. */
export type Judgements = ReadonlyMap<string, ReadonlyMap<string, number>>;

export function parseQueries(text: string, path: string): EvalQuery[] {
  const queries: EvalQuery[] = [];
  const known = new Set<string>();
  for (const [line, number] of linesOf(text)) {
    const [id, words = '', time] = line.split('\t').map((field) => field.trim());
    if (id === '' || words === '')
      throw bad(path, number, 'is no query', 'Write its number, a tab and its words.');
    if (known.has(id))
      throw bad(path, number, `has the number ${id} again`, 'Give each query a number of its own.');
    known.add(id);
    queries.push({ where: `Line ${number} of ${path}`, id, text: words, time: time || undefined });
  }
  if (queries.length > 0) return queries;
  throw new DrumlinError('TREC', `${path} has no query.`, 'Write a query a line.');
}

export function parseJudgements(text: string, path: string): Judgements {
  const judgements = new Map<string, Map<string, number>>();
  for (const [line, number] of linesOf(text)) {
    const [id, , url, gain, ...more] = line.trim().split(/\s+/);
    const value = Number(gain);
    if (gain === undefined || more.length > 0 || !Number.isFinite(value))
      throw bad(path, number, 'is no judgement', 'Write the query, 0, the URL and the gain.');
    const pages = judgements.get(id) ?? new Map<string, number>();
    judgements.set(id, pages);
    const page = canonicalise(url) ?? url;
    if (pages.has(page))
      throw bad(path, number, `judges ${url} again for query ${id}`, 'Leave one of them out.');
    pages.set(page, value);
  }
  return judgements;
}

/** The lines of a run; scores fall from rank to rank, as readers of runs sort by them. */
export function runLines(
  id: string,
  results: readonly { readonly url: string; readonly rank: number }[],
  name: string,
): string[] {
  let before = Number.POSITIVE_INFINITY;
  return results.map(({ url, rank }, i) => {
    before = Math.min(rank, before - 1e-9);
    return `${id} Q0 ${url} ${i + 1} ${before} ${name}`;
  });
}

function* linesOf(text: string): Generator<[line: string, number: number]> {
  for (const [i, line] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries())
    if (line.trim() !== '') yield [line, i + 1];
}

function bad(path: string, line: number, fact: string, remedy: string): DrumlinError {
  return new DrumlinError('TREC', `Line ${line} of ${path} ${fact}.`, remedy);
}
