/**
 * A disk in memory with a model of what is durable.
 *
 * Idea      A file has its present content, the content that is durable, and the changes between
 *           the two. A folder has the same for its names. A power cut keeps any of the changes of
 *           a file, whole or torn, and a beginning of the changes of a folder. A killed process
 *           loses nothing but its operations under way: each has happened, in part or not at all.
 * Ensures   what was made durable (`sync` of a file, `syncFolder` of its folder) survives
 *           everything. A rename is never half done: also between two folders, the file is in the
 *           old place or in the new one.
 * Cost      an operation takes virtual time; the bytes of unsynced writes are kept twice.
 */
import type { FileSystem, OpenMode, RawFile } from '../../src/disk/file-system.ts';
import { systemError } from '../../test/disk/faulty-file-system.ts';
import type { Random } from '../../test/fuzz/mutation.ts';
import type { Machine } from './machine.ts';

type FileChange =
  | { readonly at: number; readonly bytes: Buffer }
  | { readonly truncatedTo: number };

class FileNode {
  content = Buffer.alloc(0);
  size = 0;
  durable = Buffer.alloc(0);
  /** The changes since. */
  changes: FileChange[] = [];
  /** How many changes came before those. */
  settled = 0;

  apply(change: FileChange): void {
    if ('truncatedTo' in change) {
      if (change.truncatedTo < this.size) this.content.fill(0, change.truncatedTo, this.size);
      else this.#reserve(change.truncatedTo);
      this.size = change.truncatedTo;
    } else {
      const end = change.at + change.bytes.length;
      this.#reserve(end);
      this.content.set(change.bytes, change.at);
      this.size = Math.max(this.size, end);
    }
  }

  change(change: FileChange): void {
    this.apply(change);
    this.changes.push(change);
  }

  /**
   * Returns a function that makes the content of this moment durable: not what is written later.
   */
  syncNow(): () => void {
    const upTo = this.settled + this.changes.length;
    const bytes = Buffer.from(this.content.subarray(0, this.size));
    return () => {
      if (upTo <= this.settled) return;
      this.durable = bytes;
      this.changes.splice(0, upTo - this.settled);
      this.settled = upTo;
    };
  }

  /** Power is gone: keeps what is durable, and of the changes after it whatever the seed says. */
  cut(random: Random): void {
    if (this.changes.length === 0) return;
    const { changes } = this;
    this.content = Buffer.from(this.durable);
    this.size = this.durable.length;
    const mode = random(4);
    const kept = mode === 0 ? 0 : mode === 1 ? changes.length : random(changes.length + 1);
    for (const [i, change] of changes.entries()) {
      const keeps = mode === 3 ? random(2) === 0 : i < kept;
      if (keeps) this.apply(change);
      else if (mode >= 2 && 'bytes' in change && random(3) === 0) this.apply(torn(change, random));
    }
    this.settled += changes.length;
    this.changes = [];
    this.durable = Buffer.from(this.content.subarray(0, this.size));
  }

  #reserve(length: number): void {
    if (length <= this.content.length) return;
    const grown = Buffer.alloc(Math.max(length, 2 * this.content.length, 256));
    grown.set(this.content.subarray(0, this.size));
    this.content = grown;
  }
}

function torn({ at, bytes }: { at: number; bytes: Buffer }, random: Random): FileChange {
  return { at, bytes: bytes.subarray(0, random(bytes.length + 1)) };
}

interface NameChange {
  readonly sets: readonly (readonly [name: string, node: Node | undefined])[];
  /** The other half of a move between two folders: durable together. */
  twin?: { readonly folder: FolderNode; readonly change: NameChange };
}

class FolderNode {
  names = new Map<string, Node>();
  durable = new Map<string, Node>();
  changes: NameChange[] = [];
  settled = 0;

  change(change: NameChange): void {
    set(this.names, change);
    this.changes.push(change);
  }

  /** Makes the first `count` changes durable, and with each move its other half. */
  settle(count: number): void {
    const made = this.changes.splice(0, count);
    this.settled += made.length;
    for (const change of made) {
      set(this.durable, change);
      const twin = change.twin;
      const at = twin?.folder.changes.indexOf(twin.change) ?? -1;
      if (twin && at >= 0) twin.folder.settle(at + 1);
    }
  }
}

type Node = FileNode | FolderNode;

function set(names: Map<string, Node>, { sets }: NameChange): void {
  for (const [name, node] of sets) {
    if (node) names.set(name, node);
    else names.delete(name);
  }
}

