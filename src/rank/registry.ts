/** The ranking methods by name. A method's code is loaded when it is asked for. */
import { DrumlinError } from '../base/errors.ts';
import { nearest } from '../base/nearest.ts';
import type { Ranker } from './engine/ranker.ts';

const RANKERS: Readonly<Record<string, () => Promise<{ readonly ranker: Ranker }>>> = {
  in: () => import('./methods/in-degree.ts'),
  opic: () => import('./methods/opic.ts'),
  pagerank: () => import('./methods/pagerank.ts'),
  trustrank: () => import('./methods/trustrank.ts'),
  cheirank: () => import('./methods/cheirank.ts'),
  '2drank': () => import('./methods/two-d-rank.ts'),
  hits: () => import('./methods/hits.ts'),
  harmonic: () => import('./methods/harmonic.ts'),
  hyperball: () => import('./methods/hyperball.ts'),
  supp: () => import('./methods/supp.ts'),
  'supp-a': () => import('./methods/supp-a.ts'),
  'supp-b': () => import('./methods/supp-b.ts'),
  qvs: () => import('./methods/qvs.ts'),
  'bit-vector': () => import('./methods/bit-vector.ts'),
  tse: () => import('./methods/tse.ts'),
  trusted: () => import('./methods/trusted.ts'),
  grouped: () => import('./methods/grouped.ts'),
  live: () => import('./methods/live.ts'),
};

export const RANKER_NAMES: readonly string[] = Object.keys(RANKERS);

export async function findRanker(name: string): Promise<Ranker> {
  const load = Object.hasOwn(RANKERS, name) ? RANKERS[name] : undefined;
  if (load) return (await load()).ranker;
  throw new DrumlinError(
    'RANKER',
    `There is no ranking method "${name}".`,
    `Did you mean "${nearest(name, RANKER_NAMES)}"? There are ${RANKER_NAMES.join(', ')}.`,
  );
}
