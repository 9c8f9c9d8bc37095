/**
 * The pages of a web and the links between them, as a full crawl would find them, without a socket.
 *
 * Idea      A page is numbered by its domain and its number within it, so links need no look-up by
 *           name: they are decided as numbers (`outlineOf`).
 * Requires  a finite web (no traps, no faults): there each page has one address and answers 200.
 * Ensures   `urls` in the order of the numbers that `arcs` uses; arcs may be repeated.
 * Cost      about 15 µs a page.
 */
import { DrumlinError } from '../../base/errors.ts';
import type { LinkList } from '../link-list.ts';
import { frameLinksOf, outlineOf } from '../outline.ts';
import { isDocument, urlOf } from '../paths.ts';
import type { Web } from '../web.ts';

/** Arcs in one batch. */
const BATCH = 65_536;

export class PageGraph {
  readonly #web: Web;
  /** The number of each domain's first page; the last entry counts all pages. */
  readonly #first: Float64Array;

  constructor(web: Web) {
    if (!web.finite)
      throw new DrumlinError(
        'LAB_PAGES',
        `The pages of a web "${web.world.scenario.name}" cannot be listed: it has traps, spam or faults.`,
        'Choose --scenario clean, or crawl it and run "drumlin graph build --level page --captured".',
      );
    this.#web = web;
    this.#first = new Float64Array(web.world.domains + 1);
    for (let index = 0; index < web.world.domains; index++) {
      const domain = web.domains.at(index);
      this.#first[index + 1] = this.#first[index] + (domain.alive ? domain.pages : 0);
    }
  }

  get pages(): number {
    return this.#first[this.#web.world.domains];
  }

  /** The URL of each page, dead ones included. */
  *urls(): Generator<string> {
    for (const [domain, page] of this.#each()) yield urlOf(domain, page);
  }

  /** `onPage` is called with the number of pages done. */
  *arcs(
    onPage: (done: number) => void = () => {},
  ): Generator<{ from: Uint32Array; to: Uint32Array }> {
    const from = new Uint32Array(BATCH);
    const to = new Uint32Array(BATCH);
    let count = 0;
    let number = 0;
    for (const [domain, page] of this.#each()) {
      for (const list of this.#links(domain, page)) {
        for (let i = 0; i < list.length; i++) {
          const target = this.#numberOf(list, i);
          if (target < 0) continue;
          if (count === BATCH) {
            yield { from, to };
            count = 0;
          }
          from[count] = number;
          to[count++] = target;
        }
      }
      onPage(++number);
    }
    yield { from: from.subarray(0, count), to: to.subarray(0, count) };
  }

  *#each() {
    const { world, domains } = this.#web;
    for (let index = 0; index < world.domains; index++) {
      const domain = domains.at(index);
      const pages = this.#first[index + 1] - this.#first[index];
      for (let page = 0; page < pages; page++) yield [domain, page] as const;
    }
  }

  #links(domain: ReturnType<Web['domains']['at']>, page: number): LinkList[] {
    if (isDocument(domain, page)) return [];
    const { menu, footer } = frameLinksOf(this.#web, domain);
    return [menu, outlineOf(this.#web, domain, page, footer.modified).links, footer];
  }

  #numberOf(list: LinkList, i: number): number {
    const domain = list.domainAt(i);
    const page = list.pageAt(i);
    if (!domain) return -1;
    const first = this.#first[domain.index];
    return first + page < this.#first[domain.index + 1] ? first + page : -1;
  }
}