/** What goes wrong with the disk of one life; changed while the life goes on. */
export interface DiskTrouble {
  /** Bytes that can still be written. */
  room?: number;
  /** Operations that change something on such paths fail. */
  failing?: RegExp | undefined;
  /** Reads and writes may move fewer bytes than asked. */
  short?: boolean;
}

/** Milliseconds of an operation, and of one that waits for the medium. */
const QUICK = 0.05;
const SLOW = 1;

interface Operation {
  readonly now: () => void;
  /** What a kill may leave of it; absent for all or nothing. */
  readonly inPart?: ((random: Random) => void) | undefined;
}

export class MemoryDisk implements FileSystem {
  readonly #machine: Machine;
  readonly #root = new FolderNode();
  readonly #folders = new Set<FolderNode>([this.#root]);
  readonly #dirty = new Set<FileNode>();
  /** Changes that were requested and have not happened. */
  #underWay = new Set<Operation>();
  trouble: DiskTrouble = {};
  /** Called with the bytes of every write. */
  onWrite: (path: string, bytes: Uint8Array) => void = () => {};

  constructor(machine: Machine) {
    this.#machine = machine;
  }

  async open(path: string, mode: OpenMode): Promise<RawFile> {
    await this.#machine.takes(QUICK);
    const [folder, name] = this.#place(path);
    const node = folder.names.get(name);
    if (node instanceof FolderNode) throw systemError('EISDIR');
    if (mode === 'exclusive' && node) throw systemError('EEXIST');
    if (!node && (mode === 'read' || mode === 'update')) throw systemError('ENOENT');
    if (node && mode !== 'create') return this.#file(path, node);
    this.#check(path);
    this.#note('open', path, mode);
    if (node) {
      this.#changed(node, { truncatedTo: 0 });
      return this.#file(path, node);
    }
    const made = new FileNode();
    folder.change({ sets: [[name, made]] });
    return this.#file(path, made);
  }

