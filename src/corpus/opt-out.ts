/**
 * What a page says against being used: in its `<meta>` elements, its headers and the robots.txt of
 * its site.
 *
 * | where | what counts |
 * |---|---|
 * | `<meta name="robots">`, `X-Robots-Tag` | `noindex`, `none`, `noai`, `nosnippet` |
 * | `tdm-reservation` as a header or `<meta>` | `1` |
 * | `Content-Usage` as a header | any preference `=n`, such as `train-ai=n` |
 * | `Content-Usage` in robots.txt | the same, for all paths or those that it names |
 *
 * Requires  Any bytes.
 * Ensures   Time linear in the bytes. Only directives for all crawlers or for ours count. If in
 *           doubt (a `<meta>` in a comment), a page counts as opted out.
 */
import type { HeaderView } from '../fetch/exchange.ts';
import { matches, normalisePath, patternOf } from '../robots/pattern.ts';

/** Our name in directives, in lower case. */
const AGENT = 'drumlin';
const DIRECTIVES = ['noindex', 'noai', 'nosnippet'] as const;
/** How far `<meta>` elements are looked for. */
const META_WINDOW = 128 * 1024;
const META = /<meta\s[^>]{0,2000}>/gi;
const ATTRIBUTE = /([a-z-]{1,20})\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi;
/** `name: rest`. The name is a crawler's, unless it is a directive with a value. */
const NAMED = /^([a-z][\w-]*)\s*:(.*)$/s;
const WITH_VALUE = /^(?:unavailable_after|max-snippet|max-image-preview|max-video-preview)$/;

/**
 * The reasons that a page itself gives, in a fixed order, joined by commas; undefined if there is
 * none.
 */
export function optOutOf(
  headers: HeaderView,
  body: Uint8Array,
  isHtml: boolean,
): string | undefined {
  const found = new Set<string>();
  for (const line of headers.all('x-robots-tag')) addDirectives(found, line);
  if (headers.get('tdm-reservation')?.trim() === '1') found.add('tdm-reservation');
  if (headers.all('content-usage').some(isRefused)) found.add('content-usage');
  if (isHtml) addMeta(found, body);
  return joined([...found]);
}

/** The reasons of a page with that of the robots.txt of its site, if it refuses the path. */
export function withRobots(
  optOut: string | undefined,
  usages: readonly UsageRule[],
  path: string,
): string | undefined {
  if (!refusedByRobots(usages, path)) return optOut;
  return joined([...(optOut?.split(SEPARATOR) ?? []), 'content-usage in robots.txt']);
}

const SEPARATOR = ', ';
const joined = (reasons: string[]) =>
  reasons.length === 0 ? undefined : reasons.sort().join(SEPARATOR);

function addMeta(found: Set<string>, body: Uint8Array): void {
  const text = Buffer.from(body.buffer, body.byteOffset, Math.min(body.length, META_WINDOW));
  for (const [tag] of text.toString('latin1').matchAll(META)) {
    let [name, content] = ['', ''];
    for (const [, attribute, double, single, bare] of tag.matchAll(ATTRIBUTE)) {
      const value = double ?? single ?? bare;
      if (attribute.toLowerCase() === 'name') name = value.trim().toLowerCase();
      else if (attribute.toLowerCase() === 'content') content = value;
    }
    if (name === 'robots' || name === AGENT) addDirectives(found, content);
    else if (name === 'tdm-reservation' && content.trim() === '1') found.add(name);
  }
}

function addDirectives(found: Set<string>, line: string): void {
  let forUs = true;
  for (const item of line.toLowerCase().split(',')) {
    const named = NAMED.exec(item.trim());
    const addressed = named !== null && !WITH_VALUE.test(named[1]);
    if (addressed) forUs = named[1] === AGENT;
    if (!forUs) continue;
    const words = (addressed ? named[2] : item).split(/\s+/);
    for (const directive of DIRECTIVES) if (words.includes(directive)) found.add(directive);
    if (words.includes('none')) found.add('noindex');
  }
}

/** Whether a list of preferences has one with the value `n`. */
const isRefused = (preferences: string): boolean =>
  preferences.split(',').some((item) => /^\s*[\w.*-]+\s*=\s*n\s*(?:;.*)?$/i.test(item));

/** A `Content-Usage` that refuses, and the paths it is for. */
export interface UsageRule {
  readonly pattern: string;
  readonly anchored: boolean;
}

/** The refusals in a robots.txt, for all crawlers or for ours. */
export function usageRules(robots: Uint8Array): UsageRule[] {
  const rules: UsageRule[] = [];
  let forUs = true;
  let inNames = false;
  for (const line of Buffer.from(robots)
    .toString('latin1')
    .split(/\r\n?|\n/)) {
    const [, key, value] = /^\s*([\w-]+)\s*:([^#]*)/.exec(line) ?? [];
    if (key === undefined) continue;
    if (/^user-?agent$/i.test(key)) {
      const isUs = value.trim() === '*' || value.trim().toLowerCase() === AGENT;
      forUs = inNames ? forUs || isUs : isUs;
      inNames = true;
      continue;
    }
    inNames = false;
    if (!forUs || key.toLowerCase() !== 'content-usage') continue;
    const [, path = '/', preferences] = /^\s*([/*]\S*)?\s*(.*)$/s.exec(value) ?? [];
    const pattern = patternOf(Buffer.from(path, 'latin1'));
    if (pattern && isRefused(preferences))
      rules.push({ pattern: pattern.text, anchored: pattern.anchored });
  }
  return rules;
}

function refusedByRobots(rules: readonly UsageRule[], path: string): boolean {
  if (rules.length === 0) return false;
  const normal = normalisePath(path);
  return rules.some(({ pattern, anchored }) =>
    matches(pattern, 0, pattern.length, anchored, normal),
  );
}
