/**
 * The pages of an old collection as a graph: the nodes are captures with status 200, the arcs the
 * links between them. A link whose target the archive saw redirect to a captured page leads there.
 *
 * Cost      the URLs of the collection in memory, and the links to pages that redirect.
 */
import { Archive } from '../../archive/index/archive.ts';
import { REVISIT_MIME } from '../../archive/index/cdxj.ts';
import { DrumlinError, EXIT } from '../../base/errors.ts';
import type { Disk } from '../../disk/disk.ts';
import { packNameArcs } from '../../graph/arcs.ts';
import { buildGraph } from '../../graph/build.ts';
import { crawlLinks } from '../../graph/io/crawl-links.ts';
import { canonicalise } from '../../url/canonical.ts';
import { pathOf } from '../../url/parts.ts';

/** Redirects followed from a link to a captured page. */
const MOST_REDIRECTS = 5;

export async function buildPageGraph(
  disk: Disk,
  old: string,
  out: string,
  onWarning: (text: string) => void,
): Promise<void> {
  const archive = await Archive.open(disk, old);
  const captured = new Set<string>();
  const redirecting = new Set<string>();
  for await (const { url, mime, status } of archive.captures()) {
    const name = /^https?:/.test(url) ? canonicalise(url) : undefined;
    if (name === undefined || pathOf(name) === '/robots.txt') continue;
    if (status === '200' || (status === '304' && mime === REVISIT_MIME)) captured.add(name);
    else if (status.startsWith('3')) redirecting.add(name);
  }
  if (captured.size === 0) throw nothingCaptured(old);
  const links = between(crawlLinks(disk, old, { level: 'page', onWarning }), captured, redirecting);
  await buildGraph(out, { names: packNameArcs(links) }, { level: 'page', disk });
}

async function* between(
  links: AsyncIterable<[string, string?]>,
  captured: ReadonlySet<string>,
  redirecting: ReadonlySet<string>,
): AsyncGenerator<[string, string?]> {
  const redirects = new Map<string, string>();
  const indirect: [string, string][] = [];
  for await (const [from, to] of links) {
    if (!captured.has(from)) {
      if (to !== undefined && redirecting.has(from)) redirects.set(from, to);
    } else if (to === undefined) yield [from];
    else if (captured.has(to)) yield [from, to];
    else if (redirecting.has(to)) indirect.push([from, to]);
  }
  for (const [from, to] of indirect) {
    let end: string | undefined = to;
    for (let i = 0; i < MOST_REDIRECTS && end !== undefined && !captured.has(end); i++)
      end = redirects.get(end);
    if (end !== undefined && captured.has(end)) yield [from, end];
  }
}

function nothingCaptured(old: string): DrumlinError {
  return new DrumlinError(
    'NOTHING_CAPTURED',
    `${old} holds no page with status 200, so there is nothing to refresh.`,
    'See what it holds with "drumlin archive list".',
    { exitCode: EXIT.damaged },
  );
}
