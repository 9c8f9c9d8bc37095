/**
 * The domains that a domain links to, from a sample of its pages in the archive.
 *
 * Idea      A crawl keeps links by their target; the links of one source are only in its pages. The
 *           first pages of the domain in the order of the index are read, at most `MOST_PAGES`.
 * Cost      About a millisecond a page.
 */

import type { Archive } from '../../archive/index/archive.ts';
import type { Capture } from '../../archive/index/cdxj.ts';
import { DrumlinError } from '../../base/errors.ts';
import { linksOf } from '../../graph/io/crawl-links.ts';
import { payLevelDomain } from '../../url/domain.ts';
import { hostOf } from '../../url/parts.ts';

const MOST_PAGES = 12;
/** Captures that are passed over: other types and statuses. */
const MOST_CAPTURES = 2000;

interface OutLinks {
  /** Pages that were read. */
  readonly pages: number;
  /** How many of them link to each domain; the domain itself is left out. */
  readonly domains: ReadonlyMap<string, number>;
}

export async function outLinksOf(archive: Archive, domain: string): Promise<OutLinks> {
  const domains = new Map<string, number>();
  let pages = 0;
  for await (const capture of capturesOfDomain(archive, domain)) {
    const targets = await targetsOf(archive, capture);
    if (!targets) continue;
    targets.delete(domain);
    for (const target of targets) domains.set(target, (domains.get(target) ?? 0) + 1);
    if (++pages === MOST_PAGES) break;
  }
  return { pages, domains };
}

/** Captures of all hosts of a domain, the first of them by key. */
export async function* capturesOfDomain(archive: Archive, domain: string): AsyncGenerator<Capture> {
  let passed = 0;
  for await (const capture of archive.captures({ domain })) {
    yield capture;
    if (++passed === MOST_CAPTURES) return;
  }
}

/** The domains that a page links to; undefined if it is no page. */
async function targetsOf(archive: Archive, capture: Capture): Promise<Set<string> | undefined> {
  if (!/^[23]/.test(capture.status) || !/html|revisit/.test(capture.mime)) return undefined;
  try {
    const found = await linksOf(
      await archive.record(capture),
      await archive.page(capture),
      undefined,
      true,
    );
    return found && new Set(found.targets.map((url) => payLevelDomain(hostOf(url))));
  } catch (error) {
    // A record that cannot be read says nothing about links.
    if (error instanceof DrumlinError) return undefined;
    throw error;
  }
}