  #file(path: string, node: FileNode): RawFile {
    const machine = this.#machine;
    return {
      read: async (into, offset, length, position) => {
        await machine.takes(QUICK);
        const n = Math.max(0, Math.min(this.#short(length), node.size - position));
        into.set(node.content.subarray(position, position + n), offset);
        return n;
      },
      write: async (from, offset, length, position) => {
        this.#check(path);
        const n = this.#short(length);
        this.#takeRoom(n);
        const bytes = Buffer.from(from.subarray(offset, offset + n));
        this.onWrite(path, bytes);
        await this.#does(path, QUICK, {
          now: () => this.#changed(node, { at: position, bytes }),
          inPart: (random) => this.#changed(node, torn({ at: position, bytes }, random)),
        });
        this.#note('write', path, position, n);
        return n;
      },
      sync: async () => {
        await this.#does(path, SLOW, { now: node.syncNow() });
        this.#note('sync', path);
      },
      truncate: async (length) => {
        await this.#does(path, QUICK, {
          now: () => this.#changed(node, { truncatedTo: length }),
        });
        this.#note('truncate', path, length);
      },
      size: async () => {
        await machine.takes(QUICK);
        return node.size;
      },
      close: async () => {
        await machine.takes(QUICK);
      },
    };
  }

  async rename(from: string, to: string): Promise<void> {
    await this.#does(to, QUICK, { now: () => this.#renamed(from, to) });
    this.#note('rename', from, to);
  }

  #renamed(from: string, to: string): void {
    const [source, oldName] = this.#place(from);
    const [target, newName] = this.#place(to);
    const node = source.names.get(oldName);
    if (!node) throw systemError('ENOENT');
    const replaced = target.names.get(newName);
    if (replaced instanceof FolderNode && replaced.names.size > 0) throw systemError('ENOTEMPTY');
    if (source === target) {
      source.change({
        sets: [
          [newName, node],
          [oldName, undefined],
        ],
      });
      return;
    }
    const gone: NameChange = { sets: [[oldName, undefined]] };
    const come: NameChange = {
      sets: [[newName, node]],
      twin: { folder: source, change: gone },
    };
    gone.twin = { folder: target, change: come };
    source.change(gone);
    target.change(come);
  }

  async remove(path: string): Promise<void> {
    await this.#does(path, QUICK, {
      now: () => {
        const [folder, name] = this.#place(path);
        if (!folder.names.has(name)) throw systemError('ENOENT');
        folder.change({ sets: [[name, undefined]] });
      },
    });
    this.#note('remove', path);
  }

  /** One file after the other, as the system does; a kill in between leaves some of them. */
  async removeFolder(path: string): Promise<void> {
    const node = this.#find(path);
    if (!(node instanceof FolderNode)) return;
    for (const name of [...node.names.keys()]) {
      if (node.names.get(name) instanceof FolderNode) await this.removeFolder(`${path}/${name}`);
      else await this.remove(`${path}/${name}`);
    }
    await this.remove(path);
  }

  async makeFolder(path: string): Promise<void> {
    await this.#does(path, QUICK, {
      now: () => {
        let folder = this.#root;
        for (const name of parts(path)) {
          let next = folder.names.get(name);
          if (!next) {
            next = new FolderNode();
            this.#folders.add(next);
            folder.change({ sets: [[name, next]] });
            folder.settle(folder.changes.length);
          }
          if (next instanceof FileNode) throw systemError('ENOTDIR');
          folder = next;
        }
      },
    });
  }

  /** In any order: the system promises none. */
  async list(path: string): Promise<string[]> {
    await this.#machine.takes(QUICK);
    const node = this.#find(path);
    if (!node) throw systemError('ENOENT');
    if (node instanceof FileNode) throw systemError('ENOTDIR');
    const names = [...node.names.keys()];
    for (let i = names.length - 1; i > 0; i--) {
      const j = this.#machine.random(i + 1);
      [names[i], names[j]] = [names[j], names[i]];
    }
    return names;
  }

  async syncFolder(path: string): Promise<void> {
    const node = this.#find(path);
    if (!(node instanceof FolderNode)) throw systemError('ENOENT');
    const upTo = node.settled + node.changes.length;
    await this.#does(path, SLOW, { now: () => node.settle(Math.max(0, upTo - node.settled)) });
    this.#note('sync', path);
  }

  /** The process is gone; the system is not. */
  killed(): void {
    const { random } = this.#machine;
    for (const { now, inPart } of this.#underWay) {
      const how = random(3);
      try {
        if (how === 0) now();
        else if (how === 1) inPart?.(random);
      } catch {} // it failed, and nobody is there to hear it
    }
    this.#underWay = new Set();
  }

  /** The machine is off, and only what is durable is sure to be there when it is on again. */
  powerCut(): void {
    const { random } = this.#machine;
    this.killed();
    for (const folder of this.#folders) {
      const kept = random(3) === 0 ? folder.changes.length : random(folder.changes.length + 1);
      folder.settle(kept);
    }
    for (const folder of this.#folders) {
      folder.names = new Map(folder.durable);
      folder.changes = [];
    }
    for (const file of this.#dirty) file.cut(random);
    this.#dirty.clear();
  }

  /** The paths of all files. */
  *files(folder: FolderNode = this.#root, path = ''): IterableIterator<string> {
    for (const [name, node] of folder.names) {
      if (node instanceof FolderNode) yield* this.files(node, `${path}/${name}`);
      else yield `${path}/${name}`;
    }
  }

  /** The content of a file. */
  bytesOf(path: string): Buffer {
    const node = this.#find(path);
    if (!(node instanceof FileNode)) throw systemError('ENOENT');
    return node.content.subarray(0, node.size);
  }

  /** An operation that changes something: it happens at some time before the caller hears of it. */
  async #does(path: string, time: number, operation: Operation): Promise<void> {
    this.#check(path);
    const machine = this.#machine;
    this.#underWay.add(operation);
    await machine.takes(time);
    this.#underWay.delete(operation);
    this.#check(path);
    operation.now();
    if (machine.random(2) === 0) await machine.takes(QUICK);
  }

  #changed(node: FileNode, change: FileChange): void {
    node.change(change);
    this.#dirty.add(node);
  }

  #check(path: string): void {
    if (this.trouble.failing?.test(path)) throw systemError('EIO');
  }

  #takeRoom(bytes: number): void {
    if (this.trouble.room === undefined) return;
    if (this.trouble.room < bytes) throw systemError('ENOSPC');
    this.trouble.room -= bytes;
  }

  #short(length: number): number {
    if (!this.trouble.short || length < 2 || this.#machine.random(8) > 0) return length;
    return 1 + this.#machine.random(length - 1);
  }

  #note(what: string, path: string, ...rest: (string | number)[]): void {
    this.#machine.note(what, path, ...rest);
  }

  #place(path: string): [FolderNode, string] {
    const names = parts(path);
    const name = names.pop() as string;
    const folder = this.#find(names.join('/'));
    if (!(folder instanceof FolderNode)) throw systemError('ENOENT');
    return [folder, name];
  }

  #find(path: string): Node | undefined {
    let node: Node | undefined = this.#root;
    for (const name of parts(path)) {
      if (!(node instanceof FolderNode)) return undefined;
      node = node.names.get(name);
    }
    return node;
  }
}

const parts = (path: string): string[] => path.split('/').filter(Boolean);
