/**
 * Reads the pages of a crawl for all sets that look at pages: frequent words, stems, the 24 numbers
 * of each page, and sketches.
 *
 * Idea      A crawl is read twice, because which words are frequent in it is known only at its end.
 *           With the lists of a model it is read once.
 */
import type { Disk } from '../../disk/disk.ts';
import { fingerprintAndWords } from '../../duplicates/fingerprint.ts';
import type { FirstTexts } from '../../duplicates/first-texts.ts';
import type { PageWords } from '../../duplicates/page-words.ts';
import { METERED_TEXT, PageMeter } from '../features/content/page-meter.ts';
import type { WordLists } from '../features/content/word-lists.ts';
import type { NearPages } from '../features/neighbours/near-pages.ts';
import { isHome, type SiteLevel } from '../features/sites.ts';
import type { StemNumbers } from '../features/terms/term-documents.ts';
import type { PageRanks } from './crawl-graphs.ts';
import { WordCounts, wordsIn } from './frequent-words.ts';
import type { SiteBook, SiteRecord } from './site-book.ts';
import { type CrawledPage, type ReadOptions, storedPages } from './stored-pages.ts';

/** What is wanted of a crawl; what is undefined is not wanted. */
interface Wanted {
  readonly level: SiteLevel;
  readonly book: SiteBook;
  /** Measure pages: with these lists, or with those of the crawl and these queries. */
  readonly content?: { readonly lists: WordLists } | { readonly queries: readonly string[] };
  /** Measure also the page of greatest PageRank. */
  readonly ranks?: PageRanks | undefined;
  readonly stems?: StemNumbers | undefined;
  readonly near?: NearPages | undefined;
  /** Counts the copied pages of each site. */
  readonly texts?: FirstTexts | undefined;
  readonly onProgress?: ((step: string, share: number) => void) | undefined;
  readonly onNote?: ((text: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Returns the lists that pages were measured with. */
export async function readCrawl(
  disk: Disk,
  crawl: string,
  wanted: Wanted,
): Promise<WordLists | undefined> {
  const { content, book, stems, near, texts } = wanted;
  const given = content && 'lists' in content ? content.lists : undefined;
  const counts = content && !given ? new WordCounts() : undefined;
  const measure = given && measurer(given, wanted);
  const pages = readPages(disk, crawl, counts ? 'counting words' : 'reading pages', wanted);
  for await (const page of pages) {
    const { site, counts: isCounted } = book.siteOf(page);
    if (!isCounted && wanted.ranks === undefined) continue;
    const { words, fingerprint } = fingerprintAndWords(page.body);
    const list = isCounted && (counts || stems) ? wordsIn(words.text) : [];
    counts?.add(list);
    if (isCounted) stems?.add(site.terms, list);
    if (isCounted && texts?.enter(words, site.number)) site.copied++;
    await measure?.(page, site, isCounted, words);
    if (isCounted) await near?.add(site.number, fingerprint);
  }
  if (!counts) return given;
  const queries = content && 'queries' in content ? content.queries : [];
  const lists = { collection: counts.top(), queries };
  const measureNow = measurer(lists, wanted);
  book.beginReading();
  for await (const page of readPages(disk, crawl, 'measuring pages', wanted)) {
    const { site, counts: isCounted } = book.siteOf(page);
    if (!isCounted && wanted.ranks === undefined) continue;
    const { words } = fingerprintAndWords(page.body, METERED_TEXT);
    await measureNow(page, site, isCounted, words);
  }
  return lists;
}

function readPages(
  disk: Disk,
  crawl: string,
  step: string,
  { onProgress, onNote, signal }: Wanted,
): AsyncGenerator<CrawledPage> {
  const options: ReadOptions = {
    onRead: (share) => onProgress?.(step, share),
    ...{ onDamage: onNote, signal },
  };
  return storedPages(disk, crawl, options);
}

/** The words of a page are measured before anything is waited for: then they may be others. */
function measurer(lists: WordLists, { level, ranks }: Wanted) {
  const meter = new PageMeter(lists);
  return async (
    { url }: CrawledPage,
    site: SiteRecord,
    isCounted: boolean,
    words: PageWords,
  ): Promise<void> => {
    const values = meter.measure(words);
    if (isCounted) site.sums.add(values, isHome(url, level));
    if (ranks === undefined) return;
    const rank = await ranks.rankOf(url);
    if (rank <= site.topRank) return;
    site.topRank = rank;
    site.top = values;
  };
}
