/**
 * Which domains and pages link to which.
 *
 * Between domains: domain i has `degree` slots. Slot k points at a domain drawn by rank with weight
 * (rank + 5)^-0.9, a third of the time within i's own community. So in-degree has a tail like a
 * power law of exponent 2.1. Size and degree fall with the same rank, so in- and out-degree are
 * correlated (IRLbot's and ClueWeb's domain graphs show both). Each slot is on a page: the domain
 * graph is exactly what a full crawl of the pages finds.
 *
 * Within a domain: a menu to the section fronts, a tree of eight children a page, the next living
 * page, and random ones. The chain of next pages makes every living page reachable from the home
 * page; the chain of neighbours on home pages does the same for honest domains.
 */
import type { Domain } from './domain.ts';
import type { LinkList } from './link-list.ts';
import { isDocument } from './paths.ts';
import { spamFor } from './spam-kinds.ts';
import { endedFrom, pageBirth, pageDeath, pagesAt } from './time.ts';
import { isStray, isUnknown, wasHonest } from './tricks/company.ts';
import { carriesSpam } from './tricks/manner.ts';
import type { Web } from './web.ts';
import { below, hash, type Random, TAG, unit } from './words/random.ts';
import { RANK_SHIFT } from './world.ts';

const BRANCHING = 8;
/**
 * How far the chains look for the next living page or domain; beyond it they start over at the next
 * edge of the tree.
 */
const LOOK_AHEAD = 400;
const MAX_SLOTS_A_PAGE = 120;
/** Comment links per page, on a domain that is not maintained. */
const COMMENTS_A_PAGE = 12;
/** Links that spammers hide on a page of a compromised site. */
const CARRIED_LINKS = 3;

/** Where slot k of a domain points, and since which step. */
export function edgeOf(web: Web, domain: Domain, k: number): { target: number; since: number } {
  const { world } = web;
  const own = domain.kind.target?.(web, domain, k);
  if (own !== undefined)
    return { target: own, since: domain.kind.restless ? world.step : slotSince(web, domain, k) };
  const since = slotSince(web, domain, k);
  const draw = hash(world.seed, TAG.target, domain.index, k, since);
  const stray = isStray(world, domain.index, k, since);
  return { target: drawByRank(web, domain, draw, since, stray), since };
}

/** Each slot changes every year or two, at its own time. */
function slotSince(web: Web, domain: Domain, k: number): number {
  const birth = web.world.birthOf(domain.index);
  if (web.world.step === birth) return birth;
  const draw = hash(web.world.seed, TAG.target, domain.index, k, -1);
  const period = 9 + (draw % 40);
  const phase = (draw >>> 8) % period;
  const turn = Math.floor((web.world.step - birth + phase) / period);
  return turn === 0 ? birth : birth + turn * period - phase;
}

/**
 * Draws a domain that may be linked to, by rank as of `step`, with weight (rank + 5)^-0.9. It
 * inverts the integral, whose tenth power is exact where a general power would not be.
 */
function drawByRank(web: Web, domain: Domain, draw: number, step: number, stray: boolean): number {
  const { world } = web;
  const domains = world.domainsAt(step);
  const [low, high] = world.rankRoots(step);
  const x = low + (high - low) * unit(draw);
  const square = x * x;
  let index = Math.min(
    domains - 1,
    Math.max(0, Math.floor(square * square * square * square * square) - RANK_SHIFT),
  );
  if (draw % 3 === 0 && domains > 2 * world.communities) {
    index += domain.community - (index % world.communities);
    if (index >= domains) index -= world.communities;
  }
  return web.linkedFrom(index, domains, domain.index, stray);
}

/**
 * Adds the domain links of a page: the slots assigned to it, then some of the domain's favourites.
 */
export function addDomainLinks(
  web: Web,
  domain: Domain,
  page: number,
  wanted: number,
  links: LinkList,
  random: Random,
): void {
  const degree = domain.degree;
  const stride = domain.initialPages;
  let added = 0;
  for (let k = page; k < degree && added < MAX_SLOTS_A_PAGE; k += stride)
    added += addSlot(web, domain, page, k, links);
  addFavourites(web, domain, page, wanted - added, links, random);
  if (page === 0 && domain.kind.backbone) addNeighbours(web, domain, links);
  if (!domain.kind.spam) addComments(web, domain, page, links);
}

/** Adds links to domains that this one often links to. */
function addFavourites(
  web: Web,
  domain: Domain,
  page: number,
  wanted: number,
  links: LinkList,
  random: Random,
): void {
  for (let left = wanted; left > 0 && domain.degree > 0; left--) {
    const u = random.unit();
    addSlot(web, domain, page, Math.floor(u * u * domain.degree), links);
  }
}

/** Adds what the author of a page links to when it is expanded: old pages here and elsewhere. */
export function addExpansion(
  web: Web,
  domain: Domain,
  page: number,
  step: number,
  wanted: { readonly own: number; readonly others: number },
  links: LinkList,
  random: Random,
): void {
  addAny(web, domain, step, wanted.own, links, random);
  addFavourites(web, domain, page, wanted.others, links, random);
}

