/**
 * The folder of unfinished work inside of that of an export.
 *
 * Idea      An export is a list of tasks. A task reads files and writes files, and its result is a
 *           small file that is written last. A task whose result exists is done; any other is done
 *           again from the beginning. So a run that was stopped at any moment continues with the
 *           first task that has no result, and the order and the threads of tasks do not matter.
 *
 *   work/plan.json          what is exported and how: another export is refused
 *   work/survey-N.json      a WARC file was surveyed; beside it .keys, .revisits and .pages
 *   work/repeats.bin        what repeats on sites, from all surveys
 *   work/ranks-N.txt        the ranks of domains in the crawl of WARC file N
 *   work/read-N.json        a segment was read; beside it .rows, .sketches, .pages and .domains
 *   work/late-N.json        what is known of its rows when all were read; beside it .near
 *   work/part-N.json        a file of the corpus was written
 */
import { join } from 'node:path';
import { DrumlinError } from '../base/errors.ts';
import { replaceFile } from '../disk/checkpoint.ts';
import type { Disk, DiskFile } from '../disk/disk.ts';

type TaskKind = 'survey' | 'ranks' | 'read' | 'late' | 'part';

export class WorkFolder {
  readonly disk: Disk;
  readonly path: string;

  constructor(disk: Disk, out: string) {
    this.disk = disk;
    this.path = join(out, 'work');
  }

  /** The name of a task's file. */
  file(kind: TaskKind, index: number, ending: string): string {
    return join(this.path, `${kind}-${String(index).padStart(5, '0')}.${ending}`);
  }

  /** The result of a task; undefined if it is not done. */
  async result<T>(kind: TaskKind, index: number): Promise<T | undefined> {
    return this.json<T>(this.file(kind, index, 'json'));
  }

  async json<T>(path: string): Promise<T | undefined> {
    try {
      return JSON.parse(await this.disk.readText(path)) as T;
    } catch (error) {
      if (error instanceof DrumlinError && error.code === 'FILE_MISSING') return undefined;
      throw error;
    }
  }

  async exists(path: string): Promise<boolean> {
    try {
      await (await this.disk.open(path, 'read')).close();
      return true;
    } catch (error) {
      if (error instanceof DrumlinError && error.code === 'FILE_MISSING') return false;
      throw error;
    }
  }

  /** Makes a task done. */
  async done(kind: TaskKind, index: number, result: unknown): Promise<void> {
    const name = `${kind}-${String(index).padStart(5, '0')}.json`;
    await replaceFile(this.disk, this.path, name, Buffer.from(JSON.stringify(result)));
  }

  /** Writes files of a task; they count when the task is done. */
  async write(paths: readonly string[], fill: (files: DiskFile[]) => Promise<void>): Promise<void> {
    const files: DiskFile[] = [];
    try {
      for (const path of paths) files.push(await this.disk.open(path, 'create'));
      await fill(files);
      for (const file of files) await file.sync();
    } finally {
      for (const file of files) await file.close();
    }
  }
}
