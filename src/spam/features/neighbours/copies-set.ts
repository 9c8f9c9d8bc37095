/**
 * The set `copies`: how much of a site another site had before.
 *
 *   share   the part of its pages whose text an earlier page of another site has
 *
 * Unlike `neighbours:near_share` it has a direction, which is that of time: whoever comes later is
 * the copy. So it depends on the order of the crawl, and a crawl has the same value while it runs.
 */
import type { FeatureSet } from '../feature-set.ts';

/** The feature by its name in tables. */
export const COPIED_SHARE = 'copies:share';

/** NaN without pages. */
export const copiedShare = (copied: number, pages: number): number => copied / pages;

/** Sites with the pages of each, and how many of them are copies. */
export function copiesSet(
  sites: readonly { readonly pages: number; readonly copied: number }[],
): FeatureSet {
  return {
    name: 'copies',
    columns: ['share'],
    values: [Float64Array.from(sites, ({ copied, pages }) => copiedShare(copied, pages))],
  };
}
