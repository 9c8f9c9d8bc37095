/**
 * What an operator changes in a cluster: the one way of `drumlin cluster …` and of its console.
 *
 * Ensures   Settings and the form of files are checked before a key of the book is written; what
 *           the expressions of filters mean, each worker checks. Each key is changed by a
 *           compare-and-set: of two operators at once, both changes hold, or the later one.
 */
import { DrumlinError } from '../base/errors.ts';
import { FILTERS_FILE, parseFilters } from '../crawl/state/filters-file.ts';
import { requireTunable, tuned } from '../crawl/state/tuning-file.ts';
import { OVERRIDES_FILE, parseOverrides } from '../reputation/budget/overrides.ts';
import { type Book, change } from './lease/book.ts';
import {
  type ClusterTuning,
  KEYS,
  type SteeredText,
  type WorkerEntry,
  workerKey,
} from './members/keys.ts';

/**
 * The settings that may change while a cluster runs. Limits belong to the leader and to the grants
 * of pages, and delays of addresses to the loans of addresses: those stay as they were created.
 */
export const CLUSTER_TUNABLE: readonly string[] = ['delay', 'slowDelay', 'fetches', 'budget'];

interface TuningChange {
  /** Values as text, by the name or the flag of a setting. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly paused?: boolean;
}

/** Changes settings of all agents, or pauses them. Returns what holds now, a line each. */
export async function tuneCluster(
  book: Book,
  by: string,
  { settings = {}, paused }: TuningChange,
): Promise<string[]> {
  const values: Record<string, string> = {};
  for (const [word, value] of Object.entries(settings)) values[requireChangeable(word)] = value;
  tuned({ settings: values });
  await change<ClusterTuning>(book, KEYS.tuning, (before = UNTUNED) => ({
    ...{ by, number: before.number + 1, paused: paused ?? before.paused },
    settings: { ...before.settings, ...values },
  }));
  return [
    ...Object.entries(values).map(([key, value]) => `${key}: ${value}`),
    ...(paused === undefined ? [] : [`paused: ${paused ? 'yes' : 'no'}`]),
  ];
}

const UNTUNED: ClusterTuning = { number: 0, by: '', settings: {}, paused: false };

function requireChangeable(word: string): string {
  const key = requireTunable(word);
  if (CLUSTER_TUNABLE.includes(key)) return key;
  throw new DrumlinError(
    'TUNING',
    `${word} cannot change while a cluster runs.`,
    'Give it to "drumlin cluster create".',
  );
}

/** Changes a file of the operator; `edit` gets the present text, undefined if there is none. */
export async function steerText(
  book: Book,
  key: typeof KEYS.filters | typeof KEYS.domains,
  by: string,
  edit: (text: string | undefined) => string,
): Promise<void> {
  await change<SteeredText>(book, key, (before) => {
    const text = edit(before?.text);
    if (key === KEYS.filters) parseFilters(text, FILTERS_FILE);
    else parseOverrides(text, OVERRIDES_FILE);
    return { text, by };
  });
}

/** Lets a worker give its agents to others, and end. */
export async function drainWorker(book: Book, worker: string): Promise<void> {
  const drained = await change<WorkerEntry>(book, workerKey(worker), (entry) =>
    entry ? { ...entry, draining: true } : undefined,
  );
  if (!drained) throw noWorker(worker);
}

const noWorker = (worker: string) =>
  new DrumlinError(
    'CLUSTER_WORKER',
    `The cluster has no worker named "${worker}".`,
    'Look for its name with "drumlin cluster status".',
  );
