/**
 * A file system that remembers what a power failure would leave, and checks two rules. A file gets
 * another name only when its content is durable. What an agent's checkpoint names is durable before
 * it counts, and is not removed while it may count.
 *
 * Idea      For each file the first byte that was written and not synced since, for each new name
 *           whether its folder was synced since. When a `checkpoint.json` of an agent gets its
 *           name, every file that it names is looked up. Until the folder is synced, the
 *           checkpoint before may be the one that a power failure leaves: both count.
 * Requires  Files that were there before count as durable.
 * Ensures   `broken` lists what broke a rule; `undurable` what a power failure may still take.
 *           Nothing else changes.
 */
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { afterEach, expect } from 'vitest';
import { archiveDir } from '../../src/archive/index/index-merge.ts';
import { linesDir } from '../../src/crawl/record/line-files.ts';
import { namedFiles, storedCheckpoint } from '../../src/crawl/state/agent-folder.ts';
import { Disk } from '../../src/disk/disk.ts';
import type { FileSystem, Held, OpenMode, RawFile } from '../../src/disk/file-system.ts';
import { FaultyFileSystem } from './faulty-file-system.ts';

const CHECKPOINT = /^(.*)\/agents\/(\d+)\/checkpoint\.json$/;
/**
 * The first two guard against nothing that a power failure does: they need not survive one. A page
 * among files counts when a list names it, which is written after the page is synced.
 */
const MAY_BE_LOST = /\/(?:status\.json|checkpoints\/\d+\.json|pages\/.+)$/;

interface Remembered {
  /** The first byte that a power failure may take; Infinity if there is none. */
  unsynced: number;
}

interface Named {
  readonly path: string;
  readonly length: number;
}

export class WitnessFileSystem implements FileSystem {
  readonly broken: string[] = [];
  readonly #inner: FileSystem;
  readonly #files = new Map<string, Remembered>();
  /** Names that a power failure may take. */
  readonly #looseNames = new Set<string>();
  /** Names that are gone, and that a power failure may bring back. */
  readonly #goneNames = new Set<string>();
  /** What may count after a power failure, by the path of the checkpoint: the last one or two. */
  readonly #counting = new Map<string, Named[][]>();

  constructor(inner: FileSystem) {
    this.#inner = inner;
  }

  async open(given: string, mode: OpenMode): Promise<RawFile> {
    const path = resolve(given);
    const raw = await this.#inner.open(path, mode);
    if (mode === 'create' || mode === 'exclusive') {
      this.#files.set(path, { unsynced: Infinity });
      this.#looseNames.add(path);
      this.#goneNames.delete(path);
    }
    const file = this.#files.get(path) ?? { unsynced: Infinity };
    this.#files.set(path, file);
    return {
      read: (...args) => raw.read(...args),
      write: (from, offset, length, position) => {
        file.unsynced = Math.min(file.unsynced, position);
        return raw.write(from, offset, length, position);
      },
      truncate: (length) => {
        file.unsynced = Math.min(file.unsynced, length);
        return raw.truncate(length);
      },
      sync: async () => {
        const before = file.unsynced;
        file.unsynced = Infinity;
        try {
          await raw.sync();
        } catch (error) {
          file.unsynced = Math.min(before, file.unsynced);
          throw error;
        }
      },
      size: () => raw.size(),
      close: () => raw.close(),
    };
  }

  async rename(fromGiven: string, toGiven: string): Promise<void> {
    const [from, to] = [resolve(fromGiven), resolve(toGiven)];
    await this.#inner.rename(from, to);
    this.#goneNames.add(from);
    this.#goneNames.delete(to);
    const { unsynced = Infinity } = this.#files.get(from) ?? {};
    if (unsynced < Infinity && !MAY_BE_LOST.test(to))
      this.broken.push(`${to} gets its name when it is not synced from byte ${unsynced}`);
    this.#forget((path) => path === to);
    for (const [path, file] of this.#files) {
      if (!isAtOrIn(path, from)) continue;
      this.#files.delete(path);
      this.#files.set(to + path.slice(from.length), file);
    }
    for (const path of this.#looseNames) {
      if (!isAtOrIn(path, from)) continue;
      this.#looseNames.delete(path);
      this.#looseNames.add(to + path.slice(from.length));
    }
    this.#looseNames.add(to);
    if (CHECKPOINT.test(to)) await this.#checkpointed(to);
  }

