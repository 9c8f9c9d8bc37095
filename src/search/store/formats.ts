/**
 * The files of an index.
 *
 *   index.json            the settings, and the parts that count, with what each holds: counts,
 *                         files, languages, crawls, lengths; replaced in one step
 *   parts/N/terms         the dictionary: terms in order, in groups of 64, front-coded
 *   parts/N/groups        the first term of each group, and where it begins
 *   parts/N/postings      versions and frequencies of each term, in blocks
 *   parts/N/positions     positions of each term, in the same blocks
 *   parts/N/versions      24 bytes a version: lengths, language, file, where its record is, its
 *                         name
 *   parts/N/names         URL and title of each version
 *   parts/N/sightings     pages by key: their versions, and every capture
 *   parts/N/nodes         URLs by key: where their links are, and when they were read
 *   parts/N/out, in       links of each URL, with the first and last epoch of each
 *   parts/N/anchors       URLs by key: the anchors of links to them
 *
 * A part never changes. Positions in files are those of their content (src/disk/block-file.ts):
 * every block has a checksum.
 */
import type { FileKind, Format } from '../../disk/format.ts';

/** The version of everything in an index. */
export const INDEX_VERSION = 2;

const format = (type: FileKind): Format => ({ type, version: INDEX_VERSION, summed: true });

export const FORMATS = {
  terms: format('str'),
  groups: format('sgr'),
  postings: format('spo'),
  positions: format('sps'),
  versions: format('sve'),
  names: format('snm'),
  sightings: format('ssi'),
  run: format('srn'),
  nodes: format('sln'),
  out: format('slo'),
  in: format('sli'),
  anchors: format('san'),
} as const;

/** The files of a part. */
export type PartFileName = Exclude<keyof typeof FORMATS, 'run'>;

/**
 * What a list of postings is about: the first character of its term in the dictionary. A *word* is
 * written as in the text, in lower case; a *variant* is a stem or a word without accents that
 * differs from the word itself.
 */
export const FIELD = {
  body: 'B',
  bodyVariant: 'b',
  title: 'T',
  titleVariant: 't',
  /** The postings of these two number anchors (anchor-file.ts), not versions. */
  anchor: 'A',
  anchorVariant: 'a',
  /** A host, or the end of one after a dot: `gov.ly`. */
  site: 'H',
  language: 'L',
} as const;

export type Field = (typeof FIELD)[keyof typeof FIELD];

export const isAnchor = (field: string): boolean =>
  field === FIELD.anchor || field === FIELD.anchorVariant;

/** Fields whose postings have positions. */
export const hasPositions = (field: string): boolean =>
  field === FIELD.body || field === FIELD.title;

/** Postings of a block. Tests use fewer. */
export const BLOCK = 128;
/** Terms of a group of the dictionary. */
export const GROUP = 64;
