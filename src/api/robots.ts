/**
 * robots.txt by RFC 9309: may a crawler fetch a URL, and which line decides?
 *
 * @example
 * ```ts
 * import { parseRobots } from 'drumlin/robots';
 *
 * const robots = parseRobots('User-agent: *\nDisallow: /private/\nCrawl-delay: 2', 'my-crawler');
 * console.log(robots.allowed('https://example.org/private/x')); // false
 * console.log(robots.explain('/private/x').rule); // Disallow: /private/
 * console.log(robots.crawlDelay); // 2000
 * ```
 *
 * @module robots
 */
import { type RobotsGroup as Group, groupFor } from '../robots/explain.ts';
import { parseRobots as parse, robotsFromResponse } from '../robots/parse-robots.ts';
import { robotsTarget } from '../robots/report.ts';
import type { RobotsRules } from '../robots/rules.ts';

export { DrumlinError, EXIT, type ExitCode } from '../base/errors.ts';

/** The rules of one robots.txt for one crawler. */
export interface Robots {
  /**
   * Whether the crawler may fetch a URL.
   *
   * @param url An absolute URL of the origin that the file belongs to, or a path such as `/a?b=c`.
   * @throws DrumlinError if the text is neither.
   */
  allowed(url: string): boolean;
  /**
   * The same with the line that decided.
   *
   * @param url An absolute URL of the origin that the file belongs to, or a path such as `/a?b=c`.
   * @throws DrumlinError if the text is neither.
   */
  explain(url: string): RobotsVerdict;
  /** The pause that the file asks for between two requests, in milliseconds. */
  readonly crawlDelay: number | undefined;
  /** The sitemaps that the file names, as they are written. */
  readonly sitemaps: readonly string[];
  /** The group of rules that applies to the crawler; undefined if none does. */
  readonly group: RobotsGroup | undefined;
}

/** Whether a URL may be fetched, and why. */
export interface RobotsVerdict {
  /** Whether the URL may be fetched. */
  readonly allowed: boolean;
  /** The number of the line that decided, counted from 1; absent if no rule applies. */
  readonly line?: number;
  /** The rule on that line, such as `Disallow: /private/`; absent if no rule applies. */
  readonly rule?: string;
}

/** The group of rules that applies to a crawler. */
export interface RobotsGroup {
  /** The name in its User-agent lines: that of the crawler in lower case, or `*`. */
  readonly agent: string;
  /** The numbers of its User-agent lines, counted from 1. */
  readonly lines: readonly number[];
}

/**
 * Reads a robots.txt. No input makes it fail: lines that mean nothing are skipped.
 *
 * @param file The text or the bytes of the file. Only the first 500 KiB are read.
 * @param agent The product token of the crawler, such as `my-crawler`. Case does not matter.
 */
export function parseRobots(file: string | Uint8Array, agent: string): Robots {
  const bytes = typeof file === 'string' ? Buffer.from(file) : file;
  return faceOf(parse(bytes, agent), groupFor(bytes, agent));
}

/**
 * Reads the response to a request for a robots.txt, as RFC 9309 asks.
 *
 * A file that does not exist (4xx) allows everything. A server error (5xx) and status 429 forbid
 * everything, because the file exists but cannot be fetched now.
 *
 * @param status The HTTP status, after redirects.
 * @param body The body without content coding.
 * @param agent The product token of the crawler, such as `my-crawler`. Case does not matter.
 */
export function robotsOfResponse(status: number, body: Uint8Array, agent: string): Robots {
  const isFile = status >= 200 && status < 300;
  return faceOf(
    robotsFromResponse(status, body, agent),
    isFile ? groupFor(body, agent) : undefined,
  );
}

function faceOf(rules: RobotsRules, group: Group | undefined): Robots {
  const explain = (url: string) => rules.verdict(robotsTarget(url, undefined).path);
  return {
    allowed: (url) => explain(url).allowed,
    explain,
    crawlDelay: rules.crawlDelay,
    sitemaps: rules.sitemaps,
    group,
  };
}
