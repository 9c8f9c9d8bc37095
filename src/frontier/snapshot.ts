/**
 * The part of the frontier that is in memory, as the bytes of one file: a checkpoint stores it
 * beside the lengths of the files on disk.
 *
 * Format    records of fields: the kind, a name, the rest. Hosts carry what is known of them and
 *           their URLs, the one under way first; then the backlog's two runs in memory, host by
 *           host.
 * Requires  `takeSnapshot` is called between two steps of the distributor.
 * Ensures   `restoreSnapshot` gives a frontier that hands out the same URLs: what was being fetched
 *           is fetched again.
 */
import { FieldReader, FieldWriter } from '../base/fields.ts';
import type { Millis } from '../base/units.ts';
import type { MemoryRun } from './backlog/memory-run.ts';
import type { Frontier } from './frontier.ts';
import type { Host } from './host.ts';
import { decodeDomain, decodeHost, encodeDomain, encodeHost } from './host-record.ts';
import { type Entries, PathQueue } from './queue/path-queue.ts';

const KIND = { domain: 1, host: 2, returned: 3, arrivals: 4 } as const;

/** The snapshot is a view of `out`; pass the same `out` each time to reuse its memory. */
export function takeSnapshot(frontier: Frontier, out = new FieldWriter()): Uint8Array {
  out.clear();
  for (const domain of frontier.domainsInMemory()) {
    out.number(KIND.domain);
    out.text(domain.name);
    out.bytes(encodeDomain(domain));
  }
  for (const host of frontier.inMemory()) {
    out.number(KIND.host);
    out.text(host.name);
    out.bytes(encodeHost(host));
    out.number(host.hasBacklog ? 1 : 0);
    const queue = new PathQueue(host.name);
    if (host.underWay) queue.push(host.underWay);
    const waiting = host.queue.entries();
    if (waiting.count > 0) queue.append(waiting);
    writeQueue(out, queue);
  }
  writeRun(out, KIND.returned, frontier.backlog.returned);
  writeRun(out, KIND.arrivals, frontier.backlog.arrivals);
  return out.finish();
}

/**
 * `readyAt`: hosts may have been asked after the checkpoint, which has no record of it; they are
 * paused until this time. `ahead`: how far the clock of the checkpoint was ahead of today's.
 * `withUrls`: false for a crawl whose coordinator asks again for what was queued.
 */
export function restoreSnapshot(
  bytes: Uint8Array,
  frontier: Frontier,
  readyAt: (host: Host) => Millis,
  ahead: Millis = 0,
  withUrls = true,
): void {
  const { returned, arrivals } = frontier.backlog;
  const fields = new FieldReader(bytes);
  while (!fields.atEnd) {
    const kind = fields.number();
    const name = fields.text();
    if (kind === KIND.domain)
      frontier.registry.restoreDomain(name, (domain) => decodeDomain(fields.bytes(), domain));
    else if (kind === KIND.host) {
      const { host } = frontier.registry.candidate(name);
      decodeHost(fields.bytes(), host);
      host.setBack(ahead);
      frontier.mistrust(host);
      host.readyAt = Math.max(host.readyAt, readyAt(host));
      const hasBacklog = fields.number() === 1;
      const waiting = new PathQueue(name);
      const stored = readQueue(fields);
      if (withUrls) waiting.append(stored);
      frontier.restoreHost(host, waiting, withUrls && hasBacklog);
    } else {
      const stored = readQueue(fields);
      if (withUrls) (kind === KIND.returned ? returned : arrivals).append(name, stored);
    }
  }
}

/** One record of a snapshot. */
type SnapshotRecord =
  | { readonly kind: 'domain'; readonly name: string; readonly record: Uint8Array }
  | {
      readonly kind: 'host';
      readonly name: string;
      readonly record: Uint8Array;
      readonly hasBacklog: boolean;
      readonly queue: Entries;
    }
  | { readonly kind: 'returned' | 'arrivals'; readonly name: string; readonly queue: Entries };

/** Reads a snapshot without a frontier; bytes are views. */
export function* readSnapshot(bytes: Uint8Array): Generator<SnapshotRecord> {
  const fields = new FieldReader(bytes);
  while (!fields.atEnd) {
    const kind = fields.number();
    const name = fields.text();
    if (kind === KIND.domain) yield { kind: 'domain', name, record: fields.bytes() };
    else if (kind === KIND.host) {
      const record = fields.bytes();
      const hasBacklog = fields.number() === 1;
      yield { kind: 'host', name, record, hasBacklog, queue: readQueue(fields) };
    } else
      yield {
        kind: kind === KIND.returned ? 'returned' : 'arrivals',
        name,
        queue: readQueue(fields),
      };
  }
}

function writeRun(out: FieldWriter, kind: number, run: MemoryRun): void {
  for (const { queue } of run.waiting()) {
    out.number(kind);
    out.text(queue.host);
    writeQueue(out, queue);
  }
}

function writeQueue(out: FieldWriter, queue: PathQueue): void {
  const { count, bytes } = queue.entries();
  out.number(count);
  out.bytes(bytes);
}

function readQueue(fields: FieldReader): Entries {
  return { count: fields.number(), bytes: fields.bytes() };
}
