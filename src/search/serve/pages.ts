/**
 * The pages of the server: results with their timeline, the versions of a page, the text of one,
 * the difference of two.
 *
 * Ensures   Every text from an archive is escaped; every link leads to this server. Pages have no
 *           scripts.
 */
import { counted, type Millis } from '../../base/units.ts';
import type { Html } from '../../report/page.ts';
import { escaped } from '../../report/plot.ts';
import type { PageVersion } from '../query/page-versions.ts';
import type { SearchResult } from '../query/results.ts';
import type { TimelineEntry } from '../query/timeline.ts';
import { iso } from '../query/times.ts';
import type { Piece } from './diff.ts';
import { searchPage } from './page-style.ts';
import { addressOf, type Fields } from './requests.ts';

const minute = (time: Millis): string => iso(time).slice(0, 16).replace('T', ' ');

const link = (address: string, text: string): Html =>
  `<a href="${escaped(address)}">${escaped(text)}</a>`;

const NONE: Fields = {
  ...{ q: '', at: '', from: '', to: '', site: '', language: '', any: false, top: 10 },
};

function form(fields: Fields): Html {
  const field = (
    name: 'at' | 'from' | 'to' | 'site' | 'language',
    label: string,
    example: string,
  ) =>
    `<label>${label}<input class="short" name="${name}" value="${escaped(fields[name])}" placeholder="${example}"></label>`;
  return `<form action="/" role="search">
<label>Search for<input name="q" value="${escaped(fields.q)}" autofocus></label>
${field('at', 'as it was at', '2011-10-15')}
${field('from', 'or from', '2011-09')}
${field('to', 'to', '2011-11')}
${field('site', 'site', '.gov.ly')}
${field('language', 'language', 'ar')}
<label class="check"><input type="checkbox" name="any"${fields.any ? ' checked' : ''}>any word is enough</label>
<button>Search</button>
</form>`;
}

const say = (sentence: string, kind = ''): Html =>
  `<p${kind && ` class="${kind}"`} role="status">${escaped(sentence)}</p>`;

const home: Html = link('/', 'Search');

export function startPage(versions: number): string {
  return searchPage('Search', [form(NONE), say(`${counted(versions, 'version')} of pages.`)]);
}

export function errorPage(sentence: string, fields = NONE): string {
  return searchPage('Search', [form(fields), say(sentence, 'error')]);
}

export function resultsPage(
  fields: Fields,
  results: readonly SearchResult[],
  timeline: readonly TimelineEntry[],
): string {
  const none = 'No page matches. Use fewer words, "any word is enough", or another time.';
  return searchPage(`${fields.q} – Search`, [
    form(fields),
    timeline.length > 1 ? drawing(timeline, fields) : '',
    results.length === 0 ? say(none) : `<ol class="results">${results.map(item).join('\n')}</ol>`,
  ]);
}

function item({ id, url, title, first, last, captures, versions, snippet }: SearchResult): Html {
  const times = first === last ? minute(first) : `${minute(first)} to ${minute(last)}`;
  const text = link(addressOf('/text', { url, version: id }), title.trim() || url);
  const all = link(addressOf('/versions', { url }), counted(versions, 'version'));
  return `<li><h2>${text}</h2>
<div class="address">${escaped(url)}</div>
<p class="snippet">${escaped(snippet)}</p>
<div class="when">${times} UTC: ${counted(captures, 'capture')}; ${all} of the page</div></li>`;
}

const [WIDTH, HEIGHT, LINE] = [760, 90, 18];
/** More epochs than this are drawn together: as high as the highest of them. */
const MOST_BARS = 190;

