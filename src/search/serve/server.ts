/**
 * `drumlin search serve`: an index as pages for a browser, and as JSON.
 *
 *   /               the form; with ?q=, the results and their timeline
 *   /search.json    the same as JSON
 *   /versions       the versions of the page ?url=
 *   /text           the text of the ?version= of ?url=
 *   /diff           the difference of the versions ?a= and ?b= of ?url=
 *
 * Ensures   Requests are answered one at a time: memory is that of one search. An error of the user
 *           is a page, or an object, with the sentence and the remedy; never a crash.
 */
import { DrumlinError, systemCode } from '../../base/errors.ts';
import {
  LOOPBACK,
  type LoopbackServer,
  type Reply,
  serveLoopback,
} from '../../net/loopback-server.ts';
import { type PageVersion, versionsOf } from '../query/page-versions.ts';
import { describe } from '../query/results.ts';
import type { SearchIndex } from '../query/search-index.ts';
import { timelineOf } from '../query/timeline.ts';
import { iso } from '../query/times.ts';
import { storedPage, textOf } from '../query/version-text.ts';
import { diff } from './diff.ts';
import { PAGE_HEADERS } from './page-style.ts';
import { diffPage, errorPage, resultsPage, startPage, textPage, versionsPage } from './pages.ts';
import { type Fields, fieldsOf, optionsOf } from './requests.ts';

const HTML = 'text/html; charset=utf-8';

export async function serveIndex(
  index: SearchIndex,
  port: number,
  host: string = LOOPBACK,
): Promise<LoopbackServer> {
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = last.then(work);
    last = result.catch(() => {});
    return result;
  };
  const reply = (path: string, query: string) => inTurn(() => replyTo(index, path, query));
  return serveLoopback(port, reply, { host, stays: true }).catch((cause) => {
    const why = systemCode(cause) === 'EADDRINUSE' ? 'the port is in use' : systemCode(cause);
    throw new DrumlinError(
      'SEARCH_PORT',
      `The index cannot be served on ${host}:${port}: ${why}.`,
      'Choose another --port or --host.',
      { cause },
    );
  });
}

const html = (text: string, status = 200): Reply => ({
  ...{ status, text, type: HTML, headers: PAGE_HEADERS },
});

async function replyTo(index: SearchIndex, path: string, query: string): Promise<Reply> {
  const isJson = path === '/search.json';
  try {
    if (isJson) return await jsonOf(index, fieldsOf(query));
    if (path === '/') return await searchReply(index, query);
    const values = new URLSearchParams(query);
    if (path === '/versions') return await versionsReply(index, values);
    if (path === '/text') return await textReply(index, values);
    if (path === '/diff') return await diffReply(index, values);
    return html(errorPage('There is no such page.'), 404);
  } catch (error) {
    if (!(error instanceof DrumlinError)) throw error;
    const { code, fact, remedy, message } = error;
    return isJson ? json({ error: { code, fact, remedy } }, 400) : html(errorPage(message), 400);
  }
}

const json = (value: unknown, status = 200): Reply => ({
  ...{ status, text: `${JSON.stringify(value)}\n`, type: 'application/json' },
});

async function searchReply(index: SearchIndex, query: string): Promise<Reply> {
  const fields = fieldsOf(query);
  if (fields.q === '') return html(startPage(index.pages.versions));
  try {
    const [results, timeline] = await found(index, fields);
    return html(resultsPage(fields, results, timeline));
  } catch (error) {
    if (error instanceof DrumlinError) return html(errorPage(error.message, fields), 400);
    throw error;
  }
}

/** The results; and the timeline of all times, or of those from one time to another. */
async function found(index: SearchIndex, fields: Fields) {
  const options = optionsOf(fields);
  const results = await describe(index, await index.search(fields.q, options));
  const timeline = await timelineOf(index, fields.q, optionsOf({ ...fields, at: '' }));
  return [results, timeline] as const;
}

async function jsonOf(index: SearchIndex, fields: Fields): Promise<Reply> {
  const [results, timeline] = await found(index, fields);
  return json({
    query: fields.q,
    results: results.map((result) => ({
      ...result,
      ...{ first: iso(result.first), last: iso(result.last), stored: iso(result.stored) },
    })),
    timeline: timeline.map(({ epoch, end, pages }) => ({ epoch, end: iso(end), pages })),
  });
}

async function versionsReply(index: SearchIndex, values: URLSearchParams): Promise<Reply> {
  const url = values.get('url') ?? '';
  const versions = await versionsOf(index, url);
  return versions.length === 0 ? html(errorPage(UNKNOWN), 404) : html(versionsPage(url, versions));
}

const UNKNOWN = 'The index does not have this page, or not this version of it.';

async function textReply(index: SearchIndex, values: URLSearchParams): Promise<Reply> {
  const url = values.get('url') ?? '';
  const version = (await versionsOf(index, url)).find(({ id }) => id === values.get('version'));
  if (version === undefined) return html(errorPage(UNKNOWN), 404);
  return html(textPage(url, version, await textAt(index, version)));
}

async function diffReply(index: SearchIndex, values: URLSearchParams): Promise<Reply> {
  const url = values.get('url') ?? '';
  const versions = await versionsOf(index, url);
  const named = (name: string) => versions.find(({ id }) => id === values.get(name));
  const [a, b] = [named('a'), named('b')];
  if (a === undefined || b === undefined) return html(errorPage(UNKNOWN), 404);
  const pieces = diff(await textAt(index, a), await textAt(index, b));
  return html(diffPage(url, [a, b], pieces));
}

async function textAt(index: SearchIndex, { version }: PageVersion): Promise<string> {
  const page = await storedPage(index, version);
  return page === undefined ? '' : textOf(page);
}
