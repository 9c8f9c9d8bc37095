/**
 * Documents: PDF and PostScript files among the pages of a site.
 *
 * On any web, one page in four of an academic domain is a PDF of plain text. On a web with
 * documents (scenario `papers`) these are papers, slides and lecture notes, in several formats;
 * other domains have brochures and manuals; and papers cite papers by their addresses. Which share
 * of its documents are papers differs by domain. Citations are heavy-tailed over domains and over
 * the papers of a domain; one in twenty leads to a document that is no paper.
 *
 * A document is written once and never changes.
 */
import { gzipSync } from 'node:zlib';
import type { Answer } from './answer.ts';
import { writePdf, writePlainPdf } from './documents/pdf.ts';
import { writeDvips, writePostScript } from './documents/postscript.ts';
import { type DocumentClass, proseOf } from './documents/prose.ts';
import type { Domain } from './domain.ts';
import { DOCUMENT_DISTANCE, formatOf, isDocument, poolOf, urlOf } from './paths.ts';
import { pageBirth, pagesAt, secondsOf } from './time.ts';
import type { Web } from './web.ts';
import { hash, Random, TAG, unit } from './words/random.ts';
import { Reader } from './words/text.ts';

const ENGLISH = 0;
/** The share of papers among the documents of an academic domain: from this, by this much more. */
const LEAST_PAPERS = 0.2;
const MORE_PAPERS = 0.6;
/** The share of papers and of manuals among the documents of other domains. */
const OTHER_PAPERS = 0.01;
const OTHER_MANUALS = 0.2;
/** One citation in this many leads to a document that is no paper. */
const JUNK = 20;
const TRIES = 8;

/** What a document is. */
export function classOf({ world: { seed }, index, kind }: Domain, page: number): DocumentClass {
  const u = unit(hash(seed, TAG.document, index, page));
  if (!kind.papers)
    return u < OTHER_PAPERS ? 'paper' : u < OTHER_PAPERS + OTHER_MANUALS ? 'notes' : 'brochure';
  const papers = LEAST_PAPERS + MORE_PAPERS * unit(hash(seed, TAG.document, index, -1));
  return u < papers ? 'paper' : u < (1 + papers) / 2 ? 'slides' : 'notes';
}

/** The addresses that a paper cites; an empty one is a reference without an address. */
export function referencesOf(web: Web, domain: Domain, page: number): string[] {
  if (classOf(domain, page) !== 'paper') return [];
  const { seed } = web.world;
  const birth = pageBirth(web.world, domain, page);
  const random = new Random(seed ^ TAG.reference, domain.index, page, 0);
  return Array.from({ length: 6 + random.below(20) }, (_, i) => {
    if (random.below(2) === 0) return '';
    const index = web.memberFor('academic', domain, page * 64 + i);
    const target = index === undefined ? undefined : web.domains.at(index);
    const cited = target && citedPage(web, target, birth, random);
    return target && cited !== undefined ? urlOf(target, cited) : '';
  });
}

/** A document of the domain that existed at a step, the first ones more often. */
function citedPage(web: Web, domain: Domain, step: number, random: Random): number | undefined {
  const first = Math.ceil((domain.fixedPages - 3) / DOCUMENT_DISTANCE) * DOCUMENT_DISTANCE + 3;
  const documents = Math.floor((pagesAt(web.world, domain, step) - 1 - first) / DOCUMENT_DISTANCE);
  if (documents < 1) return undefined;
  const u = random.unit();
  const wanted = Math.floor(u * u * u * documents);
  const takesAny = random.below(JUNK) === 0;
  for (let k = wanted; k < Math.min(documents, wanted + TRIES); k++) {
    const page = first + k * DOCUMENT_DISTANCE;
    if (isDocument(domain, page) && (takesAny || classOf(domain, page) === 'paper')) return page;
  }
  return undefined;
}

export function documentAnswer(web: Web, domain: Domain, page: number): Answer {
  const birth = pageBirth(web.world, domain, page);
  const random = new Random(web.world.seed ^ TAG.page, domain.index, page, birth);
  const { type, body } = web.world.scenario.documents
    ? writtenOf(web, domain, page, random)
    : { type: 'application/pdf', body: plainOf(domain, birth, random) };
  return {
    status: 200,
    headers: `Content-Type: ${type}\r\n`,
    body,
    etag: `"${hash(web.world.seed, TAG.page, domain.index, page, birth).toString(16)}"`,
    modified: secondsOf(birth),
  };
}

function plainOf(domain: Domain, birth: number, words: Random): string {
  const text = new Reader(poolOf(domain, birth), words)
    .read(4000 + words.below(12_000))
    .replace(/[()\\\x80-\xff]/g, '');
  return writePlainPdf(text);
}

interface Written {
  readonly type: string;
  readonly body: string;
}

function writtenOf(web: Web, domain: Domain, page: number, random: Random): Written {
  const { texts } = web.world;
  const birth = pageBirth(web.world, domain, page);
  const references = referencesOf(web, domain, page);
  const pool = texts.pool(ENGLISH, domain.topic, birth);
  const pages = proseOf({ kind: classOf(domain, page), pool, random, references });
  const format = formatOf(domain, page);
  const draw = random.below(2);
  if (format.startsWith('pdf')) {
    const links = draw === 0 ? references.filter((address) => address !== '') : [];
    const body = writePdf(pages, { compressed: random.below(2) === 0, links });
    return zipped(body, 'application/pdf', format);
  }
  const body = draw === 0 ? writeDvips(pages) : writePostScript(pages);
  return zipped(body, 'application/postscript', format);
}

function zipped(body: string, type: string, format: string): Written {
  if (!format.endsWith('.gz')) return { type, body };
  const packed = gzipSync(Buffer.from(body, 'latin1')).toString('latin1');
  return { type: 'application/x-gzip', body: packed };
}
