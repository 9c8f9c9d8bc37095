/**
 * The documents that a day does not request, because the book knows them.
 *
 * Idea      A list of URLs for the filter `InList`. A document is requested again when it was last
 *           seen `recheck` ago; the crawls that hold such documents are named, so that the request
 *           is conditional.
 */
import type { Disk } from '../../disk/disk.ts';
import { writeText } from '../../disk/text-file.ts';
import type { Book } from '../book/book.ts';
import { urlIn } from '../book/keys.ts';
import { addressIn } from '../book/values.ts';

export interface KnownDocuments {
  /** URLs in the list. */
  readonly listed: number;
  /** URLs that may be requested again. */
  readonly due: number;
  /** The crawls that hold these, as positions among the book's sources. */
  readonly sources: readonly number[];
}

const BATCH = 4096;

/** `since`: documents seen after this time, in seconds, are not requested. */
export async function writeKnown(
  disk: Disk,
  book: Book,
  path: string,
  since: number,
): Promise<KnownDocuments> {
  let listed = 0;
  let due = 0;
  const sources = new Set<number>();
  const reader = await book.read('addresses');
  try {
    await writeText(disk, path, async (file) => {
      let lines: string[] = [];
      const flush = async () => {
        if (lines.length > 0) await file.write(Buffer.from(`${lines.join('\n')}\n`));
        lines = [];
      };
      while (await reader.next()) {
        const { last, source } = addressIn(reader.value);
        if (last > since) {
          listed++;
          lines.push(urlIn(reader.keyText));
          if (lines.length >= BATCH) await flush();
        } else {
          due++;
          sources.add(source);
        }
      }
      await flush();
    });
  } finally {
    await reader.close();
  }
  return { listed, due, sources: [...sources] };
}
