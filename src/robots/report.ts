/**
 * What a robots.txt decides about some URLs, and why: the output of `drumlin robots`.
 *
 * Ensures   The verdicts are those of a crawl: the same rules on the same canonical URLs. Lines are
 *           quoted as written in the file.
 */

import { DrumlinError } from '../base/errors.ts';
import { canonicaliseOrReason } from '../url/canonical.ts';
import { originOf, pathOf } from '../url/parts.ts';
import { groupFor, lineOf, type RobotsGroup } from './explain.ts';
import type { RobotsRules } from './rules.ts';
import { UNREACHABLE } from './rules.ts';

export interface RobotsReport {
  /** The URL of the file after redirects. */
  readonly source: string;
  readonly status: number | null;
  readonly agent: string;
  readonly group: RobotsGroup | null;
  readonly crawlDelaySeconds: number | null;
  readonly sitemaps: readonly string[];
  readonly results: readonly RobotsResult[];
}

interface RobotsResult {
  /** The URL as given. */
  readonly url: string;
  readonly allowed: boolean;
  /** The number of the line that decided; null if none did. */
  readonly line: number | null;
  /** The text of the line that decided; null if none did. */
  readonly text: string | null;
  /** The reason, without the line. */
  readonly why: string;
}

/** A URL as given, and its path as a crawl requests it, but with an empty query if it has one. */
interface RobotsTarget {
  readonly url: string;
  readonly path: string;
}

export function robotsReport(
  file: RobotsFile,
  targets: readonly RobotsTarget[],
  agent: string,
): RobotsReport {
  const { rules, bytes, source, status } = file;
  const group = groupFor(bytes, agent);
  const results = targets.map(({ url, path }): RobotsResult => {
    const { allowed, line = null } = rules.verdict(path);
    const text = line === null ? null : lineOf(bytes, line);
    return { url, allowed, line, text, why: whyOf(path, allowed, line, file, group) };
  });
  return {
    source,
    status: status ?? null,
    agent,
    group: group ?? null,
    crawlDelaySeconds: rules.crawlDelay === undefined ? null : rules.crawlDelay / 1000,
    sitemaps: rules.sitemaps,
    results,
  };
}

/** A file applies only to its origin. A file from disk has no URL, so it applies to any origin. */
export function robotsTarget(url: string, fileUrl: string | undefined): RobotsTarget {
  const origin = fileUrl === undefined ? 'http://localhost' : originOf(fileUrl);
  const target = canonicaliseOrReason(url.startsWith('/') ? origin + url : url);
  if (typeof target !== 'string') {
    throw new DrumlinError(
      'URL',
      `${JSON.stringify(url)} cannot be checked: ${target.fact}`,
      'Write it like https://example.org/page, or a path like /page.',
    );
  }
  const path = pathOf(target) + (hasEmptyQuery(url) ? '?' : '');
  if (fileUrl === undefined || originOf(target) === origin) return { url, path };
  throw new DrumlinError(
    'URL',
    `${originOf(target)} has its own robots.txt; this one belongs to ${origin}.`,
    'Check that one, or give only a path.',
  );
}

/** A canonical URL has no empty query, but a rule such as `/search?` is about one. */
const hasEmptyQuery = (url: string): boolean => /^[^?#]*\?(?:#|$)/.test(url.trim());

function whyOf(
  path: string,
  allowed: boolean,
  line: number | null,
  { rules, why }: RobotsFile,
  group: RobotsGroup | undefined,
): string {
  if (rules === UNREACHABLE)
    return `robots.txt cannot be fetched (${why}), which forbids everything`;
  if (why !== undefined) return `there is no robots.txt (${why}), which allows everything`;
  if (path === '/robots.txt') return 'robots.txt itself is always allowed';
  if (group === undefined) return 'no group applies';
  const where = `the group for ${group.agent}, line ${group.lines.join(', ')}`;
  if (line !== null) return where;
  return allowed ? `no rule applies in ${where}` : `the rules take too long to match in ${where}`;
}

/** A robots.txt, or its absence, and what it means for a crawler. */
export interface RobotsFile {
  readonly rules: RobotsRules;
  /** The file; empty if there is none. */
  readonly bytes: Uint8Array;
  /** The source of the answer: the URL after redirects, or the name of a file. */
  readonly source: string;
  readonly status?: number;
  /** Why there is no file; absent if there is one. */
  readonly why?: string;
}
