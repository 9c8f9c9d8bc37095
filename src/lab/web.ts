/**
 * The synthetic web itself: a pure function from (seed, scenario, step) and a URL to an answer.
 *
 * Idea      Nothing is stored. A host name gives a domain's index, a path gives a page's number, and the page is written
 *           from hashes of both. Asking twice, in another process, or after a million other pages, gives the same bytes.
 * Ensures   memory is bounded by the caches (domains, text pools), however large the web.
 */
import { type Answer, notFound, redirect } from './answer.ts';
import { type Domain, Domains } from './domain.ts';
import { KINDS } from './kinds/index.ts';
import type { Kind, KindName } from './kinds/kind.ts';
import { edgeOf } from './links.ts';
import { makePage } from './page.ts';
import { paperAnswer } from './paper.ts';
import { isPaper, pageOf, urlOf } from './paths.ts';
import { hash, TAG, unit } from './random.ts';
import { robotsOf, sitemapOf } from './robots.ts';
import { secondsOf } from './time.ts';
import { World, type WorldSettings } from './world.ts';

export interface Place {
  readonly domain: Domain;
  /** The host's number within the domain, or -2 for the other form of the first one (with or without www). */
  readonly host: number;
  readonly label: string;
}

export class Web {
  readonly world: World;
  readonly domains: Domains;

  constructor(settings: WorldSettings) {
    this.world = new World(settings);
    this.domains = new Domains(this.world);
  }

  kindAt(index: number): Kind {
    return KINDS[this.world.layout.kindAt(index)];
  }

  /** The first domain from `index` on that is linked to by strangers, the last and the first being neighbours; -1 if none. */
  linkedFrom(index: number, domains: number, self: number): number {
    for (let i = 0; i < domains; i++) {
      const candidate = (index + i) % domains;
      if (candidate !== self && this.kindAt(candidate).linked) return candidate;
    }
    return -1;
  }

  /** A member of a kind for slot k of a domain, the first ones more often; undefined when there is none. */
  memberFor(kind: KindName, domain: Domain, k: number): number | undefined {
    const count = this.world.layout.countOf(kind, this.world.initialDomains);
    if (count === 0) return undefined;
    const u = unit(hash(this.world.seed, TAG.member, domain.index, k));
    return this.world.layout.memberAt(kind, Math.floor(u * u * count));
  }

  /** Which domain and host a host name belongs to, dead or alive; undefined when nobody owns it yet. */
  placeOf(hostName: string): Place | undefined {
    const name = this.world.names.parse(hostName);
    if (!name || name.index >= this.world.domains) return undefined;
    const domain = this.domains.at(name.index);
    if (domain.name !== name.syllables) return undefined;
    const host = domain.hostNumber(name.label);
    return host === -1 && !domain.kind.anyHost ? undefined : { domain, host, label: name.label };
  }

  /** What a request for `target` (path and query) at a host is answered; undefined when the host is nobody's or dead. */
  answer(hostName: string, target: string): Answer | undefined {
    const place = this.placeOf(hostName);
    if (!place?.domain.alive) return undefined;
    const { domain, host, label } = place;
    if (host === -2) return redirect(301, domain.origin(0) + target);
    const special = domain.kind.answer?.(this, domain, label, target);
    if (special) return special;
    if (target === '/robots.txt') return robotsOf(this, domain, host);
    if (target.startsWith('/sitemap')) return sitemapOf(this, domain, host, target) ?? notFound();
    if (target === '/style.css') return { status: 200, headers: 'Content-Type: text/css\r\n', body: STYLE };
    const page = pageOf(domain, host, target);
    if (page < 0 || !domain.hasPage(page)) return notFound();
    return isPaper(domain, page) ? paperAnswer(this, domain, page) : this.#page(domain, page);
  }

  #page(domain: Domain, number: number): Answer {
    const { headers, body, modified } = makePage(this, domain, number);
    const etag = `"${hash(this.world.seed, TAG.page, domain.index, number, modified).toString(16)}-${modified}"`;
    return { status: 200, headers, body, etag, modified: secondsOf(modified) };
  }

  /** The home pages of the best ranked living domains: where a crawl may start. */
  seeds(count = 10): string[] {
    const seeds: string[] = [];
    for (let index = 0; index < this.world.domains && seeds.length < count; index++) {
      const domain = this.domains.at(index);
      if (domain.kind.backbone && domain.alive) seeds.push(urlOf(domain, 0));
    }
    return seeds;
  }

  /** Every page that is there at this step, domain by domain; only for webs without endless kinds. */
  *allUrls(): Generator<string> {
    for (let index = 0; index < this.world.domains; index++) {
      const domain = this.domains.at(index);
      if (!domain.alive || domain.kind.spam || domain.kind.endless) continue;
      for (let page = 0; page < domain.pages; page++) if (domain.hasPage(page)) yield urlOf(domain, page);
    }
  }

  /** The domains that a domain links to, its whole life's worth of slots at this step. */
  *neighbours(index: number): Generator<number> {
    const domain = this.domains.at(index);
    for (let k = 0; k < domain.degree; k++) {
      const { target } = edgeOf(this, domain, k);
      if (target >= 0 && target !== index) yield target;
    }
  }
}

const STYLE = 'body { font-family: serif; max-width: 60em; margin: auto }\n';
