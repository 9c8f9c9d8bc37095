/**
 * robots.txt and sitemaps of a host.
 *
 * A sitemap lists at most a thousand pages; a larger host has a sitemap index.
 */
import { type Answer, notFound, TEXT_TYPE, XML_TYPE } from './answer.ts';
import { robotsFault } from './behaviours/robots.ts';
import type { Domain } from './domain.ts';
import { urlOf } from './paths.ts';
import { hash, TAG } from './random.ts';
import type { Web } from './web.ts';

const PAGES_A_SITEMAP = 1000;

/** One host in ten has none. */
export function robotsOf(web: Web, domain: Domain, host: number): Answer {
  const fault = robotsFault(domain, Math.max(0, host));
  if (fault) return fault;
  if (hash(web.world.seed, TAG.robots, domain.index) % 10 === 0) return notFound();
  return {
    status: 200,
    headers: TEXT_TYPE,
    body: `User-agent: *\nDisallow:\n\nSitemap: ${domain.origin(Math.max(0, host))}/sitemap.xml\n`,
  };
}

export function sitemapOf(domain: Domain, host: number, target: string): Answer | undefined {
  const parts = Math.ceil(domain.pages / PAGES_A_SITEMAP);
  const match = /^\/sitemap(?:-(\d{1,6}))?\.xml$/.exec(target);
  if (!match) return undefined;
  if (match[1] === undefined && parts > 1) return xml('sitemapindex', indexEntries(domain, host, parts));
  const part = Number(match[1] ?? 0);
  return part < parts ? xml('urlset', pageEntries(domain, host, part)) : undefined;
}

function* indexEntries(domain: Domain, host: number, parts: number): Generator<string> {
  for (let part = 0; part < parts; part++)
    yield `<sitemap><loc>${domain.origin(host)}/sitemap-${part}.xml</loc></sitemap>`;
}

function* pageEntries(domain: Domain, host: number, part: number): Generator<string> {
  const last = Math.min(domain.pages, (part + 1) * PAGES_A_SITEMAP);
  for (let page = part * PAGES_A_SITEMAP; page < last; page++) {
    if (domain.hostOf(page) !== host || !domain.hasPage(page)) continue;
    yield `<url><loc>${urlOf(domain, page).replaceAll('&', '&amp;')}</loc></url>`;
  }
}

function xml(root: string, entries: Iterable<string>): Answer {
  let body = `<?xml version="1.0" encoding="UTF-8"?>\n<${root} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n`;
  for (const entry of entries) body += `${entry}\n`;
  return { status: 200, headers: XML_TYPE, body: `${body}</${root}>\n` };
}
