/**
 * Checks an archive: reads every record, computes every digest again, looks up every line of the
 * index.
 *
 * Idea      Reading checks the lengths: a record that is shorter or longer than stated ends the
 *           reading. The index is compared with the files as two sorted lists of positions, so
 *           memory does not depend on their length.
 * Requires  An archive that no process writes to, or its index will not agree.
 * Ensures   Every problem is reported once, with file, byte and a description. A `note` is
 *           harmless, but other tools may reject it. Damage in one file does not end the check of
 *           the others.
 * Cost      One read of the archive and one of the index, and a sort of positions, in fixed memory.
 */
import { tmpdir } from 'node:os';
import type { Bytes } from '../../base/units.ts';
import type { Disk } from '../../disk/disk.ts';
import { LineSorter } from '../../disk/line-sort.ts';
import { MEMBERS } from '../compress/compression.ts';
import type { Archive, WarcFile } from '../index/archive.ts';
import { type Capture, captureOf, parseCdxj } from '../index/cdxj.ts';
import { surt } from '../index/surt.ts';
import { ARC } from '../warc/warc-parse.ts';
import { readWarc, type WarcRecord } from '../warc/warc-reader.ts';
import { verifyDigests } from './verify.ts';

export interface Problem {
  readonly weight: 'fault' | 'note';
  readonly file: string;
  readonly offset: number;
  readonly words: string;
}

export interface CheckReport {
  readonly files: number;
  readonly records: number;
  readonly captures: number;
  /** Digests that were computed again and agree. */
  readonly digests: number;
  /** Digests of an unknown algorithm, which were not checked. */
  readonly digestsUnknown: number;
  /** Captures in the index; undefined if there is no index. */
  readonly indexed: number | undefined;
  readonly faults: number;
  readonly notes: number;
}

const MEMORY: Bytes = 32 * 2 ** 20;
const REQUIRED = ['WARC-Record-ID', 'WARC-Date', 'WARC-Type'];

export async function checkArchive(
  disk: Disk,
  archive: Archive,
  onProblem: (problem: Problem) => void,
  memory = MEMORY,
): Promise<CheckReport> {
  const check = new Check(disk, onProblem, memory);
  for (const file of archive.files) await check.file(file);
  if (archive.index) await check.index(archive.index.path, archive.index.linesFrom(''));
  await check.end();
  return check.report(archive.files.length);
}

