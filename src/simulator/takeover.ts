/**
 * Domains that are taken over in the middle of a virtual crawl: those of the kind `expired`. Who
 * linked to them notices sooner or later, and removes the link.
 *
 * Ensures   before the takeover pages have all their links; after it, nine of ten domains have no
 *           link to such a domain any more, the same for every page of a domain.
 */
import type { Clock } from '../base/clock.ts';
import type { Millis } from '../base/units.ts';
import type { Domain } from '../lab/domain.ts';
import type { Web } from '../lab/web.ts';
import { hash, TAG, unit } from '../lab/words/random.ts';
import { hostOf } from '../url/parts.ts';

const REMOVED = 0.9;

export class Takeover {
  readonly #web: Web;
  readonly #clock: Clock;
  readonly #at: Millis;

  /** It happens when the clock shows `at`; Infinity for never. */
  constructor(web: Web, clock: Clock, at: Millis) {
    this.#web = web;
    this.#clock = clock;
    this.#at = at;
  }

  /** The links of a page of the domain as they are now. */
  linksOf(source: Domain, links: readonly string[]): readonly string[] {
    if (this.#clock.now() < this.#at) return links;
    return links.filter((link) => !this.#isRemoved(source, link));
  }

  #isRemoved({ index }: Domain, link: string): boolean {
    const target = this.#web.placeOf(hostOf(link))?.domain;
    if (target?.kind.name !== 'expired' || target.index === index) return false;
    return unit(hash(this.#web.world.seed, TAG.takeover, index, target.index)) < REMOVED;
  }
}
