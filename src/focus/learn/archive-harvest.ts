/**
 * The harvest of a crawl, or of imported archives, read from its WARC files.
 *
 * Requires  the folder of a crawl, or any folder with an `archive` of WARC files in it.
 * Ensures   only complete responses with a URL count; robots.txt does not. Unreadable parts of a
 *           damaged archive are reported, not thrown.
 * Cost      two reads of the archive, and a third of the new documents.
 */
import { join } from 'node:path';
import { Archive } from '../../archive/index/archive.ts';
import { isConfirmation } from '../../archive/index/cdxj.ts';
import { archiveDir, warcNames } from '../../archive/index/index-merge.ts';
import { digest } from '../../archive/warc/digest.ts';
import { headEnd, payloadOf } from '../../archive/warc/http-block.ts';
import { readWarc, type WarcRecord } from '../../archive/warc/warc-reader.ts';
import { DrumlinError, EXIT } from '../../base/errors.ts';
import type { Millis } from '../../base/units.ts';
import type { Disk } from '../../disk/disk.ts';
import { decodeContent } from '../../fetch/decode.ts';
import { redirectTarget } from '../../fetch/redirect.ts';
import { type ResponseHead, readHead } from '../../fetch/response-head.ts';
import type { Accepts } from '../../filter/subject.ts';
import { droppedParameters, linksOf } from '../../graph/io/crawl-links.ts';
import { isHtml } from '../../parse/is-html.ts';
import { canonicalise } from '../../url/canonical.ts';
import type { ParameterList } from '../../url/parameters.ts';
import { pathOf } from '../../url/parts.ts';
import type { Harvest, HarvestPage, Judgement, NewDocument, Survey } from './harvest.ts';
import type { Usefulness } from './usefulness.ts';

interface ArchiveHarvestOptions {
  /** What is a document. */
  readonly wanted: Accepts;
  readonly usefulness: Pick<Usefulness, 'judge'>;
  readonly onWarning?: (text: string) => void;
}

type Extras = Pick<Harvest, 'requests' | 'policy' | 'tried' | 'listed' | 'round'>;

/** A response of the archive. */
interface Response {
  readonly url: string;
  readonly time: number;
  readonly head: ResponseHead;
  readonly record: WarcRecord;
  readonly payload: Uint8Array;
}

export class ArchiveHarvest implements Harvest {
  readonly identity: string;
  readonly began: Millis;
  readonly folder: string;
  readonly requests: number | undefined;
  readonly policy: string | undefined;
  readonly tried: Harvest['tried'];
  readonly listed: number | undefined;
  readonly round: number | undefined;
  readonly #disk: Disk;
  readonly #names: readonly string[];
  readonly #options: ArchiveHarvestOptions;
  readonly #drop: ParameterList | undefined;
  #archive: Promise<Archive> | undefined;

  private constructor(
    disk: Disk,
    folder: string,
    found: Found,
    options: ArchiveHarvestOptions,
    extras: Extras,
  ) {
    this.#disk = disk;
    this.folder = folder;
    this.#names = found.names;
    this.identity = found.identity;
    this.began = found.began;
    this.#drop = found.drop;
    this.#options = options;
    this.requests = extras.requests;
    this.policy = extras.policy;
    this.tried = extras.tried;
    this.listed = extras.listed;
    this.round = extras.round;
  }

  static async open(
    disk: Disk,
    folder: string,
    options: ArchiveHarvestOptions,
    extras: Extras = {},
  ): Promise<ArchiveHarvest> {
    const names = await warcNames(disk, archiveDir(folder));
    const first =
      names.length > 0 ? await firstRecord(disk, join(archiveDir(folder), names[0])) : undefined;
    const identity = first?.headers.get('WARC-Record-ID');
    if (!first || !identity) {
      throw new DrumlinError(
        'CRAWL_MISSING',
        `${folder} holds no archive of a crawl.`,
        'Name a folder that was the --dir of "drumlin crawl" or "drumlin archive import".',
        { exitCode: EXIT.folder },
      );
    }
    const drop = await droppedParameters(disk, folder);
    const found = { names, identity, began: timeOf(first), drop };
    return new ArchiveHarvest(disk, folder, found, options, extras);
  }

