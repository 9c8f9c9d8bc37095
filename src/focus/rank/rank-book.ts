/** Ranks the domains of a book; clear errors where there is no list. */
import { DrumlinError } from '../../base/errors.ts';
import { formatCount } from '../../base/units.ts';
import type { Disk } from '../../disk/disk.ts';
import { inTemporaryFolder } from '../../disk/temporary-folder.ts';
import type { Book } from '../book/book.ts';
import { readQuality, yieldsOf } from './quality.ts';
import { leastTop, type Whitelist, whitelist } from './whitelist.ts';

export interface RankOptions {
  /** The length of List D and of List C. */
  readonly top: number;
  /** `references`, `useful`, or a file of counts. */
  readonly quality: string;
  /** The folder of temporary files. */
  readonly temporary: string;
}

export interface RankedBook extends Whitelist {
  /** Counts of the quality file for URLs and domains that the book does not know. */
  readonly unknown: number;
}

export async function rankBook(disk: Disk, book: Book, options: RankOptions): Promise<RankedBook> {
  if (book.records.documents === 0) throw emptyBook(book);
  const { quality } = options;
  if (quality === 'references' || quality === 'useful') {
    const yields = () => yieldsOf(book, quality);
    return { ...(await listOf(book, yields, options)), unknown: 0 };
  }
  return inTemporaryFolder(disk, options.temporary, 'drumlin-focus-', async (scratch) => {
    let unknown = 0;
    const read = async function* () {
      unknown = 0;
      const file = await readQuality(disk, book, quality, scratch);
      unknown += file.unknown;
      yield* yieldsOf(book, file.counts.sorted(), () => {
        unknown++;
      });
    };
    return { ...(await listOf(book, read, options)), unknown };
  });
}

async function listOf(
  { folder }: Book,
  yields: () => ReturnType<typeof yieldsOf>,
  { top, quality }: RankOptions,
): Promise<Whitelist> {
  const list = await whitelist(yields(), top);
  if (list.core > 0) return list;
  const least = await leastTop(yields());
  if (least !== undefined) {
    throw new DrumlinError(
      'FOCUS_CORE',
      `No domain of ${folder} is among the ${formatCount(top)} with the most documents and the ${formatCount(top)} with the most quality.`,
      `Use --top ${least} or more.`,
    );
  }
  const remedy: Record<string, string> = {
    references: 'Learn more crawls, or rank by useful documents: --quality useful.',
    useful: 'Learn more crawls, or choose another --useful in a new book.',
  };
  throw new DrumlinError(
    'FOCUS_CORE',
    `No domain of ${folder} has both documents and quality.`,
    remedy[quality] ?? 'Check that the file counts for URLs or domains of the book.',
  );
}

const emptyBook = ({ folder }: Book) =>
  new DrumlinError(
    'BOOK_EMPTY',
    `${folder} holds no document.`,
    'Learn a crawl that fetched some: it must keep their content type (--types).',
  );
