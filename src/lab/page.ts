/**
 * One HTML page: head, menu, text with links in it, lists of links, footer.
 *
 * Its outline decides its size and its links; here it gets its words.
 * Cost      about 50 µs for 25 KB; only each domain's menu and footer are cached.
 */
import { HTML_TYPE } from './answer.ts';
import type { Domain } from './domain.ts';
import type { LinkList } from './link-list.ts';
import { frameLinksOf, type Outline, outlineOf } from './outline.ts';
import { poolOf } from './paths.ts';
import { STORY_NAMES, type Story } from './stories/story-book.ts';
import { recentBurst } from './time.ts';
import { type Manner, shownTo, type Visitor } from './tricks/manner.ts';
import { hiddenText, markupOf, titleOf } from './tricks/markup.ts';
import { Writer } from './tricks/writer.ts';
import type { Web } from './web.ts';
import { Random, TAG } from './words/random.ts';
import { anchorEnd, type Pool, phraseOf, Reader } from './words/text.ts';
import { inventWord, LANGUAGES, topicWords } from './words/vocabulary.ts';

const PARAGRAPH = 900;
/** Average bytes of a link, markup and words. */
const LINK_BYTES = 118;

interface Page {
  readonly headers: string;
  readonly body: string;
  /** What its author wrote: heading and paragraphs as in `body`, without menu, lists and footer. */
  readonly written: () => string;
  /** The last step at which any part of the page changed. */
  readonly modified: number;
}

export function makePage(
  web: Web,
  domain: Domain,
  page: number,
  seenBy: Visitor = 'crawler',
): Page {
  const frame = frameOf(web, domain, domain.hostOf(page));
  const outline = outlineOf(web, domain, page, frame.modified);
  const { body, written } = writePage(web, domain, outline, frame, seenBy);
  return { headers: contentType(domain), body, written, modified: outline.links.modified };
}

function contentType(domain: Domain): string {
  switch (domain.behaviour('transfer')) {
    case 'no-charset':
      return 'Content-Type: text/html\r\n';
    case 'no-type':
      return '';
    case 'lying-type':
      return 'Content-Type: image/png\r\n';
    default:
      return HTML_TYPE;
  }
}

/**
 * Pieces are gathered and joined once: a string that grows by adding is a tree, and flattening it
 * took a third of the time.
 */
function writePage(
  web: Web,
  domain: Domain,
  outline: Outline,
  frame: Frame,
  seenBy: Visitor,
): Pick<Page, 'body' | 'written'> {
  const { page, links, original, textStep, story } = outline;
  const { seed } = web.world;
  const pool = poolOf(original.domain, textStep);
  const words = new Random(seed ^ TAG.page, original.domain.index, original.page, textStep + 1);
  const others = new Random(seed ^ TAG.edit, domain.index, page, textStep + 1);
  const voice: Voice = {
    from: domain,
    host: domain.hostOf(page),
    pool,
    window: page,
    words: others,
  };
  const manner = shownTo(original.domain.manner, seenBy);
  const reader = manner
    ? writerOf(original.domain, manner, textStep, words)
    : new Reader(pool, words);
  const title = titleOf(pool, words, reader, manner);
  const subject = story
    ? storySubject(story, original.domain, pool)
    : subjectOf(web, original.domain, pool, words, textStep);
  const text = textBytes(web, domain, outline, frame);
  const paragraphs = Math.ceil(text / PARAGRAPH);
  const other = new Reader(pool, others);
  const [open, close] = markupOf(domain.manner);
  const inText = Math.min(paragraphs, Math.floor(links.length / 3));
  const out = [
    frame.head,
    '<title>',
    title,
    ' - ',
    domain.name,
    '</title>\n<meta name="description" content="',
    subject,
    '">\n',
  ];
  out.push(frame.menu);
  const begin = out.length;
  out.push('<h1>', title, '</h1>\n');
  for (let i = 0; i < paragraphs; i++) {
    out.push(open);
    if (i % (story ? 2 : 3) === 0) out.push(subject, ': ');
    const own = reader.read(text / paragraphs);
    out.push(
      original.edited > 0 && i % original.edited === 1 ? other.read(text / paragraphs) : own,
    );
    if (i < inText) putAnchor(out, links, i, voice);
    out.push(close);
  }
  const end = out.length;
  if (reader instanceof Writer) {
    const hidden = hiddenText(domain, page, reader, text);
    if (hidden !== '') out.push(hidden);
  }
  out.push('<p>\n');
  for (let i = inText; i < links.length; i++) putAnchor(out, links, i, voice);
  out.push(frame.footer);
  return { body: out.join(''), written: () => out.slice(begin, end).join('') };
}

