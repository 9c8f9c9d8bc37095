/**
 * What the attributes of an element tell about its text: `role`, `itemprop`, `class`, `id`,
 * `style`, `hidden`, `aria-hidden`.
 *
 * Idea      the same few classes occur again and again, so the answer for each is remembered.
 * Cost      one look-up a class; at most `REMEMBERED` answers are kept.
 */
import { PLACE } from './block.ts';

/** The element and all it holds is not shown. Beside the bits of `PLACE`. */
export const HIDDEN = 1 << 20;

const REMEMBERED = 4096;
const LONGEST = 256;

const ASIDE =
  /\b(?:nav(?:bar|igation)?|menu|breadcrumbs?|crumbs?|footer|foot|masthead|header|sidebar|side-?bar|pagination|pager|share|sharing|social|related\w*|recommended|recirc|trending|popular|most-?(?:read|viewed)|toolbar|toolbox|tags?|tagcloud|widget|newsletter|signup|subscribe|login|search|promo|outbrain|taboola|teaser|rail|byline|dateline|timestamp|tools|skip-?link|copyright|language-?switch|follow|captions?|credits?|cutline|pull-?quotes?)\b/i;
const NOTICE =
  /\b(?:cookies?(?:-?(?:bar|banner|notice|consent|law|policy|message))?|consent|gdpr|ccpa|popup|modal|overlay|lightbox|ads?|advert(?:isement)?s?|banner|sponsor(?:ed)?|adsense|ad-?(?:slot|unit|box|container)|disclaimer|paywall|tooltip|screen-?reader-?text|sr-only|visually-?hidden|noprint|no-print)\b/i;
const COMMENT =
  /\b(?:comment(?!ar)\w*|disqus|livefyre|replies|reply|respond|talkback|discussion)\b/i;
const CONTENT =
  /\b(?:article|content|story|post|entry|main|body|text|page|hentry|blog|news|(?:article|story|post|entry|main|page|body)-?(?:body|content|text|copy))\b/i;
const ASIDE_ROLE =
  /^(?:navigation|banner|contentinfo|complementary|search|menu|menubar|toolbar|tablist|dialog|alertdialog|alert|form|button)$/i;
const MAIN_ROLE = /^(?:main|article)$/i;
const MAIN_ITEM = /\b(?:articleBody|text|description|reviewBody|recipeInstructions|blogPost)\b/;
/** Not displayed, not visible, or so far to the side that no screen shows it. */
const NOT_SHOWN =
  /display\s*:\s*none|visibility\s*:\s*hidden|(?:left|top|text-indent)\s*:\s*-\d{4}/i;
const COLOUR = /(?:^|;)\s*color\s*:\s*([^;]+)/i;
const BACKGROUND = /(?:^|;)\s*background(?:-color)?\s*:\s*([^;]+)/i;

/** Names in `camelCase` and `snake_case` become words with hyphens. */
function parted(names: string): string {
  return names.replace(/([a-z])([A-Z])/g, '$1-$2').replaceAll('_', '-');
}

const remembered = new Map<string, number>();

/** The bits of `PLACE` that a `class` or an `id` suggests. */
export function placeOfName(names: string): number {
  if (names.length > LONGEST) return 0;
  const known = remembered.get(names);
  if (known !== undefined) return known;
  const text = parted(names);
  const place =
    (ASIDE.test(text) ? PLACE.aside : 0) |
    (NOTICE.test(text) ? PLACE.notice : 0) |
    (COMMENT.test(text) ? PLACE.comment : 0) |
    (CONTENT.test(text) ? PLACE.content : 0);
  if (remembered.size >= REMEMBERED) remembered.clear();
  remembered.set(names, place);
  return place;
}

/** The bits of a `role`. */
export function placeOfRole(role: string): number {
  if (MAIN_ROLE.test(role)) return PLACE.main;
  return ASIDE_ROLE.test(role) ? PLACE.aside : 0;
}

/** The bits of an `itemprop`. */
export function placeOfItem(item: string): number {
  return MAIN_ITEM.test(item) ? PLACE.main : 0;
}

/** Whether a `style` hides its element. */
export function isHiddenStyle(style: string): boolean {
  if (style.length > LONGEST) return false;
  return NOT_SHOWN.test(style) || isInvisible(style);
}

/** Whether a `style` gives text the colour of what is behind it. */
function isInvisible(style: string): boolean {
  const colour = COLOUR.exec(style)?.[1].trim().toLowerCase();
  return colour !== undefined && BACKGROUND.exec(style)?.[1].trim().toLowerCase() === colour;
}
