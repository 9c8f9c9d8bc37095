/** Predicates over a URL, known from its discovery: host, path, query, lists. */

import { xxh64 } from '../base/xxh64.ts';
import { authorityStart, hostEnd, pathStart } from '../url/parts.ts';
import { repeatsIn } from '../url/repeats.ts';
import { ListBuilder, ListTable } from './list-table.ts';
import type { Parameter, Predicate, Value } from './predicate.ts';
import type { Accepts } from './subject.ts';
import { compileUrlPattern } from './url-pattern.ts';

/** The common members of all predicates in this file. */
const url = (definition: Omit<Predicate, 'from' | 'gives'>): Predicate => ({
  from: 'schedule',
  gives: 'truth',
  ...definition,
});
const number = (definition: Omit<Predicate, 'from' | 'gives' | 'parameters'>): Predicate => ({
  from: 'schedule',
  gives: 'number',
  parameters: [],
  ...definition,
});

const TEXT: readonly Parameter[] = [{ kind: 'url-text' }];
const DOT = 46;
const SLASH = 47;
const QUESTION = 63;
const AMPERSAND = 38;

export const URL_PREDICATES: readonly Predicate[] = [
  url({
    name: 'SchemeIs',
    parameters: [{ kind: 'scheme' }],
    doc: 'scheme is this one, http or https',
    example: 'SchemeIs(https)',
    bind: ([scheme]) => (scheme === 'https' ? isHttps : isHttp),
  }),
  url({
    name: 'HostIs',
    parameters: [{ kind: 'host', many: true }],
    doc: 'host is one of these; with a leading dot, a domain and every host below it',
    example: 'HostIs(www.example.org, .example.net)',
    bind: isOneOf,
  }),
  url({
    name: 'HostEndsWith',
    parameters: [{ kind: 'host-end' }],
    doc: 'host ends with this text',
    example: 'HostEndsWith(.edu)',
    bind: ([ending]) => endsWith(ending),
  }),
  url({
    name: 'HostMatches',
    parameters: [{ kind: 'regular' }],
    doc: 'regular expression matches the host',
    example: 'HostMatches(/^(?:www|blog)\\d*\\./)',
    bind: ([expression]) => {
      const matches = compileUrlPattern(expression);
      return ({ url }) => matches(url.slice(authorityStart(url), hostEnd(url)));
    },
  }),
  url({
    name: 'HostIsAddress',
    parameters: [],
    doc: 'host is an IP address, not a name',
    example: 'not HostIsAddress',
    bind: () => isAddress,
  }),
  number({
    name: 'HostLabels',
    doc: 'labels of the host name',
    example: 'HostLabels <= 4',
    bind: () => hostLabels,
  }),
  number({
    name: 'Port',
    doc: 'port, including the default ports 80 and 443',
    example: 'Port == 443',
    bind: () => port,
  }),
  url({
    name: 'DomainIs',
    parameters: [{ kind: 'domain', many: true }],
    doc: 'pay-level domain is one of these',
    example: 'DomainIs(example.co.uk)',
    bind: (domains) => isOneOf(domains.map((domain) => `.${domain}`)),
  }),
  url({
    name: 'PathStartsWith',
    parameters: TEXT,
    doc: 'path begins with this text',
    example: 'PathStartsWith(/docs/)',
    bind:
      ([beginning]) =>
      ({ url }) =>
        url.startsWith(beginning, pathStart(url)),
  }),
  url({
    name: 'PathEndsWith',
    parameters: TEXT,
    doc: 'path (without the query) ends with this text',
    example: 'PathEndsWith(/)',
    bind: ([ending]) => pathEndsWith(ending),
  }),
  url({
    name: 'PathContains',
    parameters: TEXT,
    doc: 'path contains this text',
    example: 'PathContains(/print/)',
    bind: ([piece]) => pathContains(piece),
  }),
  number({
    name: 'PathDepth',
    doc: 'segments of the path: 0 for /, 2 for /a/b.html and for /a/b/',
    example: 'PathDepth < 4',
    bind: () => pathDepth,
  }),
  number({
    name: 'PathRepeats',
    doc: 'most repetitions in a row of any sequence of path segments: 3 for /a/b/a/b/a/b',
    example: 'PathRepeats < 3',
    bind:
      () =>
      ({ url }) =>
        repeatsIn(url),
  }),
  url({
    name: 'ExtensionIs',
    parameters: [{ kind: 'word', many: true }],
    doc: 'file extension of the path is one of these, in any letter case',
    example: 'ExtensionIs(jpg, jpeg, png)',
    bind: hasExtension,
  }),
  url({
    name: 'HasQuery',
    parameters: [],
    doc: 'URL has a query',
    example: 'not HasQuery',
    bind:
      () =>
      ({ url }) =>
        url.includes('?', 8),
  }),
  url({
    name: 'QueryContains',
    parameters: TEXT,
    doc: 'query contains this text',
    example: 'QueryContains(action=edit)',
    bind:
      ([piece]) =>
      ({ url }) => {
        const query = url.indexOf('?', 8);
        return query >= 0 && url.indexOf(piece, query + 1) >= 0;
      },
  }),
  url({
    name: 'HasParameter',
    parameters: TEXT,
    doc: 'query has a parameter with this name',
    example: 'HasParameter(sessionid)',
    bind: ([name]) => hasParameter(name),
  }),
  number({
    name: 'Parameters',
    doc: 'number of query parameters',
    example: 'Parameters <= 3',
    bind: () => parameters,
  }),
  url({
    name: 'UrlContains',
    parameters: TEXT,
    doc: 'URL contains this text',
    example: 'UrlContains(calendar)',
    bind:
      ([piece]) =>
      ({ url }) =>
        url.includes(piece),
  }),
  url({
    name: 'Matches',
    parameters: [{ kind: 'pattern', many: true }],
    doc: 'one of these patterns matches the URL: globs or regular expressions, written as for --include',
    example: 'Matches(https://*.example.org/docs/*, /[?&]page=\\d+$/)',
    bind: (patterns) => {
      const tests = patterns.map(compileUrlPattern);
      return ({ url }) => {
        for (const matches of tests) if (matches(url)) return true;
        return false;
      };
    },
  }),
  number({
    name: 'UrlLength',
    doc: 'characters of the URL',
    example: 'UrlLength < 500',
    bind:
      () =>
      ({ url }) =>
        url.length,
  }),
  url({
    name: 'InList',
    parameters: [{ kind: 'file' }],
    doc: 'this file lists the URL, its host, or a domain above it (.example.org), one per line; a list of millions is as fast as one of one',
    example: 'not InList(blocked.txt)',
    reads: 'entries',
    bind: ([path], { list }) => {
      const table = list(path, 'entries');
      return ({ url }) => table.hasUrl(url);
    },
  }),
  url({
    name: 'Sample',
    parameters: [{ kind: 'share' }],
    doc: 'URL is in this share of all URLs, always the same ones',
    example: 'Sample(0.01)',
    bind: ([share]) => {
      const below = BigInt(Math.floor(Number(share) * 2 ** 53));
      return ({ url }) => xxh64(url) >> 11n < below;
    },
  }),
  number({
    name: 'Depth',
    doc: 'links followed from a seed to the URL',
    example: 'Depth <= 5',
    bind:
      () =>
      ({ depth }) =>
        depth,
  }),
];

