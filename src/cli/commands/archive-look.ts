/** `drumlin archive list` and `get`. */
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { Archive, type CaptureQuery, millisOf, requireWarc } from '../../archive/index/archive.ts';
import type { Capture } from '../../archive/index/cdxj.ts';
import { headEnd, payloadOf } from '../../archive/warc/http-block.ts';
import type { WarcRecord } from '../../archive/warc/warc-reader.ts';
import { DrumlinError, EXIT } from '../../base/errors.ts';
import { nearest } from '../../base/nearest.ts';
import { counted } from '../../base/units.ts';
import { listSkipped, type SkippedUrl } from '../../crawl/skipped/list-skipped.ts';
import { lastCheckpoint } from '../../crawl/state/agent-folder.ts';
import { askedOf } from '../../crawl/state/crawl-folder.ts';
import { Disk } from '../../disk/disk.ts';
import { decodeContent } from '../../fetch/decode.ts';
import { readHead } from '../../fetch/response-head.ts';
import { jsonLine, printable, printableLines } from '../screen/printable.ts';
import { writeText } from '../screen/text-output.ts';

/** Prints a remark beside the output. */
type Note = (text: string) => void;
const onStandardError: Note = (text) => void process.stderr.write(`drumlin: ${printable(text)}\n`);

/** Prints what a crawl did not fetch or did not keep: kind, reason and URL, one per line. */
export async function listSkippedUrls(
  folder: string,
  flags: SkippedFlags,
  output: Writable,
  note: Note = onStandardError,
): Promise<void> {
  const { url: only, prefix = '', reason, limit = Number.POSITIVE_INFINITY } = flags;
  const isAsked = ({ url, kind, reason: why }: SkippedUrl) =>
    (only === undefined || url === only) &&
    url.startsWith(prefix) &&
    (reason === undefined || kind === reason || why === reason);
  const asLine = flags.json ? jsonLine : skippedLine;
  const print = (skipped: AsyncIterable<readonly SkippedUrl[]>) =>
    writeText(undefined, output, async function* () {
      let left = limit;
      for await (const some of skipped) {
        const asked = some.filter(isAsked).slice(0, left);
        left -= asked.length;
        if (asked.length > 0) yield asked.map(asLine).join('');
        if (left === 0) return;
      }
    });
  const disk = new Disk();
  await listSkipped(disk, folder, print, { onDamage: note });
  const queued = await queuedIn(disk, folder);
  if (queued > 0) note(`${counted(queued, 'URL')} of the crawl are queued, and not in this list.`);
}

/** `robots     disallowed          http://example.org/private` */
const skippedLine = ({ kind, reason, url }: SkippedUrl): string =>
  `${[kind.padEnd(9), reason.padEnd(18), url].map(printable).join('  ')}\n`;

async function queuedIn(disk: Disk, folder: string): Promise<number> {
  const asked = await askedOf(disk, folder).catch(() => undefined);
  return (asked && (await lastCheckpoint(disk, folder, asked.agents))?.waiting) ?? 0;
}

export async function list(
  place: string,
  flags: ListFlags,
  output: Writable,
  note: Note = onStandardError,
): Promise<void> {
  const { url, prefix, limit = Number.POSITIVE_INFINITY } = flags;
  for (const text of [url, prefix]) if (text !== undefined) requireUrl(text);
  const archive = await openToLook(place);
  let found = 0;
  const lines = async function* () {
    if (limit === 0) return;
    for await (const capture of archive.captures(flags)) {
      yield flags.json ? jsonLine(capture) : asText(capture);
      if (++found === limit) return;
    }
  };
  await writeText(undefined, output, lines);
  noteDamage(archive, note);
  if (found > 0 || limit === 0) return;
  throw flags.status === undefined && url === undefined && prefix === undefined
    ? holdsNone(place)
    : await notThere(archive, place, url, prefix);
}

function holdsNone(place: string): DrumlinError {
  return new DrumlinError(
    'NOT_ARCHIVED',
    `${place} holds no captures.`,
    'See which records it has with "drumlin archive check".',
    { exitCode: EXIT.damaged },
  );
}

async function openToLook(place: string): Promise<Archive> {
  const disk = new Disk();
  const archive = await Archive.open(disk, place);
  // A single file may be of any kind; in a folder, WARC files are selected by name.
  if (archive.files[0]?.path === place) await requireWarc(disk, place);
  return archive;
}

function noteDamage({ damage }: Archive, note: Note): void {
  for (const [path, words] of damage) {
    note(
      `${path} was not read to its end: ${words}. "drumlin archive repair" keeps the complete records.`,
    );
  }
}

/** `2026-03-14 15:09:26  200  text/html  http://example.org/` */
function asText({ timestamp, status, mime, url }: Capture): string {
  const fields = [timeText(timestamp), (status || '-').padEnd(3), mime.padEnd(24), url];
  return `${fields.map(printable).join('  ')}\n`;
}

const timeText = (timestamp: string): string =>
  timestamp.replace(/^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/, '$1-$2-$3 $4:$5:$6');

