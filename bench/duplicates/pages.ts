/**
 * Pages whose near-duplicates are known: from the lab, and from the manuals of Debian.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Domain } from '../../src/lab/domain.ts';
import { textAt } from '../../src/lab/judge/truth.ts';
import type { KindName } from '../../src/lab/kind.ts';
import { isHtmlPage, urlOf } from '../../src/lab/paths.ts';
import { webOf } from '../../src/lab/server/lab.ts';
import type { Web } from '../../src/lab/web.ts';
import { hash, textHash } from '../../src/lab/words/random.ts';
import type { KnownPage } from './stream.ts';

export function makeWeb(seed: number): Web {
  return webOf(
    { scenario: 'mixed', seed, domains: 20_000, pages: 50 },
    { http: 8080, https: 8443, dns: 5353, control: 0 },
  );
}

/** The living domains of a kind, the best ranked first. */
export function domainsOf(web: Web, kind: KindName, most: number): Domain[] {
  const found: Domain[] = [];
  for (let index = 0; index < web.world.domains && found.length < most; index++) {
    const domain = web.domains.at(index);
    if (domain.kind.name === kind && domain.alive) found.push(domain);
  }
  return found;
}

/** A page as answered; undefined unless its status is 200. */
export function fetchFrom(web: Web, url: string): KnownPage | undefined {
  const { hostname, pathname, search, protocol } = new URL(url);
  const answer = web.answer(hostname, pathname + search, protocol === 'https:');
  const text = textAt(web, hostname, pathname + search);
  if (answer?.status !== 200 || text === undefined) return undefined;
  return { url, text, body: Buffer.from(answer.body, 'latin1') };
}

/**
 * Copies, their originals, and others of the same topics; one page under several addresses; in no
 * order.
 */
export function labPages(seed: number): KnownPage[] {
  const web = makeWeb(seed);
  const urls = new Set<string>();
  const addSome = (domain: Domain, most: number) => {
    for (let page = 0; page < Math.min(domain.pages, most); page++) {
      if (isHtmlPage(domain, page)) urls.add(urlOf(domain, page));
    }
  };
  for (const copy of domainsOf(web, 'copy', 80)) {
    addSome(copy, 12);
    for (let page = 0; page < Math.min(copy.pages, 12); page++) {
      const original = copy.kind.textOf?.(web, copy, page);
      if (original && isHtmlPage(original.domain, original.page))
        urls.add(urlOf(original.domain, original.page));
    }
  }
  for (const kind of [
    'ordinary',
    'personal',
    'academic',
    'directory',
    'exchange',
    'farm',
    'honeypot',
  ] as const) {
    for (const domain of domainsOf(web, kind, 40)) addSome(domain, 8);
  }
  for (const domain of domainsOf(web, 'session', 30)) {
    addSome(domain, 6);
    for (let page = 0; page < Math.min(domain.pages, 6); page++) {
      const url = urlOf(domain, page);
      urls.add(
        `${url}${url.includes('?') ? '&' : '?'}sid=${(page * 7919 + 0x10000000).toString(16)}`,
      );
    }
  }
  const order = (url: string) => hash(seed, textHash(url), 0);
  const sorted = [...urls].sort((a, b) => order(a) - order(b));
  return sorted.flatMap((url) => fetchFrom(web, url) ?? []);
}

const GUIDES = ['amd64', 'i386', 'arm64'] as const;
const OTHERS = [
  'debian-reference-en',
  'developers-reference',
  'maint-guide',
  'debian-policy',
  'debian',
  'harden-doc',
  'debmake-doc',
];

/**
 * The installation guides of several architectures in all their languages, then other manuals;
 * empty if they are not installed.
 */
export function debianPages(
  folder: string,
  architectures: readonly (typeof GUIDES)[number][],
): KnownPage[] {
  const guides = architectures.flatMap((architecture) => {
    const guide = join(folder, `installation-guide-${architecture}`);
    return htmlIn(guide).map((file) => guidePage(guide, file, architecture));
  });
  if (guides.length === 0) return [];
  const others = OTHERS.flatMap((manual) =>
    htmlIn(join(folder, manual)).map((file) => {
      const path = join(folder, manual, file);
      return { url: `file://${path}`, text: path, body: contentOf(path) };
    }),
  );
  return [...guides, ...others];
}

/**
 * Two sections are the same in truth if they have the same title, without numbers, in the same
 * language.
 */
function guidePage(guide: string, file: string, architecture: string): KnownPage {
  const path = join(guide, file);
  const body = contentOf(path);
  const title = /<title>([^<]*)/i.exec(body.toString('utf8'))?.[1] ?? file;
  const name = title
    .replace(/[\d.]+/g, '')
    .replaceAll(architecture, '')
    .trim();
  return { url: `file://${path}`, text: `${file.split('/')[0]} ${name}`, body };
}

function htmlIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.html(?:\.gz)?$/.test(file) && statSync(join(folder, file)).isFile())
    .sort();
}

function contentOf(path: string): Buffer {
  const bytes = readFileSync(path);
  return path.endsWith('.gz') ? gunzipSync(bytes) : bytes;
}
