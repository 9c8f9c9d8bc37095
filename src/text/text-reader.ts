/**
 * A page's bytes to its text: blocks, main text, language and signals, each made when it is asked
 * for.
 *
 *   const reader = await openTextReader({ extract: 'main' });
 *   const page = reader.read(body, { contentType });
 *   page.text; page.language.code; page.signals[SIGNAL.words];
 *
 * Requires  `openTextReader` once a thread: it loads the language tables, and for `readability` the
 *           optional packages.
 * Ensures   the same bytes and options give the same results. Never throws on any bytes.
 */
import type { Block, PageBlocks } from './block.ts';
import { type Language, type LanguageDetector, openLanguageDetector } from './language.ts';
import { mainBlocks, textOf } from './main-text.ts';
import { decodedBody, type ReadOptions, readBlocks } from './read-blocks.ts';
import { signalsOf } from './text-signals.ts';

/** What `text` holds: the main text, all visible text, or what `@mozilla/readability` finds. */
export type Extract = 'main' | 'all' | 'readability';

interface TextReaderOptions {
  /** Default: `main`. */
  readonly extract?: Extract;
  /** Bytes of a page to read. Default: 10 MB. */
  readonly maxBytes?: number;
}

interface PageSource {
  /** The `Content-Type` header. */
  readonly contentType?: string | undefined;
  /** Whether a block repeats on the site of the page: `table.of(host)` of a `RepeatTable`. */
  readonly repeats?: ((block: Block) => boolean) | undefined;
}

/** A page as text. */
export interface PageText extends PageBlocks {
  /** The text, one block a line. */
  readonly text: string;
  readonly language: Language;
  /** The values of `SIGNALS`, in their order, of `text`. */
  readonly signals: Float64Array;
}

export interface TextReader {
  read(body: Uint8Array, source?: PageSource): PageText;
  /** Language and signals of a text that exists already, such as a `conversion` record. */
  readText(text: string, source?: PageSource): PageText;
}

export async function openTextReader(options: TextReaderOptions = {}): Promise<TextReader> {
  const detector = await openLanguageDetector();
  const { extract = 'main', maxBytes } = options;
  const limit = maxBytes === undefined ? {} : { maxBytes };
  const extractor = await openExtractor(extract);
  return {
    read: (body, source = {}) => {
      const readOptions: ReadOptions = { contentType: source.contentType, ...limit };
      const blocks = readBlocks(body, readOptions);
      return new ReadPage(blocks, () => extractor(blocks, source, body), detector);
    },
    readText: (text, source = {}) => {
      const body = Buffer.from(text);
      const blocks = readBlocks(body, { contentType: 'text/plain; charset=utf-8', ...limit });
      const { repeats } = source;
      const kept = () => textOf(blocks.blocks.filter((block) => !repeats?.(block)));
      return new ReadPage(blocks, kept, detector);
    },
  };
}

export type Extractor = (page: PageBlocks, source: PageSource, body: Uint8Array) => string;

/** What makes the text of a page; for `readability` it loads the optional packages. */
export async function openExtractor(extract: Extract): Promise<Extractor> {
  if (extract === 'all') return (page) => textOf(page.blocks);
  if (extract === 'readability') {
    const { openReadability } = await import('./readability.ts');
    const textIn = await openReadability();
    return (page, _, body) => (page.isText ? textIn(decodedBody(body, page.charset)) : '');
  }
  return (page, { repeats }) => textOf(mainBlocks(page, { repeats }));
}

class ReadPage implements PageText {
  readonly blocks: readonly Block[];
  readonly elements: PageBlocks['elements'];
  readonly charset: string;
  readonly isText: boolean;
  readonly truncated: boolean;
  readonly title: string | undefined;
  readonly author: string | undefined;
  readonly published: string | undefined;
  readonly description: string | undefined;
  readonly declaredLanguage: string | undefined;
  readonly #extract: () => string;
  readonly #detector: LanguageDetector;
  #text: string | undefined;
  #language: Language | undefined;
  #signals: Float64Array | undefined;

  constructor(page: PageBlocks, extract: () => string, detector: LanguageDetector) {
    this.blocks = page.blocks;
    this.elements = page.elements;
    this.charset = page.charset;
    this.isText = page.isText;
    this.truncated = page.truncated;
    this.title = page.title;
    this.author = page.author;
    this.published = page.published;
    this.description = page.description;
    this.declaredLanguage = page.declaredLanguage;
    this.#extract = extract;
    this.#detector = detector;
  }

  get text(): string {
    this.#text ??= this.#extract();
    return this.#text;
  }

  get language(): Language {
    this.#language ??= this.#detector.detect(this.text);
    return this.#language;
  }

  get signals(): Float64Array {
    this.#signals ??= signalsOf(this.text);
    return this.#signals;
  }
}
