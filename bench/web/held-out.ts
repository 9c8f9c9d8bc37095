/**
 * Another kind of web than the lab's, so that no crawler is tuned to one: 2,000 hosts, 100 pages
 * each, 25 KB and 59 links a page.
 *
 * The text is real: paragraphs of the documentation in @types/node, whose version the lockfile
 * pins. The markup is that of a shop or a magazine: nested boxes with classes, inline scripts and
 * JSON, attributes in all three kinds of quotes, relative and absolute links, entities, comments.
 * Every page is computed from its address, so each run serves the same bytes.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { type Answer, HTML_TYPE, notFound, TEXT_TYPE } from '../../src/lab/answer.ts';
import { startDns } from '../../src/lab/server/dns-server.ts';
import { serve } from '../../src/lab/server/http-server.ts';
import { listening } from '../../src/lab/server/listening.ts';

const HOSTS = 2000;
const PAGES = 100;
const BYTES = 25_000;
const SECTIONS = ['news', 'guides', 'reviews', 'archive', 'people', 'a-z'];
const PREFIXES = ['www', 'm', 'en', 'shop', 'magazine'];

/** Two of three hosts have a domain of their own, the third shares that of its neighbour. */
const hostName = (host: number): string =>
  `${PREFIXES[host % PREFIXES.length]}.heldout${host % 3 === 2 ? host - 1 : host}.test`;
const numbers = new Map(Array.from({ length: HOSTS }, (_, host) => [hostName(host), host]));

/** Page 0 is the front page; the others lie in sections, some with a query. */
function pathOf(page: number): string {
  if (page === 0) return '/';
  const section = SECTIONS[page % SECTIONS.length];
  if (page % 7 === 0) return `/${section}/list.php?page=${page}&sort=date`;
  return `/${section}/${2010 + (page % 15)}/story-${page}.html`;
}
const pages = new Map(Array.from({ length: PAGES }, (_, page) => [pathOf(page), page]));

