/** A page in the hands of a program: its text and its language are made when they are asked for. */
import { PageDocument, type PageElement } from '../../extract/page-document.ts';
import type { HeaderView } from '../../fetch/exchange.ts';
import { type Language, openLanguageDetector } from '../../text/language.ts';
import { mainBlocks, textOf } from '../../text/main-text.ts';
import { readBlocks } from '../../text/read-blocks.ts';
import type { Link, Page } from './page.ts';

export interface ReadablePage extends Page {
  /** The main text, a paragraph a line; empty if the body is no text. */
  readonly text: string;
  /** The language of the main text. */
  readonly language: Promise<Language>;
  /** The elements of an HTML page that match a CSS selector, in their order. */
  $(selector: string): Promise<PageElement[]>;
}

export function readable(page: Page): ReadablePage {
  return new PageWithText(page);
}

class PageWithText implements ReadablePage {
  readonly url: string;
  readonly status: number;
  readonly headers: HeaderView;
  readonly body: Uint8Array;
  readonly links: readonly Link[];
  readonly depth: number;
  declare readonly requisite?: boolean;
  #text: string | undefined;
  #language: Promise<Language> | undefined;
  #document: Promise<PageDocument> | undefined;

  constructor(page: Page) {
    this.url = page.url;
    this.status = page.status;
    this.headers = page.headers;
    this.body = page.body;
    this.links = page.links;
    this.depth = page.depth;
    if (page.requisite) this.requisite = true;
  }

  get text(): string {
    const contentType = this.headers.get('content-type');
    this.#text ??= textOf(mainBlocks(readBlocks(this.body, { contentType })));
    return this.#text;
  }

  async $(selector: string): Promise<PageElement[]> {
    this.#document ??= PageDocument.of(this.body, this.headers.get('content-type'));
    return (await this.#document).$(selector);
  }

  get language(): Promise<Language> {
    this.#language ??= openLanguageDetector().then((detector) => detector.detect(this.text));
    return this.#language;
  }
}