export async function get(
  place: string,
  url: string,
  flags: GetFlags,
  output: Writable,
  note: Note = onStandardError,
): Promise<void> {
  requireUrl(url);
  const archive = await openToLook(place);
  const at = flags.at === undefined ? undefined : millisOf(flags.at);
  const capture = await archive.nearest(url, at);
  if (!capture) {
    noteDamage(archive, note);
    throw await notThere(archive, place, url);
  }
  if (at !== undefined) note(`the capture of ${timeText(capture.timestamp)}`);
  const record = await whatIsAsked(archive, capture, flags);
  if (!flags.headers) noteTruncation(record, note);
  const { bytes, isCut } = await bytesOf(record, flags);
  if (isCut) note('the body is too large to decode all of it; --raw prints it as sent');
  if (bytes.length === 0)
    note(`status ${capture.status} with an empty body; --headers prints its headers`);
  const isTerminal = (output as { isTTY?: boolean }).isTTY === true;
  const shown = isTerminal ? printableLines(Buffer.from(bytes).toString()) : bytes;
  if (!output.write(shown)) await once(output, 'drain');
}

/** For a revisit, the headers are its own and the page is the one it refers to. */
function whatIsAsked(
  archive: Archive,
  capture: Capture,
  { headers }: GetFlags,
): Promise<WarcRecord> {
  return headers ? archive.record(capture) : archive.page(capture);
}

/** Why a record holds less than the server meant to send, by the value of `WARC-Truncated`. */
const TRUNCATED: Readonly<Record<string, string>> = {
  length: 'it was longer than the crawler stores (--max-body)',
  time: 'the server took too long',
  disconnect: 'the connection ended too early',
};

function noteTruncation({ headers }: WarcRecord, note: Note): void {
  const why = headers.get('WARC-Truncated');
  if (why !== undefined) note(`the body is truncated: ${TRUNCATED[why.toLowerCase()] ?? why}`);
}

async function bytesOf(
  { headers, block }: WarcRecord,
  flags: GetFlags,
): Promise<{ bytes: Uint8Array; isCut: boolean }> {
  const isHttp = /^application\/http/i.test(headers.get('Content-Type') ?? '');
  const end = isHttp ? headEnd(block) : 0;
  const head = block.subarray(0, end < 0 ? block.length : end);
  if (flags.headers) return { bytes: head, isCut: false };
  if (!isHttp) return { bytes: block, isCut: false };
  const read = flags.raw ? undefined : readHead(Buffer.from(head));
  if (!read) return { bytes: block.subarray(head.length), isCut: false };
  const decoded = await decodeContent({ payload: payloadOf(block), headers: read.headers });
  return { bytes: decoded.body, isCut: decoded.truncated === 'limit' };
}

/**
 * Rejects `example.org/page` and `/page`: the index holds whole URLs only. `localhost:8000` has a
 * port, not a scheme.
 */
function requireUrl(text: string): void {
  if (/^[a-z][a-z0-9+.-]*:(?!\d)/i.test(text)) return;
  throw new DrumlinError(
    'NOT_A_URL',
    `"${text}" is not a whole URL.`,
    'Write it with http:// or https:// and the host, as "drumlin archive list" does.',
  );
}

/** The most captures searched for a similar name. */
const MOST_SIMILAR = 2000;

async function notThere(
  archive: Archive,
  place: string,
  url: string | undefined,
  prefix?: string,
): Promise<DrumlinError> {
  const what = url ?? (prefix === undefined ? 'that kind' : `URLs that begin with ${prefix}`);
  const near = url === undefined ? undefined : await similar(archive, url);
  return new DrumlinError(
    'NOT_ARCHIVED',
    `${place} holds no capture of ${what}.`,
    near === undefined ? 'See what it holds with "drumlin archive list".' : `Did you mean ${near}?`,
    { exitCode: EXIT.damaged },
  );
}

/** The URL in the same folder with the smallest edit distance. */
async function similar(archive: Archive, url: string): Promise<string | undefined> {
  const folder = url.slice(0, url.lastIndexOf('/') + 1);
  if (!/^https?:\/\/[^/]+\//i.test(folder)) return undefined;
  const names: string[] = [];
  for await (const capture of archive.captures({ prefix: folder })) {
    names.push(capture.url.slice(folder.length));
    if (names.length === MOST_SIMILAR) break;
  }
  const name = nearest(url.slice(folder.length), names);
  return names.length === 0 ? undefined : folder + name;
}

export interface ListFlags extends CaptureQuery {
  readonly limit?: number;
  readonly json?: boolean;
}

export interface SkippedFlags extends Pick<CaptureQuery, 'url' | 'prefix'> {
  readonly skipped?: boolean;
  /** A kind, or the name of a reason. */
  readonly reason?: string;
  readonly limit?: number;
  readonly json?: boolean;
}

export interface GetFlags {
  readonly at?: string;
  readonly headers?: boolean;
  readonly raw?: boolean;
}