/**
 * The size of links and frame is known well enough; the rest is text. A copy has as much text as
 * its original.
 */
function textBytes(
  web: Web,
  domain: Domain,
  { original, links, size }: Outline,
  frame: Frame,
): number {
  const copied = original.domain !== domain;
  const { length } = copied
    ? frameOf(web, original.domain, original.domain.hostOf(original.page))
    : frame;
  const count = copied
    ? outlineOf(web, original.domain, original.page, 0).links.length
    : links.length;
  return Math.max(200, size - length - count * LINK_BYTES);
}

/** A writer in the manner of a domain, with its words as they were at a step. */
export function writerOf(domain: Domain, manner: Manner, step: number, words: Random): Writer {
  const { world, language, legacy } = domain;
  return new Writer(manner, (topic) => world.texts.pool(language, topic, step, legacy), words);
}

/** The point of view of a page: where relative addresses start, and the words of its links. */
interface Voice {
  readonly from: Domain;
  readonly host: number;
  readonly pool: Pool;
  /** Selects the few anchor texts of the pool that it uses. */
  readonly window: number;
  readonly words: Random;
}

function putAnchor(
  out: string[],
  links: LinkList,
  i: number,
  { from, host, pool, window, words }: Voice,
): void {
  const domain = links.domainAt(i);
  links.putOpening(out, i, from, host);
  if (domain === from || !domain) out.push(anchorEnd(pool, window, words));
  else out.push('">', domain.name, '</a>\n');
}

/** The subject of the page; while its topic is in the news, the name of the news. */
function subjectOf(
  web: Web,
  { topic, language }: Domain,
  pool: Pool,
  words: Random,
  step: number,
): string {
  const burst = step > 0 ? recentBurst(web.world, topic, step) : -1;
  if (burst >= 0) return pool.encode(inventWord(LANGUAGES[language], burst * 31 + topic, 0xb0457));
  return `${phraseOf(pool, words)} ${pool.encode(inventWord(LANGUAGES[language], words.below(1_000_000), 0x5b))}`;
}

/** The name of a story and the words that it is about. */
function storySubject({ name, theme, topic }: Story, { language }: Domain, pool: Pool): string {
  const spoken = LANGUAGES[language];
  const words = topicWords(spoken, topic);
  return [inventWord(spoken, name, STORY_NAMES), ...theme.map((place) => words[place])]
    .map(pool.encode)
    .join(' ');
}

/** What all pages of a host share, as text. */
interface Frame {
  readonly head: string;
  readonly menu: string;
  readonly footer: string;
  /** Length of all three, and of the few words between them. */
  readonly length: number;
  readonly modified: number;
}

const FRAMES = new WeakMap<Domain, Frame[]>();

function frameOf(web: Web, domain: Domain, host: number): Frame {
  let frames = FRAMES.get(domain);
  if (!frames) {
    frames = [];
    FRAMES.set(domain, frames);
  }
  frames[host] ??= makeFrame(web, domain, host);
  return frames[host];
}

function makeFrame(web: Web, domain: Domain, host: number): Frame {
  const language = LANGUAGES[domain.language];
  const { menu, footer } = frameLinksOf(web, domain);
  const words = new Random(web.world.seed ^ TAG.menu, domain.index, host, 0);
  const voice: Voice = { from: domain, host, pool: poolOf(domain), window: domain.index, words };
  const list = (links: LinkList): string => {
    const out: string[] = [];
    for (let i = 0; i < links.length; i++) putAnchor(out, links, i, voice);
    return out.join('');
  };
  const charset = domain.behaviour('transfer') === 'no-charset' ? language.legacy : 'utf-8';
  const head =
    `<!DOCTYPE html>\n<html lang="${language.code}">\n<head>\n<meta charset="${charset}">\n` +
    `<link rel="stylesheet" href="/style.css">\n`;
  const top = ['</head>\n<body>\n<nav>\n', list(menu), '</nav>\n'].join('');
  const bottom = [
    '<footer>\n',
    list(footer),
    `<p>${domain.name}</p>\n</footer>\n</body>\n</html>\n`,
  ].join('');
  const length = head.length + top.length + bottom.length + 200;
  return { head, menu: top, footer: bottom, length, modified: footer.modified };
}