const isHttps: Accepts = ({ url }) => authorityStart(url) === 8;
const isHttp: Accepts = ({ url }) => authorityStart(url) === 7;

function isOneOf(hosts: readonly string[]): Accepts {
  if (hosts.length === 1) return hosts[0].startsWith('.') ? isBelow(hosts[0]) : isHost(hosts[0]);
  const builder = new ListBuilder();
  for (const host of hosts) builder.add(host);
  const table = new ListTable(builder.finish());
  return ({ url }) => table.hasUrl(url);
}

const isHost =
  (host: string): Accepts =>
  ({ url }) => {
    const start = authorityStart(url);
    return url.startsWith(host, start) && hostEnd(url) - start === host.length;
  };

/** Whether the host is the domain itself or below it. */
function isBelow(ending: string): Accepts {
  const isItself = isHost(ending.slice(1));
  const isUnder = endsWith(ending);
  return (subject) => isUnder(subject) || isItself(subject);
}

const endsWith =
  (ending: string): Accepts =>
  ({ url }) => {
    const from = hostEnd(url) - ending.length;
    return from >= authorityStart(url) && url.startsWith(ending, from);
  };

const isAddress: Accepts = ({ url }) => {
  const last = url.charCodeAt(hostEnd(url) - 1);
  if (last === 93) return true;
  // No name ends with a label of digits: it would be parsed as an address; canonical ones are
  // dotted.
  if (last < 48 || last > 57) return false;
  const host = url.slice(authorityStart(url), hostEnd(url));
  return /^\d+\.\d+\.\d+\.\d+$/.test(host);
};

const hostLabels: Value = ({ url }) => countOf(url, DOT, authorityStart(url), hostEnd(url)) + 1;

const port: Value = ({ url }) => {
  const end = hostEnd(url);
  const slash = pathStart(url);
  if (end < slash) return Number(url.slice(end + 1, slash));
  return authorityStart(url) === 8 ? 443 : 80;
};

function countOf(text: string, code: number, from: number, to: number): number {
  let count = 0;
  for (let i = from; i < to; i++) if (text.charCodeAt(i) === code) count++;
  return count;
}

function pathEnd(url: string): number {
  const query = url.indexOf('?', 8);
  return query < 0 ? url.length : query;
}

const pathEndsWith =
  (ending: string): Accepts =>
  ({ url }) => {
    const from = pathEnd(url) - ending.length;
    return from >= pathStart(url) && url.startsWith(ending, from);
  };

const pathContains =
  (piece: string): Accepts =>
  ({ url }) => {
    const at = url.indexOf(piece, pathStart(url));
    return at >= 0 && at + piece.length <= pathEnd(url);
  };

const pathDepth: Value = ({ url }) => {
  const end = pathEnd(url);
  let depth = 0;
  for (let i = pathStart(url); i < end; i++) {
    if (url.charCodeAt(i) === SLASH && i + 1 < end && url.charCodeAt(i + 1) !== SLASH) depth++;
  }
  return depth;
};

function hasExtension(extensions: readonly string[]): Accepts {
  const wanted = new Set(extensions);
  return ({ url }) => {
    const end = pathEnd(url);
    const dot = url.lastIndexOf('.', end - 1);
    if (dot < pathStart(url) || url.lastIndexOf('/', end - 1) > dot) return false;
    return wanted.has(url.slice(dot + 1, end).toLowerCase());
  };
}

const hasParameter =
  (name: string): Accepts =>
  ({ url }) => {
    const query = url.indexOf('?', 8);
    if (query < 0) return false;
    for (let at = url.indexOf(name, query + 1); at >= 0; at = url.indexOf(name, at + 1)) {
      const before = url.charCodeAt(at - 1);
      const after = url[at + name.length];
      const begins = before === QUESTION || before === AMPERSAND;
      if (begins && (after === undefined || after === '=' || after === '&')) return true;
    }
    return false;
  };

const parameters: Value = ({ url }) => {
  const query = url.indexOf('?', 8);
  return query < 0 ? 0 : countOf(url, AMPERSAND, query, url.length) + 1;
};
