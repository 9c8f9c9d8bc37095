/**
 * What a page asks of crawlers: `<meta name="robots">` and the `X-Robots-Tag` header.
 *
 * Both are lists of directives. A header may first name the crawler that it addresses (`googlebot:
 * nofollow`). Directives for all crawlers and for us apply together, so the strictest wins.
 * Directives about search indexes are ignored.
 */
export interface RobotsDirectives {
  readonly noindex: boolean;
  readonly nofollow: boolean;
}

export const NO_DIRECTIVES: RobotsDirectives = { noindex: false, nofollow: false };

/** `name: rest`. The name is a crawler's, unless it is a directive with a value. */
const NAMED = /^([a-z][\w-]*)\s*:(.*)$/s;
const WITH_VALUE = /^(?:unavailable_after|max-snippet|max-image-preview|max-video-preview)$/;

/** Adds the directives of one header line or of one `content` to those already known. */
export function addDirectives(
  known: RobotsDirectives,
  line: string,
  agent: string,
): RobotsDirectives {
  let { noindex, nofollow } = known;
  let forUs = true;
  for (const item of line.toLowerCase().split(',')) {
    const named = NAMED.exec(item.trim());
    const addressed = named !== null && !WITH_VALUE.test(named[1]);
    if (addressed) forUs = named[1] === agent;
    if (!forUs) continue;
    const words = (addressed ? named[2] : item).split(/\s+/);
    const none = words.includes('none');
    noindex ||= none || words.includes('noindex');
    nofollow ||= none || words.includes('nofollow');
  }
  return { noindex, nofollow };
}
