/** `drumlin archive list` and `get`. */
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { Archive, millisOf } from '../archive/archive.ts';
import type { Capture } from '../archive/cdxj.ts';
import { headEnd, payloadOf } from '../archive/http-block.ts';
import type { WarcRecord } from '../archive/warc-reader.ts';
import { Disk } from '../disk/disk.ts';
import { DrumlinError, EXIT } from '../errors.ts';
import { decodeContent } from '../fetch/decode.ts';
import { readHead } from '../fetch/response-head.ts';
import type { GetFlags, ListFlags } from './archive.ts';
import { writeText } from './text-output.ts';

export async function list(place: string, flags: ListFlags, output: Writable): Promise<void> {
  const archive = await Archive.open(new Disk(), place);
  const lines = async function* () {
    let left = flags.limit ?? Number.POSITIVE_INFINITY;
    if (left === 0) return;
    for await (const capture of archive.captures(flags)) {
      yield flags.json ? `${JSON.stringify(capture)}\n` : asText(capture);
      if (--left === 0) return;
    }
  };
  await writeText(undefined, output, lines);
}

/** `2026-03-14 15:09:26  200  text/html  http://example.org/` */
function asText({ timestamp, status, mime, url }: Capture): string {
  const time = timestamp.replace(/^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/, '$1-$2-$3 $4:$5:$6');
  return `${time}  ${(status || '-').padEnd(3)}  ${mime.padEnd(24)}  ${url}\n`;
}

export async function get(place: string, url: string, flags: GetFlags, output: Writable): Promise<void> {
  const archive = await Archive.open(new Disk(), place);
  const at = flags.at === undefined ? undefined : millisOf(flags.at);
  const capture = await archive.nearest(url, at);
  if (!capture) throw notThere(place, url);
  const bytes = await bytesOf(await whatIsAsked(archive, capture, flags), flags);
  if (!output.write(bytes)) await once(output, 'drain');
}

/** The headers of a revisit are its own; its page is the one it refers to. */
function whatIsAsked(archive: Archive, capture: Capture, { headers }: GetFlags): Promise<WarcRecord> {
  return headers ? archive.record(capture) : archive.page(capture);
}

async function bytesOf({ headers, block }: WarcRecord, flags: GetFlags): Promise<Uint8Array> {
  const isHttp = /^application\/http/i.test(headers.get('Content-Type') ?? '');
  const end = isHttp ? headEnd(block) : 0;
  const head = block.subarray(0, end < 0 ? block.length : end);
  if (flags.headers) return head;
  if (!isHttp) return block;
  const read = flags.raw ? undefined : readHead(Buffer.from(head));
  if (!read) return block.subarray(head.length);
  return (await decodeContent({ payload: payloadOf(block), headers: read.headers })).body;
}

function notThere(place: string, url: string): DrumlinError {
  return new DrumlinError(
    'NOT_ARCHIVED',
    `${place} holds no capture of ${url}.`,
    'See what it holds with "drumlin archive list".',
    { exitCode: EXIT.damaged },
  );
}
