/**
 * Stories: what is in the news of a topic in a month, on which pages.
 *
 * Idea      A topic has one or two stories a month, and some more while it is in the news. A story
 *           has a name, two words of its topic that it is about, and 10 to 60 pages on several
 *           sites in one language. A few of its pages are new, most are old ones that are
 *           rewritten. They link to each other, most often to the few main ones, and to old pages
 *           of their sites.
 * Requires  Nothing stored: everything is drawn by hashes, so the stories of a step are the same
 *           at every later step.
 * Ensures   A page is in at most one story of a step. Webs that are too small have no stories.
 * Cost      About 0.2 ms a story, when its topic is first asked for.
 */
import { below, hash, TAG, unit } from '../words/random.ts';

/** A site as stories see it. */
export interface StorySite {
  readonly index: number;
  readonly language: number;
  /** Pages born by a step. */
  pagesAt(step: number): number;
  /** Whether a page can tell a story at a step: it is there, it is HTML and no front. */
  tells(page: number, step: number): boolean;
}

/** What stories need to know of a web. */
interface Newsroom {
  readonly seed: number;
  readonly step: number;
  isBurst(topic: number, step: number): boolean;
  /** A living honest site of a topic, by rank in [0, 1); undefined if there is none there. */
  siteAt(topic: number, step: number, rank: number, draw: number): StorySite | undefined;
}

interface StoryPage {
  readonly site: number;
  readonly page: number;
  readonly isNew: boolean;
}

export interface Story {
  readonly topic: number;
  /** The step at which its pages are new or rewritten. */
  readonly step: number;
  /** Its number among the stories of its topic and step. */
  readonly number: number;
  readonly language: number;
  /** Names are invented from this number. */
  readonly name: number;
  /** The two words that it is about: places in the list of the topic's words. */
  readonly theme: readonly [number, number];
  /** The main pages first. */
  readonly pages: readonly StoryPage[];
  /** Old pages of its sites that it refers to. */
  readonly background: readonly StoryLink[];
}

interface StoryLink {
  readonly site: number;
  readonly page: number;
}

export interface Told {
  readonly story: Story;
  /** The place of the page in the story. */
  readonly place: number;
}

/** The words from which names of stories are invented. */
export const STORY_NAMES = 0x5709e;

const LEAST_PAGES = 10;
const MOST_PAGES = 60;
const LEAST_SITES = 3;
const MOST_SITES = 8;
/** Stories of a topic that is in the news: from three to five. */
const BURST_STORIES = 3;
/** Share of the pages of a site that a story may take. */
const MOST_SHARE = 0.2;
const NEW_SHARE = 0.3;
const TRIES = 80;
/** Languages that are tried: a rare one may have too few sites. */
const ATTEMPTS = 4;
/** Old pages of each site that a story refers to. */
const BACKGROUND = 4;
/** The common words of a topic, without the few that every page is full of. */
const [FIRST_THEME, THEMES] = [3, 12];

export class StoryBook {
  readonly #web: Newsroom;
  readonly #topics = new Map<number, Chapter>();

  constructor(web: Newsroom) {
    this.#web = web;
  }

  /** All stories of a topic so far. */
  of(topic: number): readonly Story[] {
    return this.#chapter(topic).stories;
  }

  /** The story that a page tells from a step on, with its place there. */
  toldAt(topic: number, site: number, page: number, step: number): Told | undefined {
    if (step === 0) return undefined;
    const told = this.#chapter(topic).told.get(keyOf(site, page));
    return told?.find(({ story }) => story.step === step);
  }

  #chapter(topic: number): Chapter {
    let chapter = this.#topics.get(topic);
    if (!chapter) {
      chapter = writeChapter(this.#web, topic);
      this.#topics.set(topic, chapter);
    }
    return chapter;
  }
}

interface Chapter {
  readonly stories: readonly Story[];
  readonly told: ReadonlyMap<number, readonly Told[]>;
}

const keyOf = (site: number, page: number): number => site * 2 ** 20 + page;

function writeChapter(web: Newsroom, topic: number): Chapter {
  const stories: Story[] = [];
  const told = new Map<number, Told[]>();
  for (let step = 1; step <= web.step; step++) {
    const draw = hash(web.seed, TAG.story, topic, step);
    const count = web.isBurst(topic, step) ? BURST_STORIES + (draw % 3) : 1 + (draw % 2);
    for (let number = 0; number < count; number++) {
      const isFree = (site: number, page: number): boolean =>
        !told.get(keyOf(site, page))?.some(({ story }) => story.step === step);
      const story = writeStory(web, topic, step, number, isFree);
      if (!story) continue;
      stories.push(story);
      for (const [place, { site, page }] of story.pages.entries()) {
        const key = keyOf(site, page);
        told.set(key, [...(told.get(key) ?? []), { story, place }]);
      }
    }
  }
  return { stories, told };
}

