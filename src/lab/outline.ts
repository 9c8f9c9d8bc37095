/**
 * A page before it is written: its size, whose text it has, and its links in the order on the page.
 *
 * Size and number of links are log-normal and correlated, with the means of IRLbot's crawl: 25 KB
 * and 59 links, most of them to the same domain, a dozen repeated on every page of the site.
 * Cost      about 10 µs; nothing is cached.
 */
import type { Domain } from './domain.ts';
import type { Original } from './kind.ts';
import { LinkList } from './link-list.ts';
import { addDomainLinks, addExpansion, addOwnLinks, edgeOf, isThere } from './links.ts';
import { type Story, storyLinks } from './stories/story-book.ts';
import { editionOf, NOT_EXPANDED } from './time.ts';
import type { Web } from './web.ts';
import { exp, hash, normalOf, Random, TAG } from './words/random.ts';

const SIZE_MEDIAN = 19_300;
const SIZE_SIGMA = 0.8;
const MAX_SIZE = 400_000;
/**
 * Rewriting makes a page longer or shorter; a story adds about half of it, an expansion as much as
 * there was, in text and in links.
 */
const REWRITE_SIGMA = 0.25;
const STORY_GROWTH = 0.5;
const EXPANSION = 1;
const LINKS_MEDIAN = 39;
const LINKS_SIGMA = 0.7;
const MAX_LINKS = 600;
/** Links to other domains per link within the domain. */
const DOMAIN_LINK_SHARE = 0.14;

export interface Outline {
  readonly page: number;
  readonly original: Original;
  /** The links between menu and footer. */
  readonly links: LinkList;
  /** Approximate size in bytes. */
  readonly size: number;
  /** The step at which its text was last rewritten. */
  readonly textStep: number;
  /** The story that its text tells. */
  readonly story: Story | undefined;
}

/** `frameModified` is the last step at which menu or footer changed. */
export function outlineOf(web: Web, domain: Domain, page: number, frameModified: number): Outline {
  const { world } = web;
  const edition = editionOf(world, domain, page);
  const original = domain.kind.textOf?.(web, domain, page) ?? { domain, page, edited: 0 };
  const shape = new Random(world.seed ^ TAG.page, original.domain.index, original.page, 0);
  const choice = new Random(world.seed ^ TAG.target, domain.index, page, edition.links);
  const common = shape.normal();
  const born = SIZE_MEDIAN * exp(SIZE_SIGMA * (0.7 * common + 0.714 * shape.normal()));
  const count = Math.min(
    MAX_LINKS,
    Math.round(LINKS_MEDIAN * exp(LINKS_SIGMA * (0.7 * common + 0.714 * shape.normal()))),
  );

  const links = new LinkList(Math.max(edition.text, edition.links));
  links.touch(frameModified);
  const [own, others] = [1 - DOMAIN_LINK_SHARE, DOMAIN_LINK_SHARE].map((share) =>
    Math.round(count * share),
  );
  addOwnLinks(web, domain, page, edition.links, own, links, choice);
  addDomainLinks(web, domain, page, others, links, choice);
  if (edition.expanded !== NOT_EXPANDED) {
    const added = new Random(world.seed ^ TAG.edit, domain.index, page, edition.expanded);
    const wanted = { own: EXPANSION * own, others: EXPANSION * others };
    addExpansion(web, domain, page, edition.expanded, wanted, links, added);
  }
  if (edition.story && edition.links === edition.story.story.step)
    for (const { site, page: other } of storyLinks(world.seed, edition.story))
      links.add(web.domains.at(site), other);
  domain.kind.furnish?.(web, domain, page, links);
  if (domain.behaviour('robots')) links.addAddress(`/private/notes-${page}.html`);

  const written =
    original.domain === domain ? edition : editionOf(world, original.domain, original.page);
  const { text: textStep } = written;
  links.touch(textStep);
  const size = Math.min(MAX_SIZE, born * lengthOf(world.seed, original, written));
  return { page, original, links, size, textStep, story: written.story?.story };
}

/** How much longer a page is than when it was born: a rewritten one, and one with a story. */
function lengthOf(
  seed: number,
  { domain, page }: Original,
  { text, isRewritten, expanded, story }: ReturnType<typeof editionOf>,
): number {
  const draw = normalOf(hash(seed, TAG.edit, domain.index, page, text));
  if (!isRewritten) return 1;
  const spread = exp(REWRITE_SIGMA * draw);
  if (story) return 1 + STORY_GROWTH * spread;
  return expanded === NOT_EXPANDED ? spread : 1 + EXPANSION * spread;
}

/** The links that all pages of a domain share. */
interface FrameLinks {
  readonly menu: LinkList;
  readonly footer: LinkList;
}

export function frameLinksOf(web: Web, domain: Domain): FrameLinks {
  const menu = new LinkList(0);
  if (domain.pages > 1) menu.add(domain, 0);
  const footer = new LinkList(0);
  for (let page = 1; page <= domain.sections; page++)
    if (isThere(web, domain, page, footer)) menu.add(domain, page);
  for (let page = 1; page < domain.hosts; page++) footer.add(domain, page);
  for (let k = 0; k < Math.min(2, domain.degree); k++) {
    const { target, since } = edgeOf(web, domain, k);
    footer.touch(since);
    if (target >= 0 && target !== domain.index) footer.add(web.domains.at(target), 0);
  }
  return { menu, footer };
}
