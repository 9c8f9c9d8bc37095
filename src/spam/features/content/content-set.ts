/**
 * The set `content`: what the pages of a site tell, by the 24 values of its home page, its page of
 * greatest PageRank, and their mean and deviation over its pages.
 *
 * | part | features |
 * |---|---|
 * | `a` | home page, mean, deviation; pages; length of the name: 74 |
 * | `aa` | only what looks at queries: 24 |
 * | `b` | `a`, and the page of greatest PageRank: 98 |
 *
 * Without queries, features that look at them are left out.
 */
import type { FeatureSet } from '../feature-set.ts';
import { MEASURES } from './measures.ts';
import type { SiteSums } from './site-sums.ts';

export type ContentPart = 'a' | 'aa' | 'b';

/** What is known of a site's pages. */
export interface SiteContent {
  readonly name: string;
  readonly sums: SiteSums;
  /** The 24 values of its page of greatest PageRank; undefined if there is no PageRank. */
  readonly top?: Float64Array | undefined;
}

interface ContentColumn {
  readonly name: string;
  readonly of: (site: SiteContent) => number;
}

/** The features of a part: names without the set, and how each follows from a site's sums. */
export function contentColumns(part: ContentPart, withQueries: boolean): ContentColumn[] {
  const places = [...MEASURES.keys()].filter(
    (i) =>
      (withQueries || !MEASURES[i].needsQueries) && (part !== 'aa' || MEASURES[i].needsQueries),
  );
  const columns = (
    kind: string,
    of: (site: SiteContent, measure: number) => number,
  ): ContentColumn[] =>
    places.map((i) => ({ name: `${kind}_${MEASURES[i].name}`, of: (s) => of(s, i) }));
  return [
    ...columns('home', ({ sums }, i) => sums.home(i)),
    ...columns('mean', ({ sums }, i) => sums.mean(i)),
    ...columns('deviation', ({ sums }, i) => sums.deviation(i)),
    ...(part === 'b' ? columns('top', ({ top }, i) => top?.[i] ?? Number.NaN) : []),
    ...(part === 'aa'
      ? []
      : [
          { name: 'pages', of: ({ sums }: SiteContent) => sums.pages },
          { name: 'name_length', of: ({ name }: SiteContent) => name.length },
        ]),
  ];
}

export function contentSet(
  sites: readonly SiteContent[],
  part: ContentPart,
  withQueries: boolean,
): FeatureSet {
  const columns = contentColumns(part, withQueries);
  return {
    name: 'content',
    columns: columns.map(({ name }) => name),
    values: columns.map(({ of }) => Float64Array.from(sites, of)),
  };
}
