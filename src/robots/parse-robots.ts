/**
 * Parses robots.txt according to RFC 9309: which paths of an origin a crawler may fetch.
 *
 * Idea      One pass over the bytes keeps only the rules of the groups that name us, and those of
 *           `*` in case there are none. The result is `RobotsRules`, which can be stored.
 * Requires  The decoded body of a response. Any bytes are accepted.
 * Ensures   No input makes it fail. Records that the RFC does not define, such as Crawl-delay, do
 *           not end a group.
 * Cost      Linear in the file.
 */
import type { Bytes, Millis } from '../base/units.ts';
import { agentName, forEachRobotsLine, MAX_ROBOTS_BYTES, utf8 } from './lines.ts';
import { type PathPattern, patternOf } from './pattern.ts';
import { type RobotsRule, type RobotsRules, rulesOf, UNREACHABLE } from './rules.ts';

export { type RobotsRules, type RobotsVerdict, rulesFromBytes, UNREACHABLE } from './rules.ts';

interface RobotsOptions {
  /** How much of a file to read; the RFC requires at least 500 KiB. */
  readonly maxBytes?: Bytes;
}

/**
 * The meaning of a response to a request for robots.txt. The caller follows redirects; one without
 * a target counts as no file. A 429 asks the crawler to stay away for a while and permits nothing,
 * so it counts as unreachable.
 */
export function robotsFromResponse(
  status: number,
  body: Uint8Array,
  productToken: string,
  options: RobotsOptions = {},
): RobotsRules {
  if (status >= 500 || status === 429) return UNREACHABLE;
  return parseRobots(
    status >= 200 && status < 300 ? body : new Uint8Array(),
    productToken,
    options,
  );
}

/** The rules and the delay of all groups that name one agent. */
interface Group {
  named: boolean;
  readonly rules: RobotsRule[];
  delay: Millis | undefined;
}

export function parseRobots(
  bytes: Uint8Array,
  productToken: string,
  options: RobotsOptions = {},
): RobotsRules {
  const ours: Group = { named: false, rules: [], delay: undefined };
  const everybody: Group = { named: false, rules: [], delay: undefined };
  const sitemaps: string[] = [];
  const token = productToken.toLowerCase();
  // The groups of the next rule, and of the next delay. A delay ends its list of names, but not the
  // group.
  let addressed = new Set<Group>();
  let delayed = new Set<Group>();
  let inNames = false;
  let inDelayNames = false;

  // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one branch for each key.
  forEachRobotsLine(bytes, options.maxBytes ?? MAX_ROBOTS_BYTES, (key, from, to, line) => {
    if (key === 'user-agent') {
      if (!inNames) addressed = new Set();
      if (!inDelayNames) delayed = new Set();
      inNames = true;
      inDelayNames = true;
      const name = agentName(utf8(bytes, from, to));
      const group = name === '*' ? everybody : name === token ? ours : undefined;
      if (group === undefined) return;
      group.named = true;
      addressed.add(group);
      delayed.add(group);
    } else if (key === 'allow' || key === 'disallow') {
      inNames = false;
      inDelayNames = false;
      if (addressed.size === 0) return;
      const pattern = patternOf(bytes.subarray(from, to));
      if (pattern === undefined) return;
      const rule = ruleOf(key === 'allow', pattern, bytes.subarray(from, to), line);
      for (const group of addressed) group.rules.push(rule);
    } else if (key === 'crawl-delay') {
      inDelayNames = false;
      const delay = delayOf(utf8(bytes, from, to));
      if (delay !== undefined)
        for (const group of delayed) group.delay = Math.max(group.delay ?? 0, delay);
    } else if (to > from) {
      sitemaps.push(utf8(bytes, from, to));
    }
  });
  const { rules, delay } = ours.named ? ours : everybody;
  return rulesOf(rules, delay, sitemaps);
}

function ruleOf(allow: boolean, pattern: PathPattern, value: Uint8Array, line: number): RobotsRule {
  return { ...pattern, allow, line, written: Buffer.from(value).toString('latin1') };
}

function delayOf(value: string): Millis | undefined {
  return /^(\d{1,9}(\.\d{0,9})?|\.\d{1,9})$/.test(value)
    ? Math.round(Number(value) * 1000)
    : undefined;
}
