/**
 * One process per folder: two that wrote to the same files would ruin both.
 *
 * Ensures   while a lock is held, `acquire` on the same folder fails in every other process of this machine, and names
 *           the owner. The lock of a process that died is taken over.
 * Idea      the file LOCK appears whole or not at all and says who owns it. A process is known by its id and by the instant it
 *           started, so that a reused id is not mistaken for the owner. A dead lock is removed only by who holds
 *           LOCK.takeover and has judged it again since, so that what is removed is what was judged. A dead
 *           LOCK.takeover is a dead lock like any other, with a LOCK.takeover.takeover of its own.
 * Non-goal  machines that share a folder over the network: a lock of another host is never judged, only named.
 */
import fs from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { DrumlinError, EXIT, systemCode } from '../base/errors.ts';

const TAKEOVER = '.takeover';

interface Owner {
  readonly pid: number;
  readonly host: string;
  /** What the system says about the start of the process; '' where it does not say. */
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

  /** Once: a second call would remove the lock of whoever came next. */
  release(): void {
    if (this.#released) return;
    this.#released = true;
    fs.rmSync(this.#path, { force: true });
  }
}

/** Who holds a folder, and whether that process is still there; undefined when nobody does. */
export function holderOf(
  folder: string,
): { readonly pid: number; readonly alive: boolean } | undefined {
  try {
    const owner = parseOwner(fs.readFileSync(join(folder, 'LOCK'), 'utf8'));
    return owner && { pid: owner.pid, alive: isAlive(owner) };
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Written beside and linked into place: a lock that can be seen always names its owner. */
function claim(path: string): boolean {
  const me: Owner = { pid: process.pid, host: os.hostname(), started: startOf(process.pid) };
  const draft = `${path}.${process.pid}`;
  try {
    fs.writeFileSync(draft, `${JSON.stringify(me)}\n`);
    fs.linkSync(draft, path);
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw new DrumlinError(
      'FOLDER_LOCK',
      `${path} cannot be created (${systemCode(error)}).`,
      'Check that the folder exists and may be written.',
      { exitCode: EXIT.disk, cause: error },
    );
  } finally {
    fs.rmSync(draft, { force: true });
  }
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
    if (isDead(path, folder)) fs.rmSync(path, { force: true });
  } finally {
    fs.rmSync(takeover, { force: true });
  }
}

/** False when there is none any more, which must not be taken for a dead one: the next may appear at any moment. */
function isDead(path: string, folder: string): boolean {
  let text: string;
  try {
    text = fs.readFileSync(path, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false;
    throw held(folder, undefined, path);
  }
  const owner = parseOwner(text);
  // A power cut may leave a LOCK without its content. The other is there for an instant only: somebody wrote it by hand.
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
  if (owner.host !== os.hostname()) return true; // not ours to judge
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    return systemCode(error) === 'EPERM'; // somebody else's process, but a process
  }
  return owner.started === '' || owner.started === startOf(owner.pid);
}

/** Field 22 of /proc/<pid>/stat, counted after the name, which may hold anything, even blanks. */
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
    `Wait until it ends or choose another folder; if it is certain that it no longer runs, delete ${path}.`,
    { exitCode: EXIT.folder },
  );
}
