/** Predicates over a URL, known from its first moment: its host, its path, its query, lists it may be in. */

import { xxh64 } from '../base/xxh64.ts';
import { authorityStart, hostEnd, pathStart } from '../url/parts.ts';
import { repeatsIn } from '../url/repeats.ts';
import { ListBuilder, ListTable } from './list-table.ts';
import type { Parameter, Predicate, Value } from './predicate.ts';
import type { Accepts } from './subject.ts';
import { compileUrlPattern } from './url-pattern.ts';

/** What all predicates of this file have in common. */
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
    doc: 'the URL is an http or an https one',
    example: 'SchemeIs(https)',
    bind: ([scheme]) => (scheme === 'https' ? isHttps : isHttp),
  }),
  url({
    name: 'HostIs',
    parameters: [{ kind: 'host', many: true }],
    doc: 'its host is one of these; with a dot in front, a domain with every host below it',
    example: 'HostIs(www.example.org, .example.net)',
    bind: isOneOf,
  }),
  url({
    name: 'HostEndsWith',
    parameters: [{ kind: 'host-end' }],
    doc: 'its host ends like this',
    example: 'HostEndsWith(.edu)',
    bind: ([ending]) => endsWith(ending),
  }),
  url({
    name: 'HostMatches',
    parameters: [{ kind: 'regular' }],
    doc: 'a regular expression matches its host',
    example: 'HostMatches(/^(?:www|blog)\\d*\\./)',
    bind: ([expression]) => {
      const matches = compileUrlPattern(expression);
      return ({ url }) => matches(url.slice(authorityStart(url), hostEnd(url)));
    },
  }),
  url({
    name: 'HostIsAddress',
    parameters: [],
    doc: 'its host is an address and no name',
    example: 'not HostIsAddress',
    bind: () => isAddress,
  }),
  number({
    name: 'HostLabels',
    doc: 'parts of the host’s name',
    example: 'HostLabels <= 4',
    bind: () => hostLabels,
  }),
  number({
    name: 'Port',
    doc: 'the port, 80 and 443 too',
    example: 'Port == 443',
    bind: () => port,
  }),
  url({
    name: 'DomainIs',
    parameters: [{ kind: 'domain', many: true }],
    doc: 'its pay-level domain is one of these',
    example: 'DomainIs(example.co.uk)',
    bind: (domains) => isOneOf(domains.map((domain) => `.${domain}`)),
  }),
  url({
    name: 'PathStartsWith',
    parameters: TEXT,
    doc: 'its path begins like this',
    example: 'PathStartsWith(/docs/)',
    bind:
      ([beginning]) =>
      ({ url }) =>
        url.startsWith(beginning, pathStart(url)),
  }),
  url({
    name: 'PathEndsWith',
    parameters: TEXT,
    doc: 'its path ends like this, before the query',
    example: 'PathEndsWith(/)',
    bind: ([ending]) => pathEndsWith(ending),
  }),
  url({
    name: 'PathContains',
    parameters: TEXT,
    doc: 'this occurs in its path',
    example: 'PathContains(/print/)',
    bind: ([piece]) => pathContains(piece),
  }),
  number({
    name: 'PathDepth',
    doc: 'parts of its path: 0 for /, 2 for /a/b.html and for /a/b/',
    example: 'PathDepth < 4',
    bind: () => pathDepth,
  }),
  number({
    name: 'PathRepeats',
    doc: 'the most times that a sequence of parts of its path stands in a row: 3 for /a/b/a/b/a/b',
    example: 'PathRepeats < 3',
    bind:
      () =>
      ({ url }) =>
        repeatsIn(url),
  }),
  url({
    name: 'ExtensionIs',
    parameters: [{ kind: 'word', many: true }],
    doc: 'the last part of its path ends with a dot and one of these, in any case',
    example: 'ExtensionIs(jpg, jpeg, png)',
    bind: hasExtension,
  }),
  url({
    name: 'HasQuery',
    parameters: [],
    doc: 'it has a query',
    example: 'not HasQuery',
    bind:
      () =>
      ({ url }) =>
        url.includes('?', 8),
  }),
  url({
    name: 'QueryContains',
    parameters: TEXT,
    doc: 'this occurs in its query',
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
    doc: 'its query has a parameter of this name',
    example: 'HasParameter(sessionid)',
    bind: ([name]) => hasParameter(name),
  }),
  number({
    name: 'Parameters',
    doc: 'parameters of its query',
    example: 'Parameters <= 3',
    bind: () => parameters,
  }),
  url({
    name: 'UrlContains',
    parameters: TEXT,
    doc: 'this occurs in it',
    example: 'UrlContains(calendar)',
    bind:
      ([piece]) =>
      ({ url }) =>
        url.includes(piece),
  }),
  url({
    name: 'Matches',
    parameters: [{ kind: 'pattern', many: true }],
    doc: 'one of these patterns matches it, written as for --include: globs or regular expressions',
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
    doc: 'its characters',
    example: 'UrlLength < 500',
    bind:
      () =>
      ({ url }) =>
        url.length,
  }),
  url({
    name: 'InList',
    parameters: [{ kind: 'file' }],
    doc: 'it, its host, or a domain above it (.example.org) stands in this file, one a line; millions are no more work than one',
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
    doc: 'it is one of such a share of all URLs, always the same ones',
    example: 'Sample(0.01)',
    bind: ([share]) => {
      const below = BigInt(Math.floor(Number(share) * 2 ** 53));
      return ({ url }) => xxh64(url) >> 11n < below;
    },
  }),
  number({
    name: 'Depth',
    doc: 'links followed from a seed to here',
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

/** The domain itself, or a host below it. */
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
  // No name ends with a label of digits: it would be taken for an address, and canonical ones are dotted.
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
