/** What a request to the server asks for. */
import { DrumlinError } from '../../base/errors.ts';
import type { SearchOptions } from '../query/search-index.ts';
import { rangeOf } from '../query/times.ts';

/** The fields of the form, as they were filled in. */
export interface Fields {
  readonly q: string;
  readonly at: string;
  readonly from: string;
  readonly to: string;
  readonly site: string;
  readonly language: string;
  readonly any: boolean;
  readonly top: number;
}

const MOST_RESULTS = 100;

export function fieldsOf(query: string): Fields {
  const values = new URLSearchParams(query);
  const text = (name: string) => (values.get(name) ?? '').trim();
  const top = text('top') === '' ? 10 : Number(text('top'));
  if (!Number.isInteger(top) || top < 1 || top > MOST_RESULTS)
    throw new DrumlinError(
      'QUERY',
      `"${text('top')}" is not a number of results.`,
      `Write a whole number from 1 to ${MOST_RESULTS}.`,
    );
  return {
    ...{ q: text('q'), at: text('at'), from: text('from'), to: text('to'), top },
    ...{ site: text('site'), language: text('language'), any: values.has('any') },
  };
}

const given = (text: string): string | undefined => (text === '' ? undefined : text);

export function optionsOf({ at, from, to, site, language, any, top }: Fields): SearchOptions {
  return {
    ...rangeOf({ at: given(at), from: given(from), to: given(to) }),
    ...{ site: given(site), language: given(language), any, top },
  };
}

/** The address of a page of the server with other fields. */
export function addressOf(path: string, fields: Readonly<Record<string, string>>): string {
  const filled = Object.entries(fields).filter(([, value]) => value !== '');
  return `${path}?${new URLSearchParams(filled)}`;
}