/** A bar for each epoch; it leads to the search at the end of the epoch. */
function drawing(timeline: readonly TimelineEntry[], fields: Fields): Html {
  const together = Math.ceil(timeline.length / MOST_BARS);
  const bars: TimelineEntry[] = [];
  for (let i = 0; i < timeline.length; i += together)
    bars.push(timeline.slice(i, i + together).reduce((a, b) => (b.pages > a.pages ? b : a)));
  const most = bars.reduce((high, { pages }) => Math.max(high, pages), 1);
  const step = WIDTH / bars.length;
  const drawn = bars.map(({ epoch, end, pages }, i) => {
    const height = pages === 0 ? 0 : Math.max(1, Math.round((HEIGHT * pages) / most));
    const { q, site, language } = fields;
    const any = fields.any ? 'on' : '';
    const address = addressOf('/', { q, at: iso(end).slice(0, 19), site, language, any });
    const place = `x="${(i * step + 1).toFixed(1)}" y="${HEIGHT - height}" width="${Math.max(1, step - 2).toFixed(1)}" height="${height}"`;
    const what = `${epoch}: ${counted(pages, 'page')}`;
    return `<a href="${escaped(address)}" aria-label="${escaped(what)}"><title>${escaped(what)}</title><rect ${place}/></a>`;
  });
  const [first, last] = [timeline[0].epoch, timeline[timeline.length - 1].epoch];
  return `<svg class="timeline" viewBox="0 0 ${WIDTH} ${HEIGHT + LINE}" role="group" aria-label="Pages that match, by epoch">
${drawn.join('\n')}
<text x="0" y="${HEIGHT + LINE - 4}">${escaped(first)}</text>
<text x="${WIDTH}" y="${HEIGHT + LINE - 4}" text-anchor="end">${escaped(last)}</text>
</svg>`;
}

export function versionsPage(url: string, versions: readonly PageVersion[]): string {
  const rows = versions.map(({ id, first, last, captures, title }, i) => {
    const text = link(addressOf('/text', { url, version: id }), title.trim() || url);
    const before = versions[i - 1];
    const changes =
      before === undefined
        ? ''
        : link(addressOf('/diff', { url, a: before.id, b: id }), 'what changed');
    return `<tr><td>${minute(first)}</td><td>${minute(last)}</td><td>${captures}</td><td>${text}</td><td>${changes}</td></tr>`;
  });
  const heads = ['first capture (UTC)', 'last', 'captures', 'title', 'since the one before'];
  const head = heads.map((text) => `<th>${text}</th>`).join('');
  return searchPage('Versions', [
    `<p class="address">${escaped(url)}</p>`,
    `<div class="wide"><table><thead><tr>${head}</tr></thead><tbody>${rows.join('\n')}</tbody></table></div>`,
    `<p>${home}</p>`,
  ]);
}

export function textPage(url: string, { title, first, place }: PageVersion, text: string): string {
  const all = link(addressOf('/versions', { url }), 'All versions');
  return searchPage(title.trim() || url, [
    `<p class="address">${escaped(url)}</p>`,
    `<p class="when">${minute(first)} UTC, from ${escaped(place)}. ${all}. ${home}.</p>`,
    text === '' ? say('The archive with this version is gone, or has no text for it.') : '',
    `<div class="text">${escaped(text)}</div>`,
  ]);
}

/** Characters that are shown around a change. */
const AROUND = 300;

export function diffPage(
  url: string,
  [before, after]: readonly [PageVersion, PageVersion],
  pieces: readonly Piece[],
): string {
  const shown = pieces.map(({ kind, text }, i) => {
    if (kind === 'old') return `<del>${escaped(text)}</del>`;
    if (kind === 'new') return `<ins>${escaped(text)}</ins>`;
    return escaped(shortened(text, i === 0, i === pieces.length - 1));
  });
  const isSame = pieces.every(({ kind }) => kind === 'same');
  return searchPage('What changed', [
    `<p class="address">${escaped(url)}</p>`,
    `<p class="when">From ${minute(before.first)} to ${minute(after.first)} UTC. ${link(addressOf('/versions', { url }), 'All versions')}. ${home}.</p>`,
    before.title === after.title
      ? ''
      : `<p class="text">Title: <del>${escaped(before.title)}</del> <ins>${escaped(after.title)}</ins></p>`,
    isSame ? say('The main text is the same.') : `<div class="text">${shown.join('')}</div>`,
  ]);
}

/** The ends of a long text that touch a change. */
function shortened(text: string, isFirst: boolean, isLast: boolean): string {
  const characters = Array.from(text);
  const [head, tail] = [isFirst ? 0 : AROUND, isLast ? 0 : AROUND];
  if (characters.length <= head + tail + 20) return text;
  const end = tail === 0 ? '' : characters.slice(-tail).join('');
  return `${characters.slice(0, head).join('')} […] ${end}`;
}