  async remove(path: string): Promise<void> {
    this.#mayGo((named) => named === resolve(path));
    await this.#inner.remove(path);
    this.#goneNames.add(resolve(path));
  }

  async removeFolder(path: string): Promise<void> {
    this.#mayGo((named) => named.startsWith(`${resolve(path)}/`));
    await this.#inner.removeFolder(path);
  }

  async syncFolder(given: string): Promise<void> {
    await this.#inner.syncFolder(given);
    const folder = resolve(given);
    for (const names of [this.#looseNames, this.#goneNames])
      for (const path of names) if (dirname(path) === folder) names.delete(path);
    const checkpoint = join(folder, 'checkpoint.json');
    const counting = this.#counting.get(checkpoint);
    if (counting) this.#counting.set(checkpoint, counting.slice(-1));
  }

  async closeFolder(path: string): Promise<boolean> {
    return (await this.#inner.closeFolder?.(path)) ?? false;
  }

  lock(folder: string): Held {
    return this.#inner.lock?.(folder) ?? { release() {} };
  }

  makeFolder(path: string, closed?: boolean): Promise<void> {
    return this.#inner.makeFolder(path, closed);
  }

  list(folder: string): Promise<string[]> {
    return this.#inner.list(folder);
  }

  /** Files at or below a path that a power failure may still take, or some bytes of them. */
  undurable(given: string): string[] {
    const place = resolve(given);
    const isLoose = (path: string) =>
      this.#looseNames.has(path) || (this.#files.get(path)?.unsynced ?? Infinity) < Infinity;
    return [...new Set([...this.#looseNames, ...this.#files.keys()])].filter(
      (path) => isAtOrIn(path, place) && isLoose(path) && existsSync(path),
    );
  }

  /** Files at or below a path that are gone, and that a power failure may bring back. */
  mayReturn(given: string): string[] {
    return [...this.#goneNames].filter((path) => isAtOrIn(path, resolve(given)));
  }

  /** A checkpoint has its name now. */
  async #checkpointed(path: string): Promise<void> {
    const [, dir, agent] = CHECKPOINT.exec(path) as unknown as [string, string, string];
    const stored = await storedCheckpoint(new Disk(this.#inner), dir, Number(agent));
    if (!stored) {
      this.broken.push(`${path} cannot be read when it gets its name`);
      return;
    }
    const { archive, lines = [] } = stored.state;
    const folders = [archive.map((each) => ({ ...each, path: join(archiveDir(dir), each.file) }))];
    folders.push(lines.map((each) => ({ ...each, path: join(linesDir(dir), each.file) })));
    const named = [
      ...namedFiles(dir, Number(agent), stored),
      ...folders.flat(),
      { path, length: 1 },
    ].map((each) => ({ ...each, path: resolve(each.path) }));
    for (const each of named) {
      const { unsynced = Infinity } = this.#files.get(each.path) ?? {};
      const about = `${each.path}, which checkpoint ${stored.sequence} of agent ${agent} names,`;
      if (unsynced < each.length) this.broken.push(`${about} is not synced from byte ${unsynced}`);
      if (each.path !== path && this.#looseNames.has(each.path))
        this.broken.push(`${about} has a name that its folder may lose`);
    }
    this.#counting.set(path, [...(this.#counting.get(path) ?? []).slice(-1), named]);
  }

  #mayGo(isGone: (named: string) => boolean): void {
    for (const [checkpoint, lists] of this.#counting) {
      const lost = lists.flat().find((named) => isGone(named.path));
      // Whoever removes a checkpoint begins anew.
      if (lost && isGone(checkpoint)) this.#counting.delete(checkpoint);
      else if (lost) this.broken.push(`${lost.path} is removed while ${checkpoint} names it`);
    }
    this.#forget(isGone);
  }

  #forget(isGone: (path: string) => boolean): void {
    for (const path of this.#files.keys()) if (isGone(path)) this.#files.delete(path);
    for (const path of this.#looseNames) if (isGone(path)) this.#looseNames.delete(path);
  }
}

const isAtOrIn = (path: string, place: string): boolean =>
  path === place || path.startsWith(`${place}/`);

/** A disk that does not wait for fsync; no test of the file that calls this may break a rule. */
export function witnessedDisk(): { readonly disk: Disk; readonly witness: WitnessFileSystem } {
  const witness = new WitnessFileSystem(new FaultyFileSystem({ skipSync: true }));
  afterEach(() => expect(witness.broken.splice(0)).toEqual([]));
  return { disk: new Disk(witness), witness };
}
