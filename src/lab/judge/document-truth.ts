/**
 * What the documents of a web really are: the truth that a focused crawl is judged by.
 *
 * Requires  a web without traps and faults, whose pages can be listed.
 * Cost      about 20 µs a document, and a count in memory for each one that is cited.
 */
import { DrumlinError } from '../../base/errors.ts';
import { hostOf, pathOf } from '../../url/parts.ts';
import { classOf, referencesOf } from '../document.ts';
import type { Domain } from '../domain.ts';
import { isDocument, urlOf } from '../paths.ts';
import { pageBirth } from '../time.ts';
import type { Web } from '../web.ts';

interface DocumentTruth {
  readonly url: string;
  /** `paper`, `slides`, `notes` or `brochure`. */
  readonly kind: string;
  /** Whether it is a paper. */
  readonly useful: boolean;
  /** Papers that cite it by its address. */
  readonly citations: number;
  /** The step at which it appeared. */
  readonly born: number;
}

interface DocumentAt {
  readonly useful: boolean;
  /** The addresses of documents that it cites. */
  readonly references: () => string[];
}

/** All documents that can be fetched at this step, with citations from those. */
export function* documentTruths(web: Web): Generator<DocumentTruth> {
  if (!web.finite || !web.world.scenario.documents)
    throw new DrumlinError(
      'LAB_DOCUMENTS',
      `A web "${web.world.scenario.name}" has no documents whose truth is known.`,
      'Choose --scenario papers.',
    );
  const citations = new Map<string, number>();
  for (const [domain, page] of documentsOf(web))
    for (const url of new Set(referencesOf(web, domain, page)))
      if (url !== '') citations.set(url, (citations.get(url) ?? 0) + 1);
  for (const [domain, page] of documentsOf(web)) {
    const [url, kind] = [urlOf(domain, page), classOf(domain, page)];
    const born = pageBirth(web.world, domain, page);
    yield { url, kind, useful: kind === 'paper', citations: citations.get(url) ?? 0, born };
  }
}

/** The document at a URL, if there is one and it can be fetched. */
export function documentAt(web: Web, url: string): DocumentAt | undefined {
  const resource = web.resourceAt(hostOf(url), pathOf(url), url.startsWith('https:'));
  if (resource?.is !== 'page' || !isDocument(resource.domain, resource.page)) return undefined;
  const { domain, page } = resource;
  const useful = classOf(domain, page) === 'paper';
  return { useful, references: () => referencesOf(web, domain, page).filter((to) => to !== '') };
}

function* documentsOf(web: Web): Generator<readonly [Domain, number]> {
  for (let index = 0; index < web.world.domains; index++) {
    const domain = web.domains.at(index);
    if (!domain.alive) continue;
    for (let page = domain.fixedPages; page < domain.pages; page++)
      if (isDocument(domain, page) && domain.hasPage(page)) yield [domain, page];
  }
}
