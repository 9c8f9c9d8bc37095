/**
 * Parses a page for its title, its directives and its links, and reads a sitemap.
 *
 *   npx tsx examples/links.ts
 */
import { parsePage, parseSitemap } from 'drumlin/links';

const html = Buffer.from(`<!DOCTYPE html>
<head>
  <title>Hills &amp; valleys</title>
  <base href="/geo/">
  <meta name="robots" content="noindex">
  <link rel="canonical" href="https://example.org/hills">
</head>
<a href="drumlins?page=2#top">Drumlins</a>
<a href="https://example.net/ad" rel="nofollow">Ad</a>
<!-- <a href="/hidden"> -->
<iframe src="map"></iframe>`);

const page = parsePage(html, 'https://example.org/hills?from=mail');
console.log(`"${page.title}" in ${page.charset}, noindex: ${page.robots.noindex}`);
for (const { kind, url, nofollow } of page.links) {
  console.log(`${kind} ${url}${nofollow ? ' (nofollow)' : ''}`);
}

const sitemap = parseSitemap(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
  <url><loc>https://example.org/hills</loc><lastmod>2026-03-14</lastmod></url>
</urlset>`);
for (const { location, changed } of sitemap?.entries ?? []) console.log(location, changed);
