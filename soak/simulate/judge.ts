/**
 * What must hold at the end of a simulated crawl, by evidence that the crawl itself does not give:
 * the requests that servers have received, and the archive as a reader of its own sees it.
 */
import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import type { Millis } from '../../src/base/units.ts';
import type { Summary } from '../../src/crawl/crawl.ts';
import { addUp, type CountersState } from '../../src/crawl/record/counters.ts';
import type { MemoryDisk } from './memory-disk.ts';
import type { Request } from './network.ts';
import type { SimWeb } from './web.ts';

export interface Evidence {
  readonly web: SimWeb;
  readonly disk: MemoryDisk;
  readonly dir: string;
  readonly requests: readonly Request[];
  readonly delay: Millis;
  readonly addressDelay: Millis;
  /** The summary of the last life. */
  readonly summary: Summary;
}

/** Times are whole milliseconds. */
const ROUNDING: Millis = 1;

/** Sentences about everything that is wrong. */
export function faultsOf(evidence: Evidence): string[] {
  return [
    ...archiveFaults(evidence),
    ...politenessFaults(evidence),
    ...robotsFaults(evidence),
    ...accountFaults(evidence),
  ];
}

interface Stored {
  readonly file: string;
  readonly offset: number;
  readonly length: number;
  readonly type: string;
  readonly uri: string;
  readonly digest: string;
  readonly headers: ReadonlyMap<string, string>;
}

function archiveFaults({ web, disk, dir }: Evidence): string[] {
  const faults: string[] = [];
  const records: Stored[] = [];
  for (const path of [...disk.files()].filter((path) => path.startsWith(`${dir}/archive/`))) {
    const name = path.slice(`${dir}/archive/`.length);
    if (name.includes('/')) continue; // an orphan
    try {
      records.push(...recordsOf(name, disk.bytesOf(path)));
    } catch (error) {
      faults.push(`torn archive: ${name}: ${(error as Error).message}`);
    }
  }
  const pages = records.filter(isCapture).filter(({ uri }) => !uri.endsWith('/robots.txt'));
  const times = new Map<string, number>();
  for (const { uri } of pages) times.set(uri, (times.get(uri) ?? 0) + 1);
  for (const url of web.expected) if (!times.has(url)) faults.push(`lost: ${url}`);
  for (const [url, n] of times) {
    if (n > 1) faults.push(`archived ${n} times: ${url}`);
    if (!web.expected.has(url)) faults.push(`not to be archived: ${url}`);
  }
  return [...faults, ...indexFaults(records.filter(isCapture), disk, dir)];
}

const isCapture = ({ type }: Stored): boolean => type === 'response' || type === 'revisit';

/** Every member is a whole record, and its digests are those of its bytes. */
function recordsOf(file: string, bytes: Buffer): Stored[] {
  const records: Stored[] = [];
  for (let offset = 0; offset < bytes.length; ) {
    const { member, length } = memberAt(bytes, offset);
    const at = member.indexOf('\r\n\r\n');
    if (at < 0 || !member.subarray(0, 10).equals(Buffer.from('WARC/1.1\r\n')))
      throw new Error(`no record at ${offset}`);
    const headers = headersOf(member.subarray(0, at).toString());
    const block = member.subarray(at + 4, member.length - 4);
    if (block.length !== Number(headers.get('content-length')))
      throw new Error(`a record at ${offset} has another length`);
    if (member.subarray(member.length - 4).toString() !== '\r\n\r\n')
      throw new Error(`a record at ${offset} has no end`);
    const stated = headers.get('warc-block-digest');
    if (stated && stated !== `sha1:${base32(sha1(block))}`)
      throw new Error(`a record at ${offset} has another digest`);
    records.push({
      ...{ file, offset, length, headers },
      type: headers.get('warc-type') ?? '',
      uri: headers.get('warc-target-uri') ?? '',
      digest: headers.get('warc-payload-digest') ?? '',
    });
    offset += length;
  }
  return records;
}

/** The gzip member that begins at an offset. Its end is found by trying where the next begins. */
function memberAt(bytes: Buffer, offset: number): { member: Buffer; length: number } {
  for (let end = offset + 18; end < bytes.length; end++) {
    end = bytes.indexOf(MAGIC, end);
    if (end < 0) break;
    const member = whole(bytes.subarray(offset, end));
    if (member) return { member, length: end - offset };
  }
  const member = whole(bytes.subarray(offset));
  if (!member) throw new Error(`no whole member at ${offset}`);
  return { member, length: bytes.length - offset };
}

const MAGIC = Buffer.from([0x1f, 0x8b, 8]);

function whole(bytes: Buffer): Buffer | undefined {
  try {
    return gunzipSync(bytes);
  } catch {
    return undefined;
  }
}

const headersOf = (head: string): Map<string, string> =>
  new Map(
    head
      .split('\r\n')
      .slice(1)
      .map((line) => [
        line.slice(0, line.indexOf(':')).toLowerCase(),
        line.slice(line.indexOf(':') + 1).trim(),
      ]),
  );

