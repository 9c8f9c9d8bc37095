/**
 * The links of one page, as data: pages of domains, or addresses that lead elsewhere, in the order
 * they will appear.
 *
 * It also remembers the last step at which any of them changed, so that `Last-Modified` and `ETag`
 * are correct: bytes that change never keep their tag. (Now and then a tag changes for nothing, as
 * on the real web.)
 */
import type { Domain } from './domain.ts';
import { putHref, urlOf } from './paths.ts';

export class LinkList {
  readonly #domains: (Domain | undefined)[] = [];
  readonly #pages: number[] = [];
  /** Addresses of links that are not pages, by their place in the list. */
  #addresses: Map<number, string> | undefined;
  /** The last step at which a part of the page changed. */
  modified: number;

  constructor(modified: number) {
    this.modified = modified;
  }

  get length(): number {
    return this.#pages.length;
  }

  add(domain: Domain, page: number): void {
    this.#domains.push(domain);
    this.#pages.push(page);
  }

  /** Adds any address: absolute, or relative to the page's host. */
  addAddress(address: string): void {
    this.#addresses ??= new Map();
    this.#addresses.set(this.#pages.length, address);
    this.#domains.push(undefined);
    this.#pages.push(-1);
  }

  /** Notes that a candidate, whether it became a link or not, was decided at this step. */
  touch(step: number): void {
    if (step > this.modified) this.modified = step;
  }

  /** The domain that the i-th link leads to, if it leads to a page. */
  domainAt(i: number): Domain | undefined {
    return this.#domains[i];
  }

  pageAt(i: number): number {
    return this.#pages[i];
  }

  /**
   * The URL of the i-th link on a page of an origin, in canonical form unless a default port is
   * written out.
   */
  urlAt(i: number, origin: string): string {
    const domain = this.#domains[i];
    if (domain) return urlOf(domain, this.#pages[i]);
    const address = this.#addresses?.get(i) ?? '';
    return address.startsWith('/') ? origin + address : address;
  }

  /** Writes `<a href="` and the i-th address: relative within the host, as most sites write. */
  putOpening(out: string[], i: number, from: Domain, host: number): void {
    const domain = this.#domains[i];
    if (!domain) {
      out.push('<a href="', (this.#addresses?.get(i) ?? '').replaceAll('&', '&amp;'));
      return;
    }
    const page = this.#pages[i];
    const targetHost = domain.hostOf(page);
    const isHere = domain === from && targetHost === host;
    if (!isHere) out.push('<a href="', domain.origin(targetHost));
    putHref(out, domain, page, isHere);
  }
}