  async survey(into: Survey): Promise<void> {
    const { wanted } = this.#options;
    for (const [i, name] of this.#names.entries()) {
      for await (const record of this.#records(name, true)) {
        const confirmed = confirmedIn(record);
        if (confirmed) await into.request(confirmed.url, confirmed.time);
        if (confirmed?.digest !== undefined)
          await into.document({
            ...confirmed,
            digest: confirmed.digest,
            place: '',
            fetched: false,
          });
        const response = confirmed ? undefined : responseIn(record);
        if (!response) continue;
        const { url, head, time } = response;
        await into.request(url, time);
        const target = redirectTarget({ ...head, url }, this.#drop && { drop: this.#drop });
        if (target !== undefined) await into.redirect(url, target, time);
        else if (wanted(subjectOf(response))) {
          const place = `${String(i).padStart(6, '0')} ${String(record.offset).padStart(14, '0')}`;
          await into.document({ url, digest: digestOf(response), time, place, fetched: true });
        }
      }
    }
  }

  async *judge(documents: AsyncIterable<NewDocument>): AsyncGenerator<Judgement> {
    for await (const document of documents) {
      const { digest: name, url, place } = document;
      const [file, offset] = place.split(' ').map(Number);
      const record = await this.#recordAt(file, offset);
      const content = record?.type === 'revisit' ? await this.#originalOf(record) : record;
      const response = content && responseIn(content);
      if (!response) {
        yield { digest: name, useful: false, references: [], unread: 'missing' };
        continue;
      }
      const { body } = await decodeContent({
        payload: response.payload,
        headers: response.head.headers,
      });
      const subject = subjectOf(response);
      const judged = await this.#options.usefulness.judge(subject, body);
      const references = judged.addresses
        .map((address) => canonicalise(address))
        .filter((each): each is string => each !== undefined && each !== url);
      const unread = judged.unread;
      yield { digest: name, useful: judged.useful, references: [...new Set(references)], unread };
    }
  }

  async *pages(mayLead: (url: string) => boolean): AsyncGenerator<HarvestPage> {
    for (const name of this.#names) {
      for await (const record of this.#records(name, false)) {
        const confirmed = confirmedIn(record);
        const response = confirmed ? undefined : responseIn(record);
        if (!confirmed && response?.head.status !== 200) continue;
        const { url, time } = confirmed ?? response!;
        const page = record.type === 'revisit' ? await this.#originalOf(record) : record;
        const links = page && (await linksOf(record, page, this.#drop, true));
        if (!links) yield { url, time, targets: undefined };
        else if (isPage(page)) yield { url, time, targets: links.targets.filter(mayLead) };
      }
    }
  }

  /** The record that a revisit refers to. Without an index each would need a search. */
  async #originalOf(revisit: WarcRecord): Promise<WarcRecord | undefined> {
    this.#archive ??= Archive.open(this.#disk, this.folder);
    const archive = await this.#archive;
    return archive.index && archive.original(revisit);
  }

  async *#records(name: string, warns: boolean): AsyncGenerator<WarcRecord> {
    const path = join(archiveDir(this.folder), name);
    const reader = readWarc(path, { disk: this.#disk });
    yield* reader;
    if (!reader.fault || !warns) return;
    const { kind, fact, offset } = reader.fault;
    this.#options.onWarning?.(
      `${path} is ${kind} at byte ${offset} (${fact}): the responses after it are not learned.`,
    );
  }

  async #recordAt(file: number, offset: number): Promise<WarcRecord | undefined> {
    const path = join(archiveDir(this.folder), this.#names[file]);
    for await (const record of readWarc(path, { disk: this.#disk, start: offset })) return record;
    return undefined;
  }
}

/** What `open` has found. */
interface Found {
  readonly names: readonly string[];
  /** Of the first record. */
  readonly identity: string;
  readonly began: Millis;
  readonly drop: ParameterList | undefined;
}

async function firstRecord(disk: Disk, path: string): Promise<WarcRecord | undefined> {
  for await (const record of readWarc(path, { disk })) return record;
  return undefined;
}

function isPage(record: WarcRecord): boolean {
  const response = responseIn(record);
  return (
    response !== undefined && isHtml(response.head.headers.get('content-type'), response.payload)
  );
}

/** A page that the server confirmed, with the digest that the record states. */
function confirmedIn(record: WarcRecord) {
  if (!isConfirmation(record)) return undefined;
  const url = urlOf(record);
  const stated = record.headers.get('WARC-Payload-Digest');
  return url === undefined ? undefined : { url, time: timeOf(record), digest: bareSha1(stated) };
}

function responseIn(record: WarcRecord): Response | undefined {
  if (record.type !== 'response' && record.type !== 'revisit') return undefined;
  const url = urlOf(record);
  const { block } = record;
  const end = headEnd(block);
  const head = end < 0 ? undefined : readHead(Buffer.from(block.buffer, block.byteOffset, end));
  if (url === undefined || head === undefined) return undefined;
  return { url, time: timeOf(record), head, record, payload: payloadOf(block) };
}

function urlOf({ headers }: WarcRecord): string | undefined {
  const url = canonicalise(headers.targetUri ?? '');
  return url === undefined || pathOf(url) === '/robots.txt' ? undefined : url;
}

const timeOf = ({ headers }: WarcRecord): number => Date.parse(headers.get('WARC-Date') ?? '') || 0;

const bareSha1 = (stated: string | undefined): string | undefined =>
  /^sha1:([A-Z2-7]{32})$/.exec(stated ?? '')?.[1];

/** The digest that the record states, if it is in our form; a revisit has no payload to compute. */
function digestOf({ record, payload }: Response): string {
  const stated = record.headers.get('WARC-Payload-Digest');
  const known = bareSha1(stated);
  if (known !== undefined) return known;
  if (record.type === 'revisit' && stated !== undefined) return stated.replace(/[^!-~]/g, '');
  return digest('sha1', payload).slice('sha1:'.length);
}

/** What filters are asked about a response of the archive. */
function subjectOf({ url, head, payload, record }: Response) {
  const { status, headers } = head;
  const stated = Number(headers.get('content-length'));
  return {
    url,
    depth: 0,
    standing: undefined,
    visit: undefined,
    page: undefined,
    response: {
      status,
      headers,
      length: record.type === 'revisit' && stated >= 0 ? stated : payload.length,
      elapsed: 0,
      truncated: record.headers.get('WARC-Truncated') !== undefined,
      isHtml: () => isHtml(headers.get('content-type'), payload),
      isDuplicate: () => record.type === 'revisit',
    },
  };
}
