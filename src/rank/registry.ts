/** The ranking methods by name. A method's code is loaded when it is asked for. */
import { DrumlinError } from '../errors.ts';
import { nearest } from '../nearest.ts';
import type { Ranker } from './ranker.ts';

const RANKERS: Readonly<Record<string, () => Promise<{ readonly ranker: Ranker }>>> = {
  in: () => import('./in-degree.ts'),
  opic: () => import('./opic.ts'),
  pagerank: () => import('./pagerank.ts'),
  trustrank: () => import('./trustrank.ts'),
  cheirank: () => import('./cheirank.ts'),
  '2drank': () => import('./two-d-rank.ts'),
  hits: () => import('./hits.ts'),
  supp: () => import('./supp.ts'),
  'supp-a': () => import('./supp-a.ts'),
  'supp-b': () => import('./supp-b.ts'),
  qvs: () => import('./qvs.ts'),
  'bit-vector': () => import('./bit-vector.ts'),
  tse: () => import('./tse.ts'),
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