function writeStory(
  web: Newsroom,
  topic: number,
  step: number,
  number: number,
  isFree: (site: number, page: number) => boolean,
): Story | undefined {
  const draw = (a: number, b = 0): number =>
    hash(web.seed ^ TAG.story, topic * 1024 + number, step, a, b);
  let sites: readonly StorySite[] = [];
  for (let attempt = 0; attempt < ATTEMPTS && sites.length < LEAST_SITES; attempt++)
    sites = sitesOf(web, topic, step, attempt, draw);
  if (sites.length < LEAST_SITES) return undefined;
  const size = LEAST_PAGES + below(draw(1), MOST_PAGES - LEAST_PAGES + 1);
  const pages: StoryPage[] = [];
  for (const [i, site] of sites.entries()) {
    const wanted = Math.ceil((size - pages.length) / (sites.length - i));
    pages.push(...pagesOf(site, step, wanted, (k) => draw(2 + i, k), isFree));
  }
  const telling = new Set(pages.map(({ site }) => site));
  if (pages.length < LEAST_PAGES || telling.size < LEAST_SITES) return undefined;
  const first = below(draw(20), THEMES);
  const second = (first + 1 + below(draw(21), THEMES - 1)) % THEMES;
  const taken = new Set(pages.map(({ site, page }) => keyOf(site, page)));
  const background = sites.flatMap((site, i) =>
    pagesOf(site, step, BACKGROUND, (k) => draw(40 + i, k), isFree)
      .filter(({ isNew, page }) => !isNew && !taken.has(keyOf(site.index, page)))
      .map(({ page }) => ({ site: site.index, page })),
  );
  return {
    ...{ topic, step, number, background, language: sites[0].language, name: draw(22) },
    theme: [FIRST_THEME + first, FIRST_THEME + second],
    // New pages were written for the story: they are the main ones.
    pages: pages.sort((a, b) => Number(b.isNew) - Number(a.isNew)),
  };
}

/** Sites in the language of the first one, larger ones more often. */
function sitesOf(
  web: Newsroom,
  topic: number,
  step: number,
  attempt: number,
  draw: (a: number, b?: number) => number,
): StorySite[] {
  const sites = new Map<number, StorySite>();
  const wanted = LEAST_SITES + below(draw(0), MOST_SITES - LEAST_SITES + 1);
  let language: number | undefined;
  for (let k = attempt * TRIES; k < (attempt + 1) * TRIES && sites.size < wanted; k++) {
    const u = unit(draw(30, k));
    const site = web.siteAt(topic, step, u * u, draw(31, k));
    if (!site || site.pagesAt(step) * MOST_SHARE < 1) continue;
    language ??= site.language;
    if (site.language === language) sites.set(site.index, site);
  }
  return [...sites.values()];
}

function pagesOf(
  site: StorySite,
  step: number,
  wanted: number,
  draw: (k: number) => number,
  isFree: (site: number, page: number) => boolean,
): StoryPage[] {
  const [old, all] = [site.pagesAt(step - 1), site.pagesAt(step)];
  const most = Math.min(wanted, Math.floor(all * MOST_SHARE));
  const chosen = new Map<number, StoryPage>();
  const take = (page: number, isNew: boolean): void => {
    if (isFree(site.index, page) && site.tells(page, step))
      chosen.set(page, { site: site.index, page, isNew });
  };
  const fresh = Math.floor(most * NEW_SHARE + unit(draw(99)));
  for (let k = 0; k < TRIES && all > old && chosen.size < fresh; k++)
    take(old + below(draw(k), all - old), true);
  for (let k = 0; k < TRIES && chosen.size < most; k++) take(below(draw(100 + k), old), false);
  return [...chosen.values()];
}

/** Pages that a story's pages link to most often. */
const MAIN_PAGES = 3;

/** What a page of a story links to because of it: its main pages, other pages, old pages. */
export function storyLinks(seed: number, { story, place }: Told): StoryLink[] {
  const { pages, name, background } = story;
  const draw = (a: number, b = 0): number => hash(seed ^ TAG.story, name, place, a, b);
  const links = new Map<number, StoryLink>();
  const add = (target: number): void => {
    if (target !== place) links.set(target, pages[target]);
  };
  const main = Math.min(MAIN_PAGES, pages.length);
  const wanted = 3 + (draw(0) % 5);
  for (let k = 0; k < wanted; k++)
    add(draw(1, k) % 2 === 0 ? below(draw(2, k), main) : below(draw(3, k), pages.length));
  const old = background.length > 0 ? 1 + (draw(4) % 3) : 0;
  const others = Array.from(
    { length: old },
    (_, k) => background[below(draw(5, k), background.length)],
  );
  return [...links.values(), ...others];
}
