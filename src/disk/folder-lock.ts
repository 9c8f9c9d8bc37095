/**
 * One process per folder: two writers would ruin each other's files.
 *
 * Ensures   while a lock is held, `acquire` on the same folder fails in every other process of this
 *           machine, with an error that names the owner. The lock of a dead process is taken over.
 * Idea      the file LOCK appears whole or not at all, and names its owner. A process is identified
 *           by its id and its start time, so that a reused id is not mistaken for the owner. A
 *           process removes a dead lock only while it holds LOCK.takeover, and checks it again
 *           first, so that it removes the lock that it checked. A dead LOCK.takeover is a dead lock
 *           like any other, with a LOCK.takeover.takeover of its own.
 * Non-goal  machines that share a folder over the network: a lock of another machine is never taken
 *           over.
 */
import fs from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { DrumlinError, EXIT, systemCode } from '../base/errors.ts';

const TAKEOVER = '.takeover';

interface Owner {
  readonly pid: number;
  readonly host: string;
  /** When the process started, as the system reports it; '' where it does not. */
  readonly started: string;
}

export class FolderLock {
  readonly #path: string;
  #released = false;

  private constructor(path: string) {
    this.#path = path;
  }

  static acquire(folder: string): FolderLock {
    const path = join(folder, 'LOCK');
    take(path, folder);
    return new FolderLock(path);
  }

  /** Works once: a second call would remove the lock of the next owner. */
  release(): void {
    if (this.#released) return;
    this.#released = true;
    remove(this.#path);
  }
}

/** The owner of a folder's lock, and whether that process is alive; undefined without a lock. */
export function holderOf(
  folder: string,
): { readonly pid: number; readonly alive: boolean } | undefined {
  try {
    const owner = parseOwner(fs.readFileSync(join(folder, 'LOCK'), 'utf8'));
    return owner && { pid: owner.pid, alive: isAlive(owner) };
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw refused(join(folder, 'LOCK'), 'read', error);
  }
}

/** Writes the lock beside its place and links it there: a visible lock always names its owner. */
function claim(path: string): boolean {
  const me: Owner = { pid: process.pid, host: os.hostname(), started: startOf(process.pid) };
  const draft = `${path}.${process.pid}`;
  try {
    fs.writeFileSync(draft, `${JSON.stringify(me)}\n`);
    fs.linkSync(draft, path);
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw refused(path, 'created', error);
  } finally {
    remove(draft);
  }
}

/** Removes a file; a missing one is no failure. */
function remove(path: string): void {
  try {
    fs.unlinkSync(path);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw refused(path, 'removed', error);
  }
}

function refused(path: string, what: string, cause: unknown): DrumlinError {
  return new DrumlinError(
    'FOLDER_LOCK',
    `${path} cannot be ${what} (${systemCode(cause)}).`,
    'Check that the folder exists and may be read and written.',
    { exitCode: EXIT.disk, cause },
  );
}

function take(path: string, folder: string): void {
  while (!claim(path)) {
    if (isDead(path, folder)) removeDead(path, folder);
  }
}

function removeDead(path: string, folder: string): void {
  const takeover = `${path}${TAKEOVER}`;
  take(takeover, folder);
  try {
    if (isDead(path, folder)) remove(path);
  } finally {
    remove(takeover);
  }
}

/**
 * False when the lock is gone, which is not the same as dead: a new one may appear at any moment.
 */
function isDead(path: string, folder: string): boolean {
  let text: string;
  try {
    text = fs.readFileSync(path, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false;
    throw held(folder, undefined, path);
  }
  const owner = parseOwner(text);
  // A power cut may leave LOCK without its content: it is dead. LOCK.takeover exists for an instant
  // only: one without content was made by hand, and counts as alive.
  const alive = owner ? isAlive(owner) : path.endsWith(TAKEOVER);
  if (alive) throw held(folder, owner, path);
  return true;
}

function parseOwner(text: string): Owner | undefined {
  try {
    const owner = JSON.parse(text);
    return typeof owner?.pid === 'number' ? owner : undefined;
  } catch {
    return undefined;
  }
}

function isAlive(owner: Owner): boolean {
  if (owner.host !== os.hostname()) return true; // another machine's: cannot check
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    return systemCode(error) === 'EPERM'; // another user's process, but alive
  }
  return owner.started === '' || owner.started === startOf(owner.pid);
}

/** Field 22 of /proc/<pid>/stat, counted from the end of the name, which may contain blanks. */
function startOf(pid: number): string {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}

function held(folder: string, owner: Owner | undefined, path: string): DrumlinError {
  const who = owner ? `process ${owner.pid} on ${owner.host}` : 'another process';
  return new DrumlinError(
    'FOLDER_IN_USE',
    `${folder} is in use by ${who}.`,
    `Wait until it ends or choose another folder. If you are sure that it no longer runs, delete ${path}.`,
    { exitCode: EXIT.folder },
  );
}