const sha1 = (bytes: Buffer): Buffer => createHash('sha1').update(bytes).digest();

function base32(bytes: Buffer): string {
  let [bits, value, text] = [0, 0, ''];
  for (const byte of bytes) {
    value = (value << 8) | byte;
    for (bits += 8; bits >= 5; bits -= 5) text += LETTERS[(value >>> (bits - 5)) & 31];
    value &= (1 << bits) - 1;
  }
  return text;
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** The index has a line for every capture and no other. */
function indexFaults(captures: readonly Stored[], disk: MemoryDisk, dir: string): string[] {
  const path = `${dir}/indexes/index.cdxj`;
  if (![...disk.files()].includes(path)) return ['the index is missing'];
  const place = ({ file, offset, length, uri }: Omit<Stored, 'type' | 'digest' | 'headers'>) =>
    `${file} ${offset} ${length} ${uri}`;
  const missing = new Set(captures.map(place));
  const faults: string[] = [];
  for (const line of disk.bytesOf(path).toString().split('\n').filter(Boolean)) {
    const json = line.indexOf('{');
    if (json < 0 || line.startsWith('!')) continue;
    const { url, filename, offset, length } = JSON.parse(line.slice(json));
    if (String(url).startsWith('dns:')) continue;
    const entry = { file: filename, offset: Number(offset), length: Number(length), uri: url };
    if (!missing.delete(place(entry))) faults.push(`the index has a false line: ${place(entry)}`);
  }
  for (const line of missing) faults.push(`not in the index: ${line}`);
  return faults;
}

/**
 * No two requests to a host or to an address come sooner than its delay, whatever happens between.
 */
function politenessFaults({ requests, delay, addressDelay, web }: Evidence): string[] {
  const faults: string[] = [];
  const hosts = new Map<string, Request>();
  const addresses = new Map<string, Request>();
  /** What a host has asked for in this life. */
  const asked = new Map<string, { life: number; crawlDelay: Millis }>();
  for (const request of requests) {
    const { host, ip, at, life } = request;
    const gap = (before: Request | undefined) => at - (before?.at ?? -Infinity) + ROUNDING;
    const before = hosts.get(host);
    const known = asked.get(host);
    const crawlDelay = known?.life === life ? known.crawlDelay : 0;
    const least = Math.max(delay, crawlDelay);
    const pause = before?.life === life ? before.retryAfter : 0;
    if (gap(before) < Math.max(least, pause))
      faults.push(
        `early at ${host}: ${spoken(before)}, then ${spoken(request)}; ${least} ${pause}`,
      );
    if (gap(addresses.get(ip)) < addressDelay)
      faults.push(`early at ${ip}: ${spoken(addresses.get(ip))}, then ${spoken(request)}`);
    hosts.set(host, request);
    addresses.set(ip, request);
    if (request.robots)
      asked.set(host, { life, crawlDelay: 1000 * (web.hosts.get(host)?.crawlDelay ?? 0) });
  }
  return faults;
}

const spoken = (request: Request | undefined): string =>
  request
    ? `${request.host}${request.path} at ${request.at.toFixed(1)} (life ${request.life})`
    : 'nothing';

/** No page before robots.txt, and none that it disallows. */
function robotsFaults({ requests, web }: Evidence): string[] {
  const faults: string[] = [];
  const known = new Set<string>();
  for (const { host, path, robots } of requests) {
    if (robots) known.add(host);
    if (path === '/robots.txt') continue;
    if (!known.has(host)) faults.push(`before robots.txt: ${host}${path}`);
    if (web.disallowed.has(`http://${host}${path}`)) faults.push(`disallowed: ${host}${path}`);
  }
  return faults;
}

/** Every URL that passed the sieve is in one of the counts. */
function accountFaults({ summary, web, disk, dir }: Evidence): string[] {
  const { end, urlsUnique, urlsQueued } = summary;
  const { pages, disallowed, errors, refused } = countsIn(disk, dir);
  const faults: string[] = [];
  if (end !== 'finished') faults.push(`the crawl ended as ${end}`);
  if (pages !== web.expected.size)
    faults.push(`${pages} pages are counted, of ${web.expected.size}`);
  const failed = Object.entries(errors)
    .filter(([fault]) => fault !== 'too-many-redirects' && !fault.startsWith('status-'))
    .reduce((sum, [, n]) => sum + n, 0);
  const skipped = Object.values(refused).reduce((sum, n) => sum + n, 0);
  const sum = pages + disallowed + failed + urlsQueued + skipped;
  if (sum !== urlsUnique)
    faults.push(`${urlsUnique} URLs are not ${sum}: ${JSON.stringify(countsIn(disk, dir))}`);
  return faults;
}

/** The counts of all lives, as the last checkpoints of all agents have them. */
function countsIn(disk: MemoryDisk, dir: string): CountersState {
  const checkpoints = [...disk.files()].filter(
    (path) => path.startsWith(`${dir}/agents/`) && path.endsWith('/checkpoint.json'),
  );
  return addUp(checkpoints.map((path) => JSON.parse(disk.bytesOf(path).toString()).state.counters));
}
