/**
 * The small, strictly durable book of a cluster: keys with JSON values and revisions. Everything
 * that two workers could disagree about is decided by a compare-and-set on one of its keys.
 *
 *   crawl           what the cluster crawls: settings, versions, number of agents; never changes
 *   state           running, stopping, concluding, ended
 *   agent.<n>       who runs the agent, its epoch, its committed checkpoint
 *   worker.<id>     a worker is there
 *   leader          which worker decides about placement and end
 *   placement       which worker is to run which agent
 *   pages           how many pages each agent may fetch
 *   filters, domains, tuning  what the operator changes while the crawl runs
 *   moved           what an agent tells all others
 *
 * Ensures   `update` changes a key only if its revision is the given one; of several callers at
 *           once, one wins. A call that throws may have changed the key: its answer was lost.
 */

export interface Entry<Value> {
  readonly value: Value;
  readonly revision: number;
}

export interface Book {
  get<Value>(key: string): Promise<Entry<Value> | undefined>;
  /** Creates a key; returns its revision, or undefined if the key exists. */
  create(key: string, value: unknown): Promise<number | undefined>;
  /** Changes a key; returns its revision, or undefined if it is no longer at `revision`. */
  update(key: string, value: unknown, revision: number): Promise<number | undefined>;
  delete(key: string): Promise<void>;
  /**
   * Calls back with every key, now and whenever it changes, in the order of revisions; undefined
   * for a deleted key. A key may come twice. Resolves when all keys of now were told.
   */
  watch(onEntry: (key: string, entry: Entry<unknown> | undefined) => void): Promise<() => void>;
}

/** Changes a key that several write, whatever its revision; `change` may be called again. */
export async function change<Value>(
  book: Book,
  key: string,
  change: (value: Value | undefined) => Value | undefined,
): Promise<Value | undefined> {
  for (;;) {
    const entry = await book.get<Value>(key);
    const next = change(entry?.value);
    if (next === undefined) return entry?.value;
    const written = entry
      ? await book.update(key, next, entry.revision)
      : await book.create(key, next);
    if (written !== undefined) return next;
  }
}
