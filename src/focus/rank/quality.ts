/**
 * The quality n_c of domains: references in the book, useful documents, or counts from a file.
 *
 *   https://example.org/paper.pdf   17
 *   example.net                      3
 *
 * Idea      Lines of the file with a URL are sorted and looked up in the addresses of the book, in
 *           one pass. What they count for is the domain of the document. Lines with a domain count
 *           for it.
 * Ensures   A line that cannot be read is an error that names file and line. URLs and domains that
 *           the book does not know are counted, not used.
 * Cost      a sort of the file on disk; memory is fixed.
 */
import { DrumlinError } from '../../base/errors.ts';
import type { Bytes } from '../../base/units.ts';
import type { Disk } from '../../disk/disk.ts';
import { LineSorter } from '../../disk/line-sort.ts';
import { readLines } from '../../disk/text-input.ts';
import { hostName } from '../../net/host-name.ts';
import { canonicalise } from '../../url/canonical.ts';
import { payLevelDomain } from '../../url/domain.ts';
import type { Book } from '../book/book.ts';
import { keyOf } from '../book/keys.ts';
import { addressIn, domainIn } from '../book/values.ts';
import type { Yield } from './whitelist.ts';

const SORT_MEMORY: Bytes = 8 * 2 ** 20;

/** Counts from a file, by domain, in the order of the names. */
interface FileQuality {
  readonly counts: LineSorter;
  /** Lines with a URL that leads to no document of the book. */
  readonly unknown: number;
}

/** The domains of a book with their quality. */
export async function* yieldsOf(
  book: Book,
  quality: 'references' | 'useful' | AsyncIterable<string[]>,
  onUnknown: (domain: string) => void = () => {},
): AsyncGenerator<Yield> {
  const domains = await book.read('domains');
  const lines = typeof quality === 'string' ? undefined : new Counts(quality, onUnknown);
  try {
    while (await domains.next()) {
      const name = domains.keyText;
      const { documents, useful, references, parents } = domainIn(domains.value);
      const counted = lines ? await lines.of(name) : quality === 'useful' ? useful : references;
      yield { name, documents, quality: counted, parents };
    }
    await lines?.finish();
  } finally {
    await domains.close();
  }
}

/** Sums of sorted lines `domain count`, asked for in the same order. */
class Counts {
  readonly #batches: AsyncIterator<string[]>;
  readonly #onUnknown: (domain: string) => void;
  #batch: readonly string[] = [];
  #at = 0;

  constructor(lines: AsyncIterable<string[]>, onUnknown: (domain: string) => void) {
    this.#batches = lines[Symbol.asyncIterator]();
    this.#onUnknown = onUnknown;
  }

  async of(domain: string): Promise<number> {
    let sum = 0;
    for (let line = await this.#line(); line !== undefined; line = await this.#line()) {
      const [name, count] = line.split('\t');
      if (name > domain) return sum;
      if (name === domain) sum += Number(count);
      else this.#onUnknown(name);
      this.#at++;
    }
    return sum;
  }

  async finish(): Promise<void> {
    for (let line = await this.#line(); line !== undefined; line = await this.#line()) {
      this.#onUnknown(line.slice(0, line.indexOf('\t')));
      this.#at++;
    }
  }

  async #line(): Promise<string | undefined> {
    while (this.#at === this.#batch.length) {
      const { value, done } = await this.#batches.next();
      if (done) return undefined;
      this.#batch = value;
      this.#at = 0;
    }
    return this.#batch[this.#at];
  }
}

/** Reads a file of counts. `scratch` is a folder for temporary files. */
export async function readQuality(
  disk: Disk,
  book: Book,
  path: string,
  scratch: string,
): Promise<FileQuality> {
  const counts = new LineSorter(disk, scratch, 'quality', SORT_MEMORY);
  const urls = new LineSorter(disk, scratch, 'quality-urls', SORT_MEMORY);
  for await (const { bytes, line } of readLines(disk, path)) {
    for (const [i, text] of Buffer.from(bytes).toString('utf8').split('\n').entries()) {
      const entry = text.trim();
      if (entry === '' || entry.startsWith('#')) continue;
      const read = entryOf(entry);
      if (!read) throw notACount(path, line + i, entry);
      if ('url' in read) await urls.add(`${keyOf(read.url)}\t${read.count}`);
      else await counts.add(`${read.domain}\t${read.count}`);
    }
  }
  let unknown = 0;
  const addresses = await book.look('addresses');
  try {
    for await (const lines of urls.sorted()) {
      for (const line of lines) {
        const [key, count] = line.split('\t');
        if (await addresses.seek(key))
          await counts.add(`${addressIn(addresses.value).domain}\t${count}`);
        else unknown++;
      }
    }
  } finally {
    await addresses.abandon();
  }
  return { counts, unknown };
}

function entryOf(
  line: string,
): { url: string; count: number } | { domain: string; count: number } | undefined {
  const [name, number, ...more] = line.split(/[\s,]+/);
  const count = Number(number);
  if (number === undefined || number === '' || more.length > 0 || !(count >= 0 && count < 1e15))
    return undefined;
  const url = /^https?:\/\//i.test(name) ? canonicalise(name) : undefined;
  if (url !== undefined) return { url, count };
  const host = /^https?:/i.test(name) ? undefined : hostName(name);
  return host === undefined || host.startsWith('.')
    ? undefined
    : { domain: payLevelDomain(host), count };
}

const notACount = (path: string, line: number, text: string) =>
  new DrumlinError(
    'QUALITY',
    `${path}, line ${line}: ${JSON.stringify(text.slice(0, 100))} is no count.`,
    'Write a URL or a domain and a number, like example.org 17.',
  );
