/** A book in memory, for tests in virtual time. It tells its watchers in later microtasks. */
import type { Book, Entry } from '../../../src/cluster/lease/book.ts';

type Watcher = (key: string, entry: Entry<unknown> | undefined) => void;

export class MemoryBook implements Book {
  readonly #entries = new Map<string, Entry<string>>();
  readonly #watchers = new Set<Watcher>();
  #revision = 0;

  async get<Value>(key: string): Promise<Entry<Value> | undefined> {
    const entry = this.#entries.get(key);
    return entry && { value: JSON.parse(entry.value), revision: entry.revision };
  }

  async create(key: string, value: unknown): Promise<number | undefined> {
    return this.#entries.has(key) ? undefined : this.#set(key, value);
  }

  async update(key: string, value: unknown, revision: number): Promise<number | undefined> {
    return this.#entries.get(key)?.revision === revision ? this.#set(key, value) : undefined;
  }

  async delete(key: string): Promise<void> {
    this.#entries.delete(key);
    this.#tell(key, undefined);
  }

  async watch(onEntry: Watcher): Promise<() => void> {
    this.#watchers.add(onEntry);
    for (const [key, { value, revision }] of this.#entries)
      onEntry(key, { value: JSON.parse(value), revision });
    return () => this.#watchers.delete(onEntry);
  }

  #set(key: string, value: unknown): number {
    const revision = ++this.#revision;
    this.#entries.set(key, { value: JSON.stringify(value), revision });
    this.#tell(key, { value: JSON.parse(JSON.stringify(value)), revision });
    return revision;
  }

  #tell(key: string, entry: Entry<unknown> | undefined): void {
    queueMicrotask(() => {
      for (const watcher of this.#watchers) watcher(key, entry);
    });
  }
}
