/** How the pages of the server look, and the policy that lets a browser load nothing else. */
import { createHash } from 'node:crypto';
import { type Html, page } from '../../report/page.ts';
import { STYLE } from '../../report/style.ts';

const SEARCH_STYLE = `${STYLE}
h1 a { color: inherit; text-decoration: none; }
form { display: flex; flex-wrap: wrap; gap: .5rem .75rem; align-items: end; margin: 1rem 0; }
label { display: grid; gap: .15rem; color: var(--soft); font-size: .85rem; }
label.check { display: flex; align-items: center; gap: .35rem; }
input, button { font: inherit; color: var(--text); background: var(--ground); border: 1px solid var(--soft); border-radius: 4px; padding: .35rem .5rem; }
input[name=q] { width: min(34rem, 80vw); }
input.short { width: 8.5rem; }
button { background: var(--line-0); border-color: var(--line-0); color: var(--ground); padding: .35rem 1rem; cursor: pointer; }
a { color: var(--line-0); }
a:focus-visible, input:focus-visible, button:focus-visible { outline: 2px solid var(--line-1); outline-offset: 2px; }
ol.results { padding: 0; list-style: none; }
ol.results li { margin: 0 0 1.5rem; max-width: 46rem; }
ol.results h2 { font-size: 1.05rem; margin: 0; overflow-wrap: anywhere; }
.address { color: var(--line-2); font-size: .85rem; overflow-wrap: anywhere; }
.when { color: var(--soft); font-size: .85rem; }
.snippet { margin: .15rem 0; color: var(--text); overflow-wrap: anywhere; }
.error { color: var(--bad); }
.timeline { width: 100%; max-width: 760px; height: auto; display: block; margin: .5rem 0 1.5rem; }
.timeline rect { fill: var(--line-0); }
.timeline a:hover rect, .timeline a:focus rect { fill: var(--line-1); }
.text { max-width: 46rem; white-space: pre-wrap; overflow-wrap: anywhere; color: var(--text); }
ins { background: color-mix(in srgb, var(--line-2) 25%, transparent); text-decoration: underline; }
del { background: color-mix(in srgb, var(--bad) 20%, transparent); }
code { font-size: .85rem; overflow-wrap: anywhere; }
`;

const hash = createHash('sha256').update(SEARCH_STYLE).digest('base64');

/**
 * Nothing but the style of the page: no script, picture, frame or request, whatever a text says.
 */
export const PAGE_HEADERS = {
  'content-security-policy': `default-src 'none'; style-src 'sha256-${hash}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  'referrer-policy': 'no-referrer',
};

export const searchPage = (title: string, sections: readonly (Html | '')[]): string =>
  page(title, sections, SEARCH_STYLE);
