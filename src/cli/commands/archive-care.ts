/** `drumlin archive check`, `repair`, `wacz`, `import` and `index`. */
import { dirname, join } from 'node:path';
import { MEMBERS } from '../../archive/compress/compression.ts';
import { Archive } from '../../archive/index/archive.ts';
import { mergeIndex, partsDir, warcNames } from '../../archive/index/index-merge.ts';
import { type CheckReport, checkArchive, type Problem } from '../../archive/tools/check.ts';
import { importWarcs } from '../../archive/tools/import.ts';
import { inspect, type RepairReport, repair } from '../../archive/tools/repair.ts';
import { writeWacz } from '../../archive/tools/wacz.ts';
import { isArcName } from '../../archive/warc/warc-names.ts';
import { systemClock } from '../../base/clock.ts';
import { DrumlinError, EXIT } from '../../base/errors.ts';
import { counted, formatBytes, formatCount } from '../../base/units.ts';
import { Disk } from '../../disk/disk.ts';
import { jsonLine, printable } from '../screen/printable.ts';

interface Paper {
  write(text: string): unknown;
}

/** Prints every problem of an archive; returns true if there is none. */
export async function check(
  place: string,
  { json }: { json?: boolean },
  output: Paper,
): Promise<boolean> {
  const disk = new Disk();
  const archive = await Archive.open(disk, place);
  const report = await checkArchive(disk, archive, (problem) => {
    output.write(json ? jsonLine(problem) : `${printable(problemText(problem))}\n`);
  });
  output.write(json ? jsonLine({ place, ...report }) : summary(place, report));
  return report.faults === 0;
}

function summary(place: string, report: CheckReport): string {
  const { files, records, captures, digests, indexed, faults, notes } = report;
  const verdict = faults === 0 ? 'sound' : counted(faults, 'fault');
  const noted = notes === 0 ? '' : `, ${counted(notes, 'note')}`;
  const index = indexed === undefined ? 'no index' : `${formatCount(indexed)} in the index`;
  return (
    `${place}: ${verdict}${noted}\n` +
    `  ${counted(files, 'file')}, ${counted(records, 'record')}, ${counted(captures, 'capture')}, ` +
    `${counted(digests, 'digest')} confirmed, ${index}\n`
  );
}

export async function repairFile(
  warc: string,
  { out, inPlace }: RepairFlags,
  output: Paper,
): Promise<void> {
  const disk = new Disk();
  if (out === undefined && !inPlace) throw noPlace();
  if (isArcName(warc)) throw onlyRead(warc, 'repaired');
  const found = await inspect(disk, warc);
  if (found.records > 0 && found.leftOut.length === 0 && found.parted === 0) {
    output.write(`${warc}: nothing to repair, ${sizeText(found.records, found.bytes)}\n`);
    output.write(wrongText(found));
    return;
  }
  const target = out ?? `${warc}.repaired`;
  await requireAbsent(disk, target);
  if (inPlace) await requireAbsent(disk, `${warc}.bak`);
  const report = await repair(disk, warc, target);
  if (inPlace) {
    await disk.rename(warc, `${warc}.bak`);
    await disk.rename(target, warc);
    await disk.syncFolder(dirname(warc));
  }
  output.write(repairText(warc, inPlace ? warc : target, report));
  if (inPlace) output.write(`  the old file is ${warc}.bak\n`);
}

function repairText(from: string, to: string, report: RepairReport): string {
  const lines = [`${to}: ${sizeText(report.records, report.bytes)}\n`];
  for (const { offset, length, why } of report.leftOut) {
    lines.push(`  skipped in ${from}: ${formatCount(length)} bytes from byte ${offset} (${why})\n`);
  }
  if (report.parted > 0) {
    lines.push(
      `  ${formatCount(report.parted)} records shared a ${MEMBERS[report.compression]}; each now has its own\n`,
    );
  }
  return lines.join('') + wrongText(report);
}

