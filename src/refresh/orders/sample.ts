/**
 * The sample Z: the pages that are tested first, and count in the cost like all others.
 *
 * Definition (LiveRank, section 2.4): the first z pages of a static order, 0 < z <= n. `asf`
 * chooses pages by host instead. Static orders have none. With a random Z, the share of living
 * pages in it estimates the share in the collection.
 */
import { DrumlinError } from '../../base/errors.ts';
import { nearest } from '../../base/nearest.ts';
import { formatCount } from '../../base/units.ts';
import type { Collection } from './collection.ts';
import { byInDegree } from './in-degree.ts';
import type { OrderMethod, SampleSize } from './order.ts';
import { shuffled } from './random.ts';

export type SampleName = 'random' | 'in' | 'pagerank';
export const SAMPLE_NAMES: readonly SampleName[] = ['random', 'in', 'pagerank'];

interface SampleRequest extends SampleSize {
  readonly by: SampleName;
}

/** The pages to test before the order is made, in the order of their tests. */
export async function sampleFor(
  method: OrderMethod,
  collection: Collection,
  request: SampleRequest,
): Promise<Uint32Array> {
  if (method.kind === 'static') return new Uint32Array(0);
  checkSize(request.z, collection.pages);
  if (method.sample) return method.sample(collection, request);
  return (await pagesBy(collection, request)).slice(0, request.z);
}

function pagesBy(collection: Collection, { by, seed }: SampleRequest): Promise<Uint32Array> {
  if (by === 'in') return byInDegree(collection);
  if (by === 'pagerank') return collection.byPageRank();
  return Promise.resolve(shuffled(collection, seed));
}

export function checkSample(name: string): SampleName {
  const found = SAMPLE_NAMES.find((known) => known === name);
  if (found) return found;
  throw new DrumlinError(
    'SAMPLE',
    `There is no sample "${name}".`,
    `Did you mean "${nearest(name, SAMPLE_NAMES)}"? There are ${SAMPLE_NAMES.join(', ')}.`,
  );
}

export function checkSize(z: number, pages: number): void {
  if (Number.isSafeInteger(z) && z > 0 && z <= pages) return;
  throw new DrumlinError(
    'SAMPLE',
    `A sample of ${z} pages cannot be drawn from ${formatCount(pages)}.`,
    'Take at least one page and at most all of them.',
  );
}
