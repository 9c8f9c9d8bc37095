/**
 * The first eight bytes of every binary file: a magic word, one byte of version, three letters of
 * type. `head -c 8` shows what a file is; a file of another type or version is refused.
 *
 * The magic word is `DRMS` for a file of blocks with checksums (`block-sums.ts`), `DRML` for one
 * without. The two differ in five bits, so that no single wrong bit turns one into the other.
 */
import { DrumlinError, EXIT } from '../base/errors.ts';
import { damaged } from './damage.ts';
import type { DiskFile } from './disk.ts';

export const HEADER_BYTES = 8;
const PLAIN = 'DRML';
const SUMMED = 'DRMS';

/** The three letters of each kind of file. One place of the sources declares its format. */
const KINDS = {
  adj: 'edges between domains: a sorted run',
  ans: 'answers of a DRUM about keys',
  avl: 'answers of a DRUM with values',
  bst: 'backlog in the manner of BEAST: a segment',
  clu: 'likely pairs of near-duplicates',
  dig: 'digests of earlier payloads',
  fcr: 'records of a focused crawl',
  frs: 'edges between domains: those since the last run',
  ggp: 'graph: gaps between targets',
  ghc: 'graph: hosts',
  gix: 'graph: where lists begin',
  gln: 'graph: lengths of lists',
  gni: 'graph: where names begin',
  gnm: 'graph: names',
  gnr: 'graph: sorted runs of names, while it is built',
  grk: 'graph: ranks of names, while it is renumbered',
  gwd: 'graph: widths of gaps',
  idx: 'backlog: the index of a run',
  img: 'checkpoint of an agent',
  key: 'keys of a DRUM',
  lik: 'pages that are compared for likeness',
  nar: 'graph: arcs between names, while it is built',
  ofr: 'offers to a DRUM',
  org: 'where earlier payloads are',
  pgk: 'keys of earlier pages',
  pgl: 'where earlier pages are',
  prs: 'pairs of numbers, while they are sorted',
  rec: 'records of a DRUM',
  rul: 'rules about likeness',
  run: 'backlog: a run',
  san: 'search: anchors',
  sgr: 'search: first terms of groups',
  sli: 'search: links to URLs',
  sln: 'search: URLs that have links',
  slo: 'search: links of URLs',
  smp: 'supporters of domains: a sample',
  snm: 'search: URLs and titles',
  spo: 'search: postings',
  sps: 'search: positions',
  srn: 'search: a run, while an index is built',
  ssi: 'search: pages and their captures',
  str: 'search: terms',
  sve: 'search: versions of pages',
  trs: 'exchange between agents',
  tst: 'files of tests and benchmarks',
} as const;

export type FileKind = keyof typeof KINDS;
export const FILE_KINDS = Object.keys(KINDS) as FileKind[];

export interface Format {
  readonly type: FileKind;
  readonly version: number;
  /** New files have checksums. Files without are still read: 0.1.0 wrote them. */
  readonly summed?: boolean;
}

export function formatHeader({ type, version, summed }: Format): Uint8Array {
  const text = `${summed ? SUMMED : PLAIN}${String.fromCharCode(version)}${type}`;
  return Uint8Array.from(Buffer.from(text, 'latin1'));
}

/** Whether the file has checksums, by its magic word; damage if it has neither word. */
export async function isSummed(file: DiskFile): Promise<boolean> {
  const header = new Uint8Array(HEADER_BYTES);
  const n = await file.readUpTo(header, 0);
  const magic = Buffer.from(header.buffer, 0, Math.min(n, 4)).toString('latin1');
  if (n < HEADER_BYTES || (magic !== PLAIN && magic !== SUMMED))
    throw damaged(file.path, 'is damaged at byte 0: it does not begin as a file of drumlin');
  return magic === SUMMED;
}

type HeaderFile = Pick<DiskFile, 'path' | 'readUpTo'>;

export async function requireFormat(file: HeaderFile, format: Format): Promise<void> {
  const header = new Uint8Array(HEADER_BYTES);
  const n = await file.readUpTo(header, 0);
  const text = Buffer.from(header.buffer, 0, n).toString('latin1');
  const isOurs = text.startsWith(PLAIN) || (format.summed && text.startsWith(SUMMED));
  if (!isOurs || n < HEADER_BYTES || text.slice(5) !== format.type) {
    throw new DrumlinError(
      'FILE_FORMAT',
      `${file.path} is not a file of the type "${format.type}".`,
      'Choose another --dir, or restore the file from a copy.',
      { exitCode: EXIT.folder },
    );
  }
  if (header[4] !== format.version) throw versionMismatch(file.path, header[4], format.version);
}

export function versionMismatch(path: string, found: unknown, expected: number): DrumlinError {
  return new DrumlinError(
    'FILE_VERSION',
    `${path} holds format v${found}; this build reads v${expected}.`,
    'Use the release of drumlin that wrote it, or choose an empty --dir.',
    { exitCode: EXIT.folder },
  );
}
