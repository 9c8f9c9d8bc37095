/**
 * Unfinished indexing: the folder `work` of an index.
 *
 *   work/plan.json        what is indexed and how
 *   work/progress.json    runs written so far, and where reading continues; replaced in one step
 *   work/run-N            a sorted run (run-builder.ts)
 *   work/run-N.versions   its versions: words, language, file, record, URL, title
 *   work/run-N.sightings  its captures, a line each
 *   work/run-N.links      their links, a record each
 *   work/run-N.anchors    the texts of these links, a line each
 *
 * A run counts when the progress names it. A killed process loses at most the run it was filling.
 */
import { join } from 'node:path';
import { DrumlinError, EXIT } from '../../base/errors.ts';
import type { Bytes } from '../../base/units.ts';
import { replaceFile } from '../../disk/checkpoint.ts';
import type { Disk } from '../../disk/disk.ts';
import type { CrawlSpan, IndexedFile, IndexSettings } from '../store/index-folder.ts';

export interface PlannedFile extends IndexedFile {
  readonly crawl: string;
}

export interface IndexPlan {
  readonly settings: IndexSettings;
  readonly maxPage: Bytes;
  readonly files: readonly PlannedFile[];
}

/** The format of the files: work in another one begins again. */
const FORMAT = 2;

/** What was read so far. */
export interface IndexCounts {
  records: number;
  /** Captures of pages. */
  pages: number;
  revisits: number;
  /** Revisits of another URL: copies of pages, which are not indexed. */
  copies: number;
  /** Captures without a date from 1970 on: they are not indexed. */
  undated: number;
}

export interface Progress {
  readonly runs: number;
  /** Versions in these runs. */
  readonly versions: number;
  /** Where reading continues: a place in the list of files, and an offset in it. */
  readonly file: number;
  readonly offset: number;
  /** Whether a response was seen in this file. */
  readonly hasResponses: boolean;
  readonly counts: IndexCounts;
  readonly languages: readonly string[];
  readonly crawls: readonly CrawlSpan[];
  /** Sentences about damaged files. */
  readonly damage: readonly string[];
}

const NOTHING: Progress = {
  ...{ runs: 0, versions: 0, file: 0, offset: 0, hasResponses: false },
  counts: { records: 0, pages: 0, revisits: 0, copies: 0, undated: 0 },
  ...{ languages: [], crawls: [], damage: [] },
};

export class IndexWork {
  readonly disk: Disk;
  readonly path: string;

  constructor(disk: Disk, out: string) {
    this.disk = disk;
    this.path = join(out, 'work');
  }

  run(index: number, ending = ''): string {
    return join(this.path, `run-${String(index).padStart(5, '0')}${ending}`);
  }

  /** The progress of this plan; work on another plan is deleted. */
  async begin(plan: IndexPlan): Promise<Progress> {
    const before = await this.#json<IndexPlan>('plan.json');
    const planned = { ...plan, format: FORMAT };
    if (before !== undefined && JSON.stringify(before) === JSON.stringify(planned))
      return (await this.#json<Progress>('progress.json')) ?? NOTHING;
    await this.remove();
    await this.disk.makeFolder(this.path);
    await this.#replace('plan.json', planned);
    return NOTHING;
  }

  save(progress: Progress): Promise<void> {
    return this.#replace('progress.json', progress);
  }

  remove(): Promise<void> {
    return this.disk.removeFolder(this.path);
  }

  #replace(name: string, value: unknown): Promise<void> {
    return replaceFile(this.disk, this.path, name, Buffer.from(JSON.stringify(value)));
  }

  async #json<T>(name: string): Promise<T | undefined> {
    const path = join(this.path, name);
    try {
      return JSON.parse(await this.disk.readText(path)) as T;
    } catch (error) {
      if (error instanceof SyntaxError)
        throw new DrumlinError(
          'FILE_DAMAGED',
          `${path} is damaged: it is not JSON.`,
          `Delete the folder ${this.path}; the same command then begins this part again.`,
          { exitCode: EXIT.folder, cause: error },
        );
      if (error instanceof DrumlinError && error.code === 'FILE_MISSING') return undefined;
      throw error;
    }
  }
}
