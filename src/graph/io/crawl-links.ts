/**
 * The links of a crawl, read from its archive.
 *
 * Idea      The archive holds every page that was fetched, so the graph can be built at any time,
 *           at any level, and with a newer link parser. Pages and the targets of their links are
 *           nodes; a redirect is an arc.
 * Requires  the folder of a crawl, or any folder with an `archive` of WARC files in it.
 * Ensures   the links that the crawl would have followed: nofollow links are left out unless asked
 *           for. Arcs within a host are left out in a graph of hosts, and arcs within a domain in a
 *           graph of domains. With `captured`, nodes are only the pages that the archive holds
 *           with status 200, and a link to a page that the archive saw redirect to one of these
 *           leads there (captured-links.ts). Unreadable parts of a damaged archive are reported,
 *           not thrown.
 */
import { join } from 'node:path';
import { Archive } from '../../archive/index/archive.ts';
import { isConfirmation } from '../../archive/index/cdxj.ts';
import { headEnd, payloadOf } from '../../archive/warc/http-block.ts';
import { isWarcName } from '../../archive/warc/warc-names.ts';
import { readWarc, type WarcRecord } from '../../archive/warc/warc-reader.ts';
import { DrumlinError, EXIT } from '../../base/errors.ts';
import type { Bytes } from '../../base/units.ts';
import type { Disk } from '../../disk/disk.ts';
import { decodeContent } from '../../fetch/decode.ts';
import { redirectTarget } from '../../fetch/redirect.ts';
import { type ResponseHead, readHead } from '../../fetch/response-head.ts';
import { isHtml } from '../../parse/is-html.ts';
import { parsePage } from '../../parse/page.ts';
import { canonicalise } from '../../url/canonical.ts';
import { payLevelDomain } from '../../url/domain.ts';
import { ParameterList, TRACKING_PARAMETERS } from '../../url/parameters.ts';
import { hostOf, pathOf } from '../../url/parts.ts';
import type { GraphLevel } from '../graph-file.ts';
import { CapturedLinks } from './captured-links.ts';

interface CrawlLinksOptions {
  readonly level: GraphLevel;
  /** Include nofollow links. */
  readonly nofollow?: boolean | undefined;
  /**
   * Only pages that were captured with status 200, and the links between them. They are sorted in
   * the folder `scratch`, which is deleted at the end.
   */
  readonly captured?: { readonly scratch: string; readonly memory?: Bytes } | undefined;
  /** Called with the share of the archive that was read. */
  readonly onRead?: (share: number) => void;
  readonly onWarning?: (text: string) => void;
}

interface PageLinks {
  readonly url: string;
  readonly status: number;
  readonly targets: readonly string[];
  /** The only target is where it redirects to. */
  readonly isRedirect: boolean;
}

/** `[page]` for every page, `[page, target]` for its links, as names of the level. */
export async function* crawlLinks(
  disk: Disk,
  folder: string,
  options: CrawlLinksOptions,
): AsyncGenerator<[string, string?]> {
  if (!options.captured) {
    for await (const links of linksIn(disk, folder, options)) yield* arcsOf(links, options.level);
    return;
  }
  const { scratch, memory } = options.captured;
  const links = await CapturedLinks.open(disk, scratch, memory);
  try {
    for await (const page of linksIn(disk, folder, options)) {
      if (isCapture(page)) {
        yield [NODE_OF[options.level](page.url)];
        await links.addPage(page.url);
        for (const one of new Set(page.targets)) await links.addLink(page.url, one);
      } else if (page.isRedirect) await links.addRedirect(page.url, page.targets[0]);
    }
    if (links.pages === 0) throw noCaptures(folder);
    for await (const [url, target] of links.arcs())
      yield* arcsOf({ url, targets: [target] }, options.level);
  } finally {
    await links.close();
  }
}

/** The pages of an archive and their links. */
async function* linksIn(
  disk: Disk,
  folder: string,
  options: CrawlLinksOptions,
): AsyncGenerator<PageLinks> {
  const files = await archiveOf(disk, folder);
  const archive = await Archive.open(disk, folder);
  let unresolved = 0;
  const drop = await droppedParameters(disk, folder);
  let before = 0;
  for (const { path, bytes } of files.list) {
    const reader = readWarc(path, { disk });
    for await (const record of reader) {
      const page = record.type === 'revisit' ? await originalOf(record, archive) : record;
      if (!page) unresolved++;
      const links = await linksOf(record, page ?? record, drop, options.nofollow === true);
      if (links) yield links;
      else if (options.captured && isConfirmation(record)) yield* confirmedOf(record);
      options.onRead?.((before + record.offset + record.length) / files.bytes);
    }
    if (reader.fault) {
      const { kind, fact, offset } = reader.fault;
      const what = `${path} is ${kind} at byte ${offset} (${fact})`;
      options.onWarning?.(`${what}: pages after it are not in the graph.`);
    }
    before += bytes;
  }
  if (unresolved > 0) {
    options.onWarning?.(
      archive.index
        ? `${unresolved} pages are duplicates of others that are not in ${folder}: their links are not in the graph.`
        : `${unresolved} pages are duplicates of others, and without an index their links are not in the graph: run "drumlin archive index ${folder}" first.`,
    );
  }
}

/** A page that its server confirmed, whose capture is not to be found: it has no known links. */
function* confirmedOf(record: WarcRecord): Generator<PageLinks> {
  const url = canonicalise(record.headers.targetUri ?? '');
  if (url !== undefined) yield { url, status: 200, targets: [], isRedirect: false };
}

