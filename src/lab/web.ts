/**
 * The synthetic web itself: a pure function from (seed, scenario, step) and a URL to an answer.
 *
 * Idea      Nothing is stored. A host name gives a domain's index, a path gives a page's number,
 *           and the page is written from hashes of both. Asking twice, in another process, or after
 *           a million other pages, gives the same bytes.
 * Ensures   memory is bounded by the caches (domains, text pools), however large the web.
 */
import { addressOf } from './addresses.ts';
import { type Answer, HTML_TYPE, htmlAnswer, JSON_TYPE, notFound, redirect } from './answer.ts';
import { scriptOf, transferOf } from './behaviour.ts';
import { documentAnswer } from './document.ts';
import { type Domain, Domains } from './domain.ts';
import type { Kind, KindName } from './kind.ts';
import { KINDS } from './kinds.ts';
import { BLOCK } from './layout.ts';
import { edgeOf } from './links.ts';
import { makePage } from './page.ts';
import { graveAnswer, gravesAreSoft, hopAnswer, pageFault, softNotFound } from './page-faults.ts';
import { isDocument, pageOf, urlOf } from './paths.ts';
import type { Resource } from './resource.ts';
import { movedRobots, robotsOf, sitemapOf } from './robots.ts';
import {
  dataWanted,
  endlessRedirect,
  scriptedData,
  scriptedPage,
} from './scripted/scripted-page.ts';
import { withSessions } from './sessions.ts';
import { makeSmallPage } from './small-page.ts';
import { secondsOf } from './time.ts';
import { getsStrays, isObscure } from './tricks/company.ts';
import type { Visitor } from './tricks/manner.ts';
import { hash, TAG, unit } from './words/random.ts';
import { World, type WorldSettings } from './world.ts';

/** In a web with spam, one domain in this many is also a seed. */
const DOMAINS_A_SEED = 200;

export interface Place {
  readonly domain: Domain;
  /**
   * The host's number within the domain, or -2 for the other form of the first one (with or without
   * www).
   */
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

  /**
   * The first domain from `index` on that other domains may link to, cyclically; -1 if none. A
   * stray link leads to the others: to those that are obscure, or that nobody means to link to.
   */
  linkedFrom(index: number, domains: number, self: number, stray: boolean): number {
    // The kinds repeat: if no domain of a block is linked to, none is.
    const last = Math.min(domains, BLOCK + 1);
    for (let i = 0; i < last; i++) {
      const candidate = (index + i) % domains;
      if (candidate === self) continue;
      const isKnown = this.kindAt(candidate).linked && !isObscure(this.world, candidate);
      if (stray ? !isKnown && getsStrays(this.world, candidate) : isKnown) return candidate;
    }
    return -1;
  }

  /**
   * A member of a kind for slot k of a domain, the first ones more often; undefined if there is
   * none.
   */
  memberFor(kind: KindName, domain: Domain, k: number): number | undefined {
    const count = this.world.layout.countOf(kind, this.world.initialDomains);
    if (count === 0) return undefined;
    const u = unit(hash(this.world.seed, TAG.member, domain.index, k));
    return this.world.layout.memberAt(kind, Math.floor(u * u * count));
  }

  /**
   * The domain and host of a host name, dead or alive; undefined if the name does not exist yet.
   */
  placeOf(hostName: string): Place | undefined {
    const parsed = this.world.names.parse(hostName);
    if (!parsed || parsed.index >= this.world.domains) return undefined;
    const { label, name, index } = parsed;
    const domain = this.domains.at(index);
    if (domain.name !== name) return undefined;
    const host = domain.hostNumber(label);
    return host === -1 && !domain.kind.anyHost ? undefined : { domain, host, label };
  }

  /** The address of a host, whatever the name server answers. */
  addressOf(hostName: string): string | undefined {
    const place = this.placeOf(hostName);
    return place && addressOf(this.world, place);
  }

  /**
   * The answer to a request for `target` (path and query) at a host; undefined if the host does not
   * exist or is dead. `seenBy` matters where pages are cloaked.
   */
  answer(
    hostName: string,
    target: string,
    secure = false,
    seenBy: Visitor = 'crawler',
  ): Answer | undefined {
    const resource = this.resourceAt(hostName, target, secure);
    return resource && this.#answerOf(resource, seenBy);
  }

  /** The resource that answers a request; undefined if the host does not exist or is dead. */
  resourceAt(hostName: string, target: string, secure = false): Resource | undefined {
    const place = this.placeOf(hostName);
    if (!place?.domain.alive) return undefined;
    const { domain, host, label } = place;
    const moved =
      host === -2
        ? domain.origin(0)
        : domain.secure !== secure
          ? domain.originOf(hostName)
          : undefined;
    if (moved !== undefined) return { is: 'other', domain, answer: redirect(301, moved + target) };
    return (
      domain.kind.resource?.(this, domain, label, target) ??
      this.plainResource(domain, label, target)
    );
  }

  /** The same without what the domain's kind adds. */
  plainResource(domain: Domain, label: string, target: string): Resource {
    const host = Math.max(0, domain.hostNumber(label));
    const file = this.#fileAnswer(domain, host, target);
    if (file) return { is: 'other', domain, answer: file };
    const page = pageOf(domain, host, target);
    const instead = page < 0 ? noPage(this, domain, target) : this.#insteadOf(domain, page);
    return instead ? { is: 'other', domain, answer: instead } : { is: 'page', domain, page };
  }