/** 32 bits from two numbers, evenly spread. */
function mixed(a: number, b: number): number {
  let h = Math.imul(a ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(b + 0x7f4a7c15, 0xc2b2ae35);
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
  return (h ^ (h >>> 13)) >>> 0;
}

const escaped = (text: string): string =>
  text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');

/** Paragraphs of prose as HTML, ASCII only. */
function readParagraphs(): string[] {
  const folder = join(import.meta.dirname, '..', '..', 'node_modules', '@types', 'node');
  const files = readdirSync(folder).filter((name) => name.endsWith('.d.ts'));
  return files
    .sort()
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').match(/\/\*\*[\s\S]*?\*\//g) ?? [])
    .flatMap((comment) => comment.replace(/```[\s\S]*?```/g, '').split(/\n\s*\*?\s*\n/))
    .map((text) =>
      text
        .replace(/^[ \t/]*\*+\/?/gm, ' ')
        .replace(/\s+/g, ' ')
        .trim(),
    )
    .filter((text) => /^[A-Z][ -~]{80,900}$/.test(text))
    .map((text) => escaped(text).replace(/`(.+?)`/g, '<code class="inline">$1</code>'));
}
const paragraphs = readParagraphs();
/** The first words of every paragraph, without markup, as titles and texts of links. */
const openings = [3, 6, 15].map((count) =>
  paragraphs.map((text) =>
    text
      .replace(/<.*?>|&\w+;|[^A-Za-z ]/g, '')
      .split(/ +/)
      .slice(0, count)
      .join(' '),
  ),
);
const words = (length: 'short' | 'long' | 'longest', n: number): string =>
  openings[{ short: 0, long: 1, longest: 2 }[length]][n % paragraphs.length];

/** The menu that every page of a host has: 14 links, written as people write them. */
const menu = (port: number, host: number): string => `
<nav class="c-nav c-nav--main js-sticky" role="navigation"><ul class=c-nav__list>
  <li class="c-nav__item is-active"><a class="c-nav__link" href="/"><span>Home</span></a></li>
${SECTIONS.map(
  (name, i) =>
    `  <li class="c-nav__item"><a class='c-nav__link' data-track='{"place":"menu","n":${i}}' href='${pathOf(6 + i)}'>${name}</a></li>\n`,
).join(
  '',
)}  <li><A HREF="/#top">Top</A> <a href=${pathOf(13)}>Feed</a> <a href="//${hostName(host)}:${port}${pathOf(20)}">About&nbsp;us</a></li>
</ul><!-- <a href="/hidden/never">not a link</a> --></nav>
<footer class="c-foot"><a rel="nofollow noopener" href="${pathOf(30)}">Terms</a> | <a href="${pathOf(31)}">Privacy</a> |
<a href="mailto:desk@${hostName(host)}">Mail</a> <a href="javascript:void(0)" onclick="return openPrefs();">Cookies</a></footer>`;

/** A teaser with one link: an own page (absolute, relative or with a query) or another host's. */
function teaser(port: number, h: number, i: number): string {
  const away = i % 4 === 3;
  const other = h % HOSTS;
  const path = pathOf(away ? (h >>> 11) % 40 : (h >>> 11) % PAGES);
  const href = away
    ? `http://${hostName(other)}:${port}${escaped(path)}`
    : i % 4 === 0 && path.startsWith('/')
      ? `../..${escaped(path)}`
      : escaped(path);
  return `<article class="c-card c-card--${i % 5} u-mb-${i % 3}" id="card-${i}" data-id="${h.toString(16)}">
<div class="c-card__media"><img loading="lazy" width=320 height=180 src="/img/${h % 977}.jpg" srcset="/img/${h % 977}-2x.jpg 2x" alt=""></div>
<h3 class="c-card__title"><a href="${href}" class="c-card__link" title="${words('short', h >>> 3)}">${words('long', h >>> 5)}</a></h3></article>\n`;
}

const HEAD_END = `<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="/assets/site.css?v=31"><link rel="icon" href="/favicon.ico">
<script>window.dataLayer=window.dataLayer||[];function track(e,p){dataLayer.push({event:e,props:p,at:Date.now()})}
if("serviceWorker" in navigator&&location.protocol==="https:"){navigator.serviceWorker.register("/sw.js")}</script>
<style>.c-card{display:grid;gap:.5rem;padding:1rem}.c-card__title a:hover{text-decoration:underline}.u-mb-1{margin-bottom:.5rem}</style>
</head><body class="t-light no-js">\n`;

function pageOf(port: number, host: number, page: number, menuHtml: string): string {
  const seed = mixed(host + 1, page);
  const title = words('long', seed);
  let html = `<!DOCTYPE html><html class="no-js" lang=en><head><meta charset="utf-8"><title>${title} | heldout ${host}</title>
<meta property="og:title" content="${title}"><meta name=description content='${words('longest', seed >>> 7)}'>
<script type="application/ld+json">{"@context":"https://schema.org","@type":"Article","headline":"${title}","identifier":"${seed.toString(36)}","wordCount":${seed % 3000}}</script>
${HEAD_END}${menuHtml}<main class="l-main"><section class="l-grid l-grid--3">\n`;
  for (let i = 0; i < 45; i++) html += teaser(port, mixed(seed, i), i);
  html += `</section>\n<div class="c-article__body" itemprop="articleBody"><h1>${title}</h1>\n`;
  for (let i = 0; html.length < BYTES - 200; i++)
    html += `<p class="c-text${i ? '' : ' c-text--lead'}">${paragraphs[mixed(seed, 100 + i) % paragraphs.length]}</p>\n`;
  return `${html}</div></main>\n<script async src="/assets/app.js"></script></body></html>\n`;
}

const server = createServer({ highWaterMark: 64 * 1024 });
server.listen(0, '0.0.0.0');
await listening(server, 0);
const { port } = server.address() as AddressInfo;
const menus = Array.from({ length: HOSTS }, (_, host) => menu(port, host));

function answer(name: string, target: string): Answer {
  const host = numbers.get(name);
  if (host === undefined) return notFound();
  if (target === '/robots.txt')
    return {
      status: 200,
      headers: TEXT_TYPE,
      body: 'User-agent: *\nDisallow: /hidden/\nCrawl-delay: 0\n',
    };
  const page = pages.get(target);
  if (page === undefined) return notFound();
  const headers = `${HTML_TYPE}Server: nginx\r\nCache-Control: max-age=60, public\r\nVary: Accept-Encoding\r\nX-Served-By: cache-${host % 40}\r\n`;
  return { status: 200, headers, body: pageOf(port, host, page, menus[host]) };
}
serve(
  server,
  { patience: 1000, answer: ({ host, target }) => answer(host, target), served: () => {} },
  false,
);
const dns = await startDns(0, (name) => {
  const host = numbers.get(name) ?? 0;
  return { rcode: 0, address: `127.3.${host >> 7}.${1 + (host & 127)}`, seconds: 3600 };
});
const seeds = Array.from({ length: 10 }, (_, i) => `http://${hostName(i * 197)}:${port}/`);
console.log(JSON.stringify({ dns: `127.0.0.1:${dns.port}`, httpPort: port, https: 0, seeds }));