function addSlot(web: Web, domain: Domain, page: number, k: number, links: LinkList): number {
  const { target, since } = edgeOf(web, domain, k);
  links.touch(since);
  if (target < 0 || target === domain.index) return 0;
  const other = web.domains.at(target);
  const draw = hash(web.world.seed, TAG.deep, domain.index, k, page);
  const deep = draw % 10 < 4 ? below(hash(draw, 1, k), Math.min(other.initialPages, 2000)) : 0;
  links.add(other, deep);
  return 1;
}

/**
 * If there are spammers, they write where anyone can: one page in two hundred has a link to spam,
 * and one domain in five hundred is not maintained, with every page full of them. An attack fills
 * pages of giants, too.
 */
function addComments(web: Web, domain: Domain, page: number, links: LinkList): void {
  const { seed } = web.world;
  const untended =
    domain.kind.name !== 'giant' && hash(seed, TAG.comment, domain.index) % 500 === 0;
  const overrun =
    domain.kind.name === 'giant' &&
    unit(hash(seed, TAG.comment, domain.index, page, 2)) < web.world.scenario.giantComments;
  const comments =
    untended || overrun
      ? COMMENTS_A_PAGE
      : hash(seed, TAG.comment, domain.index, page, 1) % 200
        ? 0
        : 1;
  for (let i = 0; i < comments; i++) {
    const spam = spamFor(web, domain, page * COMMENTS_A_PAGE + i);
    if (spam !== undefined) links.add(web.domains.at(spam), 0);
  }
  if (!carriesSpam(seed, domain.index, page, domain.manner)) return;
  for (let i = 0; i < CARRIED_LINKS; i++) {
    const spam = spamFor(web, domain, -1 - i);
    if (spam !== undefined) links.add(web.domains.at(spam), 0);
  }
}

/**
 * Adds the domains up to and including the next living backbone domain, without spam unless a
 * neighbour became spam unnoticed.
 */
function addNeighbours(web: Web, domain: Domain, links: LinkList): void {
  const last = Math.min(web.world.domains - 1, domain.index + LOOK_AHEAD);
  for (let index = domain.index + 1; index <= last; index++) {
    const kind = web.kindAt(index);
    if (kind.spam && !wasHonest(web.world, index)) continue;
    const other = web.domains.at(index);
    if (isUnknown(other)) continue;
    links.touch(web.world.birthOf(index));
    if (!other.alive) {
      links.touch(other.death);
      continue;
    }
    links.add(other, 0);
    if (kind.backbone) return;
  }
}

/**
 * Adds the links of a page into its own domain: children, the next living page, the one before,
 * random ones.
 */
export function addOwnLinks(
  web: Web,
  domain: Domain,
  page: number,
  chosenAt: number,
  wanted: number,
  links: LinkList,
  random: Random,
): void {
  const before = links.length;
  const next = addNext(web, domain, page, links);
  for (let c = page * BRANCHING + 1; c <= page * BRANCHING + BRANCHING && c < domain.pages; c++) {
    if (c > next && isThere(web, domain, c, links)) links.add(domain, c);
  }
  addAny(web, domain, chosenAt, wanted - (links.length - before), links, random);
}

/** Adds links to any pages of the domain, old ones more often. */
function addAny(
  web: Web,
  domain: Domain,
  chosenAt: number,
  wanted: number,
  links: LinkList,
  random: Random,
): void {
  const pages = pagesAt(web.world, domain, chosenAt);
  for (let left = wanted; left > 0 && pages > 1; left--) {
    const u = random.unit();
    const other = Math.floor(u * u * pages);
    // A link is never chosen after its page died; one chosen before is a dead link, as on the real
    // web.
    if (web.world.step === 0 || pageDeath(web.world, domain, other) > chosenAt)
      links.add(domain, other);
  }
}

/**
 * Links the following pages, up to and including the first living one that has links itself.
 * Returns that one's number.
 */
function addNext(web: Web, domain: Domain, page: number, links: LinkList): number {
  let next = page + 1;
  for (let looked = 0; next < domain.pages && looked < LOOK_AHEAD; looked++) {
    const ended = web.world.step > 0 ? endedFrom(web.world, domain, next) : undefined;
    if (ended) {
      links.touch(ended.step);
      next = ended.until;
      continue;
    }
    if (isThere(web, domain, next, links)) {
      links.add(domain, next);
      if (!isDocument(domain, next)) break;
    }
    next++;
  }
  return next;
}

/** Whether the page is alive; the list notes since when. */
export function isThere(web: Web, domain: Domain, page: number, links: LinkList): boolean {
  if (web.world.step === 0) return true;
  links.touch(pageBirth(web.world, domain, page));
  const death = pageDeath(web.world, domain, page);
  if (death <= web.world.step) links.touch(death);
  return death > web.world.step;
}