  /** Files that every host has beside its pages. */
  #fileAnswer(domain: Domain, host: number, target: string): Answer | undefined {
    if (target === '/robots.txt') return robotsOf(this, domain, host);
    if (target === '/rules.txt') return movedRobots(domain) ?? notFound();
    if (target === '/style.css') return STYLE;
    if (domain.behaviour('script')) {
      const made = this.#scriptAnswer(domain, host, target);
      if (made) return made;
    }
    if (target.startsWith('/sitemap')) return sitemapOf(domain, host, target) ?? notFound();
    if (target.startsWith('/private/'))
      return htmlAnswer(200, 'Private', 'Robots were asked not to come here.');
    return undefined;
  }

  /** What the scripts of its pages ask for, and where they go. */
  #scriptAnswer(domain: Domain, host: number, target: string): Answer | undefined {
    const next =
      domain.behaviour('script') === 'script-redirect' ? endlessRedirect(target) : undefined;
    if (next !== undefined) return { status: 200, headers: HTML_TYPE, body: next };
    const wanted = dataWanted(target);
    const page = wanted ? pageOf(domain, host, wanted.of) : -1;
    if (!wanted || page < 0 || !domain.hasPage(page)) return undefined;
    const { body } = makePage(this, domain, page);
    return { status: 200, headers: JSON_TYPE, body: scriptedData(body, wanted.part) };
  }

  #insteadOf(domain: Domain, page: number): Answer | undefined {
    return domain.hasPage(page) ? pageFault(domain, page) : graveAnswer(this, domain);
  }

  #answerOf(resource: Resource, seenBy: Visitor): Answer {
    if (resource.is === 'other') return resource.answer;
    if (resource.is === 'small') return makeSmallPage(this, resource, seenBy);
    const { domain, page, session } = resource;
    const answer = this.pageAnswer(domain, page, seenBy);
    if (session === undefined) return answer;
    const { etag: _, ...rest } = answer;
    return { ...rest, body: withSessions(domain, session, answer.body) };
  }

  /** The page itself, as its domain's servers would deliver it. */
  pageAnswer(domain: Domain, number: number, seenBy: Visitor = 'crawler'): Answer {
    if (isDocument(domain, number)) return documentAnswer(this, domain, number);
    const { headers, body: written, modified } = makePage(this, domain, number, seenBy);
    const way = scriptOf(domain, number);
    const body = way ? scriptedPage(way, written) : written;
    const cloak = seenBy === 'browser' && domain.manner?.trick === 'cloaked' ? 1 : 0;
    const etag = `"${hash(this.world.seed, TAG.page, domain.index, number, modified + cloak * 4096).toString(16)}-${modified}"`;
    const answer: Answer = { status: 200, headers, body, etag, modified: secondsOf(modified) };
    const behaviour = transferOf(domain, number);
    return behaviour ? { ...answer, behaviour } : answer;
  }

  /**
   * Where a crawl can start: the home pages of the best ranked living domains. In a web with spam,
   * the list is like one from a registry: it also has domains of any kind.
   */
  seeds(count = 10): string[] {
    const seeds: string[] = [];
    for (let index = 0; index < this.world.domains && seeds.length < count; index++) {
      const domain = this.domains.at(index);
      if (domain.kind.backbone && domain.alive) seeds.push(urlOf(domain, 0));
    }
    const any = this.world.deceitful ? Math.floor(this.world.domains / DOMAINS_A_SEED) : 0;
    for (let k = 0; k < any; k++) {
      const domain = this.domains.at(hash(this.world.seed, TAG.seed, k) % this.world.domains);
      if (domain.alive) seeds.push(urlOf(domain, 0));
    }
    return seeds;
  }

  /** Whether `allUrls` is complete: no domain deceives, invents addresses or behaves badly. */
  get finite(): boolean {
    const { kinds, behaviours } = this.world.scenario;
    const plain = [...kinds].every(
      ([kind, share]) => share === 0 || !(KINDS[kind].spam || KINDS[kind].endless),
    );
    return (
      plain &&
      [...behaviours.values()].every((shares) => [...shares.values()].every((share) => share === 0))
    );
  }

  /** Every page at this step, domain by domain; only for webs without endless kinds. */
  *allUrls(): Generator<string> {
    for (let index = 0; index < this.world.domains; index++) {
      const domain = this.domains.at(index);
      if (!domain.alive || domain.kind.spam || domain.kind.endless) continue;
      for (let page = 0; page < domain.pages; page++)
        if (domain.hasPage(page)) yield urlOf(domain, page);
    }
  }

  /** The domains that a domain links to, over all its slots at this step. */
  *neighbours(index: number): Generator<number> {
    const domain = this.domains.at(index);
    for (let k = 0; k < domain.degree; k++) {
      const { target } = edgeOf(this, domain, k);
      if (target >= 0 && target !== index) yield target;
    }
  }
}

/** Where dead pages are soft 404s, so are pages that never were. */
function noPage(web: Web, domain: Domain, target: string): Answer {
  const isSoft = domain.behaviour('page') === 'soft-404' || gravesAreSoft(web, domain);
  const missing = isSoft ? softNotFound() : notFound();
  return hopAnswer(domain, target) ?? missing;
}

const STYLE: Answer = {
  status: 200,
  headers: 'Content-Type: text/css\r\n',
  body: 'body { font-family: serif; max-width: 60em; margin: auto }\n',
};
