/**
 * What a worker knows of the book, and since when on its own clock.
 *
 * Idea      A challenger must have seen one revision for the whole time of a takeover. The time at
 *           which a revision was first seen is its own: the clocks of others do not count. That the
 *           view may be behind does no harm: a takeover is a compare-and-set on the revision seen.
 */
import type { Millis } from '../../base/units.ts';
import { type AgentEntry, agentKey } from '../lease/agent-lease.ts';
import type { Book, Entry } from '../lease/book.ts';
import {
  type ClusterState,
  KEYS,
  type LeaderEntry,
  type Placement,
  type WorkerEntry,
} from './keys.ts';

export interface Seen<Value> extends Entry<Value> {
  /** When this revision was first seen, by the even clock of this process. */
  readonly at: Millis;
}

type OnChange = (key: string, entry: Seen<unknown> | undefined) => void;

export class View {
  readonly #seen = new Map<string, Seen<unknown>>();
  readonly #now: () => Millis;
  readonly #onChange: OnChange;

  private constructor(now: () => Millis, onChange: OnChange) {
    this.#now = now;
    this.#onChange = onChange;
  }

  static async open(
    book: Book,
    now: () => Millis,
    onChange: OnChange,
  ): Promise<{ readonly view: View; readonly stop: () => void }> {
    const view = new View(now, onChange);
    const stop = await book.watch((key, entry) => view.#take(key, entry));
    return { view, stop };
  }

  #take(key: string, entry: Entry<unknown> | undefined): void {
    const before = this.#seen.get(key);
    if (!entry) {
      this.#seen.delete(key);
      if (before) this.#onChange(key, undefined);
      return;
    }
    // A watch that began again tells everything once more.
    if (before && before.revision >= entry.revision) return;
    const seen = { ...entry, at: this.#now() };
    this.#seen.set(key, seen);
    this.#onChange(key, seen);
  }

  get<Value>(key: string): Seen<Value> | undefined {
    return this.#seen.get(key) as Seen<Value> | undefined;
  }

  agent(agent: number): Seen<AgentEntry> | undefined {
    return this.get(agentKey(agent));
  }

  get state(): ClusterState | undefined {
    return this.get<ClusterState>(KEYS.state)?.value;
  }

  get leader(): Seen<LeaderEntry> | undefined {
    return this.get(KEYS.leader);
  }

  get placement(): Placement | undefined {
    return this.get<Placement>(KEYS.placement)?.value;
  }

  /** The workers whose entry changed within `patience`. */
  workers(patience: Millis): Map<string, WorkerEntry> {
    const found = new Map<string, WorkerEntry>();
    for (const [key, { value, at }] of this.#seen) {
      if (!key.startsWith('worker.') || this.#now() - at >= patience) continue;
      found.set(key.slice('worker.'.length), value as WorkerEntry);
    }
    return found;
  }
}