/** The kept records with wrong digests: no repair can correct them. */
function wrongText({ wrongDigests }: RepairReport): string {
  return wrongDigests
    .map(
      ({ offset, of, url = 'a record' }) =>
        `  kept as it is: the digest of the ${of} of ${printable(url)} is wrong (byte ${offset} of the damaged file)\n`,
    )
    .join('');
}

/** Fails if `path` exists: no file is overwritten. */
async function requireAbsent(disk: Disk, path: string): Promise<void> {
  try {
    await (await disk.open(path, 'read')).close();
  } catch (error) {
    if (error instanceof DrumlinError && error.code === 'FILE_MISSING') return;
    throw error;
  }
  throw new DrumlinError(
    'FILE_EXISTS',
    `${path} already exists.`,
    'Choose another name with -o, or move the file away.',
    {
      exitCode: EXIT.usage,
    },
  );
}

function noPlace(): DrumlinError {
  return new DrumlinError(
    'USAGE',
    'No name is given for the repaired file.',
    'Name it with -o, or use --in-place, which keeps the old file as .bak.',
  );
}

export async function pack(place: string, flags: WaczFlags, output: Paper): Promise<void> {
  const disk = new Disk();
  await requireAbsent(disk, flags.out);
  const archive = await Archive.open(disk, place);
  const arc = archive.files.find(({ name }) => isArcName(name));
  if (arc) throw onlyRead(arc.name, 'packed');
  const { pages, files, bytes } = await writeWacz(disk, archive, flags.out, {
    ...flags,
    mainUrl: flags.main ?? (await firstSeed(disk, place)),
    now: systemClock.now(),
  });
  output.write(
    `${flags.out}: ${counted(pages, 'page')}, ${counted(files, 'WARC file')}, ${formatBytes(bytes)}\n`,
  );
}

export async function bringIn(
  places: readonly string[],
  { dir, copy }: ImportFlags,
  output: Paper,
  screen: Paper,
): Promise<void> {
  const { files, linked, captures } = await importWarcs(new Disk(), places, dir, {
    copy,
    now: systemClock.now(),
    onWarning: (sentence) => void screen.write(`${printable(sentence)}\n`),
  });
  const how =
    linked === files ? 'linked' : linked === 0 ? 'copied' : `${linked} linked, the others copied`;
  output.write(
    `${dir}: ${counted(files, 'WARC file')} (${how}), ${counted(captures, 'capture')}\n`,
  );
}

/** The first seed of a crawl; undefined if `place` holds no crawl. */
async function firstSeed(disk: Disk, place: string): Promise<string | undefined> {
  try {
    return JSON.parse(await disk.readText(join(place, 'crawl.json')))?.seeds?.[0];
  } catch {
    return undefined;
  }
}

/** Builds the index again from the WARC files alone; the old index parts are deleted. */
export async function reindex(folder: string, output: Paper): Promise<void> {
  const disk = new Disk();
  if ((await warcNames(disk, join(folder, 'archive'))).length === 0)
    await Archive.open(disk, join(folder, 'archive'));
  await disk.removeFolder(partsDir(folder));
  const captures = await mergeIndex(disk, folder);
  output.write(`${join(folder, 'indexes')}: ${counted(captures, 'capture')}\n`);
}

export interface WaczFlags {
  readonly out: string;
  readonly title?: string;
  readonly description?: string;
  readonly main?: string;
}

export interface ImportFlags {
  readonly dir: string;
  readonly copy?: boolean;
}

export interface RepairFlags {
  readonly out?: string;
  readonly inPlace?: boolean;
}

/** `x.warc.gz, byte 512: …` */
function problemText({ weight, file, offset, words }: Problem): string {
  return `${weight === 'note' ? 'note: ' : ''}${file}, byte ${offset}: ${words}`;
}

function sizeText(records: number, bytes: number): string {
  return `${formatCount(records)} records, ${formatBytes(bytes)}`;
}

/** What other tools expect is WARC. */
function onlyRead(name: string, done: string): DrumlinError {
  return new DrumlinError(
    'ARC',
    `${name} is an ARC file, which cannot be ${done}.`,
    'ARC files can be listed, printed, checked and imported. Convert it with "warcio recompress".',
    { exitCode: EXIT.usage },
  );
}
