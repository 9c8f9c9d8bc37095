/**
 * What a robots.txt says about some URLs, and why: the answer of `drumlin robots`.
 *
 * Ensures   verdicts are a crawl's own: the same rules on the same canonical URLs. Lines are quoted as they stand in the file.
 */

import { DrumlinError } from '../base/errors.ts';
import { canonicaliseOrReason } from '../url/canonical.ts';
import { originOf, pathOf } from '../url/parts.ts';
import { groupFor, lineOf, type RobotsGroup } from './explain.ts';
import type { RobotsRules } from './rules.ts';
import { UNREACHABLE } from './rules.ts';

export interface RobotsReport {
  /** Where the file came from, after redirects. */
  readonly source: string;
  readonly status: number | null;
  readonly agent: string;
  readonly group: RobotsGroup | null;
  readonly crawlDelaySeconds: number | null;
  readonly sitemaps: readonly string[];
  readonly results: readonly RobotsResult[];
}

export interface RobotsResult {
  /** As it was given. */
  readonly url: string;
  readonly allowed: boolean;
  /** The line that decided, and what stands there. */
  readonly line: number | null;
  readonly text: string | null;
  /** In words, without the line. */
  readonly why: string;
}

/** A URL as it was given, and its path as a crawl would ask for it. */
export interface RobotsTarget {
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

/** A file speaks for its origin alone; one from the disk, with no URL of its own, for whichever is asked about. */
export function robotsTarget(url: string, fileUrl: string | undefined): RobotsTarget {
  const origin = fileUrl === undefined ? 'http://localhost' : originOf(fileUrl);
  const target = canonicaliseOrReason(url.startsWith('/') ? origin + url : url);
  if (typeof target !== 'string') {
    throw new DrumlinError(
      'URL',
      `${JSON.stringify(url)} cannot be asked about: ${target.fact}`,
      'Write it like https://example.org/page, or a path like /page.',
    );
  }
  if (fileUrl === undefined || originOf(target) === origin) return { url, path: pathOf(target) };
  throw new DrumlinError(
    'URL',
    `${originOf(target)} has a robots.txt of its own, which is not that of ${origin}.`,
    'Ask for that one; or give the path alone.',
  );
}

function whyOf(
  path: string,
  allowed: boolean,
  line: number | null,
  { rules, why }: RobotsFile,
  group: RobotsGroup | undefined,
): string {
  if (rules === UNREACHABLE) return `robots.txt cannot be had (${why}), which forbids everything`;
  if (why !== undefined) return `there is no robots.txt (${why}), which allows everything`;
  if (path === '/robots.txt') return 'robots.txt itself is always allowed';
  if (group === undefined) return 'no group applies';
  const where = `the group for ${group.agent}, line ${group.lines.join(', ')}`;
  if (line !== null) return where;
  return allowed ? `no rule applies in ${where}` : `the rules are too many to weigh in ${where}`;
}

/** A robots.txt, or the lack of one, and what it means to a crawler. */
export interface RobotsFile {
  readonly rules: RobotsRules;
  /** The file; empty when there is none. */
  readonly bytes: Uint8Array;
  /** Where the answer came from: after redirects, or the name of a file. */
  readonly source: string;
  readonly status?: number;
  /** Why there is no file, in words; absent when there is one. */
  readonly why?: string;
}
