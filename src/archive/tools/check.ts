/**
 * Is an archive what it says it is? Every record is read, every digest computed again, every line of the index looked for.
 *
 * Idea      Reading through is the check of lengths: a record that is shorter or longer than it says ends the reading. The index is
 *           held against the files as two sorted lists of places, so that memory does not depend on their length.
 * Requires  an archive that nobody writes to, if its index is to agree.
 * Ensures   every problem is told once, with file and byte, in words that say what is wrong; a `note` is what other tools may
 *           stumble over and nothing is lost by. Damage in one file does not end the check of the others.
 * Cost      One read of the archive and one of the index, and a sort of places, in fixed memory.
 */
import { tmpdir } from 'node:os';
import type { Bytes } from '../../base/units.ts';
import type { Disk } from '../../disk/disk.ts';
import { LineSorter } from '../../disk/line-sort.ts';
import { MEMBERS } from '../compress/compression.ts';
import type { Archive, WarcFile } from '../index/archive.ts';
import { type Capture, captureOf, parseCdxj } from '../index/cdxj.ts';
import { surt } from '../index/surt.ts';
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
  /** Digests that were computed again and agree, and that could not be: of an algorithm we do not know. */
  readonly digests: number;
  readonly digestsUnknown: number;
  /** Captures that the index names, and whether there is one. */
  readonly indexed: number | undefined;
  readonly faults: number;
  readonly notes: number;
}

const MEMORY: Bytes = 32 * 2 ** 20;
const REQUIRED = ['WARC-Record-ID', 'WARC-Date', 'WARC-Type'];

export async function checkArchive(
  disk: Disk,
  archive: Archive,
  tell: (problem: Problem) => void,
  memory = MEMORY,
): Promise<CheckReport> {
  const check = new Check(disk, tell, memory);
  for (const file of archive.files) await check.file(file);
  if (archive.index) await check.index(archive.index.path, archive.index.linesFrom(''));
  await check.end();
  return check.report(archive.files.length);
}

class Check {
  readonly #disk: Disk;
  readonly #tell: (problem: Problem) => void;
  /** Places of all captures, as the files have them and as the index says. */
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

  constructor(disk: Disk, tell: (problem: Problem) => void, memory: Bytes) {
    this.#disk = disk;
    this.#tell = tell;
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
    const beyond = kind === 'too-large' ? 'records from here on were not read' : REPAIRABLE;
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
            `line ${this.#indexed} is no line of CDXJ: ${short(line)}`,
          );
        else {
          if (capture.key !== surt(capture.url))
            this.#problem(
              'note',
              path,
              0,
              `${capture.key} is another key than ours for ${capture.url}`,
            );
          await this.#said.add(placeOf(capture));
        }
      }
    }
  }

  /** Compares the index with the files, if there is one. */
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
            `${this.#indexPath} lacks ${urlOf(place!)}`,
          );
          place = await places.next();
        } else {
          this.#problem(
            'fault',
            ...this.#where(line),
            `${this.#indexPath} names ${urlOf(line)}, which is not there`,
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
    for (const field of REQUIRED) {
      if (headers.get(field) === undefined)
        this.#problem('fault', name, offset, `${about}: has no ${field}`);
    }
    const target = headers.get('WARC-Target-URI') ?? '';
    if (/^<.*>$/.test(target))
      this.#problem('note', name, offset, `${about}: its URI stands in angle brackets`);
    if (/\s/.test(target))
      this.#problem('note', name, offset, `${about}: its URI has blanks in it`);
    for (const [what, verdict] of Object.entries(verifyDigests(record))) {
      if (verdict === 'ok') this.#counts.digests++;
      if (verdict === 'unknown') this.#counts.digestsUnknown++;
      if (verdict === 'mismatch') {
        this.#problem(
          'fault',
          name,
          offset,
          `${about}: its ${what} has another digest than it states`,
        );
      }
      if (verdict === 'framed') {
        this.#counts.digests++;
        this.#problem(
          'note',
          name,
          offset,
          `${about}: its payload digest is that of the chunks as sent`,
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
    this.#tell({ weight, file, offset, words });
  }
}

const sharedIn = (member: string) =>
  `several records in one ${member}: no index can point at them; "drumlin archive repair" gives each its own`;
const REPAIRABLE = '"drumlin archive repair" keeps the whole records';

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