class Check {
  readonly #disk: Disk;
  readonly #onProblem: (problem: Problem) => void;
  /** Positions of all captures: in the files, and according to the index. */
  readonly #places: LineSorter;
  readonly #said: LineSorter;
  readonly #counts = {
    records: 0,
    captures: 0,
    digests: 0,
    digestsUnknown: 0,
    faults: 0,
    notes: 0,
  };
  #indexed: number | undefined;
  #indexPath = '';

  constructor(disk: Disk, onProblem: (problem: Problem) => void, memory: Bytes) {
    this.#disk = disk;
    this.#onProblem = onProblem;
    this.#places = new LineSorter(disk, tmpdir(), `drumlin-check-${process.pid}-places`, memory);
    this.#said = new LineSorter(disk, tmpdir(), `drumlin-check-${process.pid}-said`, memory);
  }

  report(files: number): CheckReport {
    return { files, indexed: this.#indexed, ...this.#counts };
  }

  async file({ name, path }: WarcFile): Promise<void> {
    const reader = readWarc(path, { disk: this.#disk });
    let sharing = -1;
    for await (const record of reader) {
      this.#counts.records++;
      if (record.sharesMember && record.offset !== sharing) {
        sharing = record.offset;
        this.#problem('fault', name, record.offset, sharedIn(MEMBERS[reader.compression]));
      }
      this.#record(name, record);
      const capture = captureOf(record, name);
      if (!capture) continue;
      this.#counts.captures++;
      await this.#places.add(placeOf(capture));
    }
    if (!reader.fault) return;
    const { kind, offset, fact } = reader.fault;
    const beyond = kind === 'too-large' ? 'records from here on are not checked' : REPAIRABLE;
    this.#problem('fault', name, offset, `${kind}: ${fact}; ${beyond}`);
  }

  async index(path: string, batches: AsyncIterable<readonly string[]>): Promise<void> {
    this.#indexed = 0;
    this.#indexPath = path;
    let last = '';
    for await (const lines of batches) {
      for (const line of lines) {
        this.#indexed++;
        if (line < last)
          this.#problem('fault', path, 0, `line ${this.#indexed} is out of order: ${short(line)}`);
        last = line;
        const capture = parseCdxj(line);
        if (!capture)
          this.#problem(
            'fault',
            path,
            0,
            `line ${this.#indexed} is not a CDXJ line: ${short(line)}`,
          );
        else {
          if (capture.key !== surt(capture.url))
            this.#problem(
              'note',
              path,
              0,
              `${capture.key} differs from our key for ${capture.url}`,
            );
          await this.#said.add(placeOf(capture));
        }
      }
    }
  }

  /** Compares the index with the files, if there is an index. */
  async end(): Promise<void> {
    const places = new Lines(this.#places.sorted());
    const said = new Lines(this.#said.sorted());
    try {
      if (this.#indexed === undefined) return;
      let [place, line] = [await places.next(), await said.next()];
      while (place !== undefined || line !== undefined) {
        if (place === line) {
          [place, line] = [await places.next(), await said.next()];
        } else if (line === undefined || (place !== undefined && place < line)) {
          this.#problem(
            'fault',
            ...this.#where(place!),
            `${this.#indexPath} does not list ${urlOf(place!)}`,
          );
          place = await places.next();
        } else {
          this.#problem(
            'fault',
            ...this.#where(line),
            `${this.#indexPath} lists ${urlOf(line)}, which does not exist`,
          );
          line = await said.next();
        }
      }
    } finally {
      await places.end();
      await said.end();
    }
  }

  #record(name: string, record: WarcRecord): void {
    const { type, offset, headers } = record;
    const about = headers.targetUri === undefined ? type : `${type} of ${headers.targetUri}`;
    // A record of an ARC file has other fields.
    for (const field of record.version === ARC ? [] : REQUIRED) {
      if (headers.get(field) === undefined)
        this.#problem('fault', name, offset, `${about}: has no ${field}`);
    }
    const target = headers.get('WARC-Target-URI') ?? '';
    if (/^<.*>$/.test(target))
      this.#problem('note', name, offset, `${about}: the URI is in angle brackets`);
    if (/\s/.test(target)) this.#problem('note', name, offset, `${about}: the URI contains blanks`);
    for (const [what, verdict] of Object.entries(verifyDigests(record))) {
      if (verdict === 'ok') this.#counts.digests++;
      if (verdict === 'unknown') this.#counts.digestsUnknown++;
      if (verdict === 'mismatch') {
        this.#problem('fault', name, offset, `${about}: the digest of the ${what} is wrong`);
      }
      if (verdict === 'framed') {
        this.#counts.digests++;
        this.#problem(
          'note',
          name,
          offset,
          `${about}: the payload digest covers the chunk framing`,
        );
      }
    }
  }

  #where(place: string): [string, number] {
    const [file, offset] = place.split('\0');
    return [file, Number(offset)];
  }

  #problem(weight: Problem['weight'], file: string, offset: number, words: string): void {
    this.#counts[weight === 'fault' ? 'faults' : 'notes']++;
    this.#onProblem({ weight, file, offset, words });
  }
}

const sharedIn = (member: string) =>
  `several records share one ${member}, so no index can point at them; "drumlin archive repair" separates them`;
const REPAIRABLE = '"drumlin archive repair" keeps the complete records';

function placeOf({ filename, offset, length, timestamp, url, digest }: Capture): string {
  return [
    filename,
    String(offset).padStart(16, '0'),
    length,
    timestamp,
    Buffer.from(url).toString('latin1'),
    digest,
  ].join('\0');
}

function urlOf(place: string): string {
  return Buffer.from(place.split('\0')[4], 'latin1').toString();
}

function short(line: string): string {
  return line.length > 100 ? `${line.slice(0, 100)}…` : line;
}

/** Lines one at a time. */
class Lines {
  readonly #batches: AsyncGenerator<string[]>;
  #batch: string[] = [];
  #at = 0;

  constructor(batches: AsyncGenerator<string[]>) {
    this.#batches = batches;
  }

  async next(): Promise<string | undefined> {
    while (this.#at === this.#batch.length) {
      const { value, done } = await this.#batches.next();
      if (done) return undefined;
      this.#batch = value;
      this.#at = 0;
    }
    return this.#batch[this.#at++];
  }

  async end(): Promise<void> {
    await this.#batches.return(undefined);
  }
}