/** The node of a page and its arcs. */
function* arcsOf(
  { url, targets }: Pick<PageLinks, 'url' | 'targets'>,
  level: GraphLevel,
): Generator<[string, string?]> {
  const nodeOf = NODE_OF[level];
  const node = nodeOf(url);
  yield [node];
  for (const target of new Set(targets.map(nodeOf))) {
    if (level === 'page' || target !== node) yield [node, target];
  }
}

const isCapture = ({ url, status }: Pick<PageLinks, 'url' | 'status'>) =>
  status === 200 && /^https?:/.test(url);

function noCaptures(folder: string): DrumlinError {
  return new DrumlinError(
    'NO_CAPTURES',
    `${folder} holds no page with status 200.`,
    'Name the folder of a crawl that fetched pages; "drumlin archive list" shows what is there.',
    { exitCode: EXIT.folder },
  );
}

/**
 * The record that a revisit refers to. Without an index, each would need a search of the whole
 * archive.
 */
async function originalOf(revisit: WarcRecord, archive: Archive): Promise<WarcRecord | undefined> {
  return archive.index && archive.original(revisit);
}

const NODE_OF: Readonly<Record<GraphLevel, (url: string) => string>> = {
  page: (url) => url,
  host: hostOf,
  domain: (url) => payLevelDomain(hostOf(url)),
};

async function archiveOf(disk: Disk, folder: string) {
  const archive = join(folder, 'archive');
  const names = await disk.list(archive).catch(absent([] as string[]));
  const list: { path: string; bytes: number }[] = [];
  for (const name of names.filter(isWarcName).sort()) {
    const file = await disk.open(join(archive, name), 'read');
    list.push({ path: join(archive, name), bytes: await file.size() });
    await file.close();
  }
  if (list.length === 0) {
    throw new DrumlinError(
      'CRAWL_MISSING',
      `${folder} holds no archive of a crawl.`,
      'Name a folder that was the --dir of "drumlin crawl".',
      { exitCode: EXIT.folder },
    );
  }
  return { list, bytes: list.reduce((sum, { bytes }) => sum + bytes, 0) };
}

/**
 * Query parameters that the crawl dropped from every URL: otherwise its links would have other
 * names than its pages.
 */
export async function droppedParameters(
  disk: Disk,
  folder: string,
): Promise<ParameterList | undefined> {
  const path = join(folder, 'crawl.json');
  const text = await disk.readText(path).catch(absent('{}'));
  const asked = settingOf(path, text);
  if (!Array.isArray(asked) || asked.length === 0) return undefined;
  return new ParameterList(
    asked.flatMap((name) => (name === 'tracking' ? TRACKING_PARAMETERS : [String(name)])),
  );
}

function settingOf(path: string, text: string): unknown {
  try {
    return JSON.parse(text)?.settings?.dropParameters;
  } catch (cause) {
    throw new DrumlinError(
      'CRAWL_DAMAGED',
      `${path} is not JSON.`,
      'Restore it from a copy, or remove it.',
      {
        exitCode: EXIT.folder,
        cause,
      },
    );
  }
}

/** Replaces a missing file by `instead`; other failures stay failures. */
function absent<T>(instead: T): (error: unknown) => T {
  return (error) => {
    if (error instanceof DrumlinError && error.code === 'FILE_MISSING') return instead;
    throw error;
  };
}

/**
 * The links of a record; its page may be in another record. Undefined if it is no page: other kinds
 * of records, robots.txt, records without a URL or a head.
 */
export async function linksOf(
  record: WarcRecord,
  page: WarcRecord,
  drop: ParameterList | undefined,
  nofollow: boolean,
): Promise<PageLinks | undefined> {
  const found = headOfPage(record, page);
  if (!found) return undefined;
  const { url, head } = found;
  const { status, headers } = head;
  const redirect = redirectTarget({ ...head, url }, drop && { drop });
  if (redirect !== undefined) return { url, status, targets: [redirect], isRedirect: true };
  const payload = payloadOf(page.block);
  if (!isHtml(headers.get('content-type'), payload))
    return { url, status, targets: [], isRedirect: false };
  const { body } = await decodeContent({ payload, headers });
  const context = {
    url,
    contentType: headers.get('content-type'),
    robotsHeaders: headers.all('x-robots-tag'),
  };
  const { links, robots } = parsePage(body, context, drop && { drop });
  const taken = links.filter((link) => nofollow || !(link.nofollow || robots.nofollow));
  return { url, status, targets: taken.map((link) => link.url), isRedirect: false };
}

/**
 * The head of a page; undefined for other records, robots.txt, records without a URL or a head.
 * `page` is the record with the payload: a server that confirms a page sends no head of its own.
 */
function headOfPage(
  record: WarcRecord,
  page: WarcRecord,
): { url: string; head: ResponseHead } | undefined {
  if (record.type !== 'response' && record.type !== 'revisit') return undefined;
  const url = canonicalise(record.headers.targetUri ?? '');
  const head = headOf(isConfirmation(record) ? page.block : record.block);
  if (url === undefined || head === undefined || pathOf(url) === '/robots.txt') return undefined;
  return { url, head };
}

function headOf(block: Uint8Array): ResponseHead | undefined {
  const end = headEnd(block);
  return end < 0 ? undefined : readHead(Buffer.from(block.buffer, block.byteOffset, end));
}
