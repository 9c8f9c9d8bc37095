/**
 * robots.txt and sitemaps of a host.
 *
 * A sitemap lists at most a thousand pages; a larger host has a sitemap index.
 */
import {
  type Answer,
  HTML_TYPE,
  htmlAnswer,
  notFound,
  redirect,
  TEXT_TYPE,
  XML_TYPE,
} from './answer.ts';
import type { Domain } from './domain.ts';
import { urlOf } from './paths.ts';
import type { Web } from './web.ts';
import { hash, TAG } from './words/random.ts';

const PAGES_A_SITEMAP = 1000;

/** The robots.txt of a host; one host in ten has none. */
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
  if (match[1] === undefined && parts > 1)
    return xml('sitemapindex', indexEntries(domain, host, parts));
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

const text = (body: string): Answer => ({ status: 200, headers: TEXT_TYPE, body });

/** The robots.txt of a domain that has drawn a behaviour; undefined for the usual one. */
function robotsFault(domain: Domain, host: number): Answer | undefined {
  const sitemap = `Sitemap: ${domain.origin(host)}/sitemap.xml\n`;
  switch (domain.behaviour('robots')) {
    case 'robots-wildcards':
      return text(
        `User-agent: *\nDisallow: /private/\nDisallow: /*?title=\nDisallow: /*.pdf$\nAllow: /private/open\n\n${sitemap}`,
      );
    case 'robots-delay':
      return text(`User-agent: *\nCrawl-delay: 2\nDisallow: /private/\n\n${sitemap}`);
    case 'robots-disallow':
      return text('User-agent: *\nDisallow: /\n');
    case 'robots-groups':
      return text('User-agent: drumlin\nDisallow: /private/\n\nUser-agent: *\nDisallow: /\n');
    case 'robots-huge':
      return text(hugeRobots());
    case 'robots-forbidden':
      return htmlAnswer(403, 'Forbidden', 'Not even this.');
    case 'robots-error':
      return htmlAnswer(503, 'Service Unavailable', 'Come back later.', 'Retry-After: 2\r\n');
    case 'robots-redirect':
      return redirect(301, `${domain.origin(host)}/rules.txt`);
    case 'robots-invalid':
      return {
        status: 200,
        headers: HTML_TYPE,
        body: '<html>\0\0\nUser-agent\nDisallow /\n: *\nUser-agent: *\nDisallow: /private/\nDisallow: %zz\n\xff\xfe\n',
      };
    case 'robots-slow':
      return { ...text('User-agent: *\nDisallow: /private/\n'), behaviour: 'slow-start' };
    default:
      return undefined;
  }
}

/** What `robots-redirect` leads to. */
export function movedRobots(domain: Domain): Answer | undefined {
  return domain.behaviour('robots') === 'robots-redirect'
    ? text('User-agent: *\nDisallow: /private/\n')
    : undefined;
}

let huge: string | undefined;

/** A client may stop reading after 500 KiB (RFC 9309): the last rule is beyond. */
function hugeRobots(): string {
  if (huge) return huge;
  huge = 'User-agent: *\nDisallow: /private/\n';
  for (let i = 0; huge.length < 1_000_000; i++) huge += `Disallow: /no-such-path-${i}/\n`;
  huge += 'Disallow: /\n';
  return huge;
}
