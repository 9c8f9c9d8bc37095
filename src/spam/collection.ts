/**
 * What features depend on besides the site itself: the level of sites, the frequent words and the
 * term statistics of the collection that they were made of.
 *
 * A table of features has it in a file of its own beside it, `<table>.collection.json`. A model
 * that was trained on the table keeps it, so that features of other crawls can be made alike.
 */
import { DrumlinError } from '../base/errors.ts';
import type { Disk } from '../disk/disk.ts';
import { writeText } from '../disk/text-file.ts';
import type { WordLists } from './features/content/word-lists.ts';
import type { SiteLevel } from './features/sites.ts';
import type { TermStatistics } from './features/terms/bm25.ts';

const FORMAT = 'drumlin-spam-collection';

export interface Collection {
  readonly level?: SiteLevel | undefined;
  readonly words?: WordLists | undefined;
  readonly terms?: TermStatistics | undefined;
}

const pathOf = (table: string): string => `${table}.collection.json`;

export async function writeCollection(disk: Disk, table: string, about: Collection): Promise<void> {
  const text = `${JSON.stringify({ format: FORMAT, ...about })}\n`;
  await writeText(disk, pathOf(table), (file) => file.write(Buffer.from(text)));
}

/** The collection of a table; undefined for a table that came from elsewhere. */
export async function readCollection(disk: Disk, table: string): Promise<Collection | undefined> {
  const path = pathOf(table);
  try {
    const { format, ...about } = JSON.parse(await disk.readText(path));
    if (format === FORMAT) return about;
  } catch (error) {
    if (error instanceof DrumlinError && error.code === 'FILE_MISSING') return undefined;
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new DrumlinError(
    'FEATURES',
    `${path} is damaged.`,
    'Make the features anew, or delete that file: a crawl then cannot use the model.',
  );
}
