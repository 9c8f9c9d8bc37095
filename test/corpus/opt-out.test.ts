import { expect, test } from 'vitest';
import { optOutOf, usageRules, withRobots } from '../../src/corpus/opt-out.ts';

const headersOf = (fields: Readonly<Record<string, readonly string[]>>) => ({
  get: (name: string) => fields[name]?.[0],
  all: (name: string) => [...(fields[name] ?? [])],
  entries: () => Object.entries(fields).flatMap(([name, all]) => all.map((one) => [name, one])),
});
const ofTags = (...lines: string[]) =>
  optOutOf(headersOf({ 'x-robots-tag': lines }) as never, Buffer.from(''), false);

test.each<[lines: string[], reasons: string | undefined]>([
  [['noindex'], 'noindex'],
  [['none'], 'noindex'],
  [['NoAI, nosnippet'], 'noai, nosnippet'],
  [['googlebot: noindex'], undefined],
  [['drumlin: noai'], 'noai'],
  [['googlebot: noindex, drumlin: noai'], 'noai'],
  [['drumlin: noai, googlebot: noindex'], 'noai'],
  [['googlebot: noindex, nosnippet, drumlin: noai, otherbot: none'], 'noai'],
  [['googlebot: noindex', 'noai'], 'noai'],
  [['max-snippet: 5, noai'], 'noai'],
  [['unavailable_after: 1 Jan 2030, noindex'], 'noindex'],
  [['index, follow'], undefined],
])('the X-Robots-Tag %j refuses for %s', (lines, reasons) => {
  expect(ofTags(...lines)).toBe(reasons);
});

const robotsOf = (...lines: string[]) => usageRules(Buffer.from(lines.join('\n')));

test.each<[lines: string[], refused: string[], open: string[]]>([
  [['User-agent: *', 'Content-Usage: train-ai=n'], ['/', '/a'], []],
  [['Content-Usage: train-ai=n'], ['/'], []],
  [
    ['User-agent: *', 'Content-Usage: /a train-ai=n'],
    ['/a', '/ab', '/a/b'],
    ['/', '/b'],
  ],
  [['User-agent: *', 'Content-Usage: /a$ train-ai=n'], ['/a'], ['/ab']],
  [['User-agent: *', 'Content-Usage: /*.pdf search=y, train-ai=n;x=1'], ['/x.pdf'], ['/x.html']],
  [['User-agent: *', 'Content-Usage: train-ai=y'], [], ['/']],
  [['User-agent: *', 'Content-Usage: train-ai=no'], [], ['/']],
  [['User-agent: Drumlin', 'Content-Usage: bots=n'], ['/'], []],
  [['User-agent: other', 'Content-Usage: bots=n'], [], ['/']],
  [['User-agent: other', 'User-agent: *', 'Content-Usage: bots=n'], ['/'], []],
  [['User-agent: *', 'User-agent: other', 'Content-Usage: bots=n'], ['/'], []],
  [['User-agent: *', 'Allow: /', 'User-agent: other', 'Content-Usage: bots=n'], [], ['/']],
  [['User-agent: other', 'Allow: /', 'useragent: *', 'content-usage: bots=N'], ['/'], []],
  [['User-agent: *', 'Content-Usage: bots=y # bots=n'], [], ['/']],
])('the robots.txt %j refuses %j, not %j', (lines, refused, open) => {
  const rules = robotsOf(...lines);
  for (const path of refused)
    expect(withRobots('noai', rules, path)).toBe('content-usage in robots.txt, noai');
  for (const path of open) expect(withRobots(undefined, rules, path)).toBeUndefined();
});

test.each<[html: string, reasons: string | undefined]>([
  ["<META content='noai' name=robots>", 'noai'],
  ['<meta name="drumlin" content="none">', 'noindex'],
  ['<meta name=tdm-reservation content=" 1 ">', 'tdm-reservation'],
  ['<meta name=tdm-reservation content=0>', undefined],
  ['<!-- <meta name=robots content=noindex> -->', 'noindex'],
  [`${' '.repeat(128 * 1024 - 38)}<meta name="robots" content="noindex">`, 'noindex'],
  [`${' '.repeat(128 * 1024 - 37)}<meta name="robots" content="noindex">`, undefined],
])('a page with %j refuses for %s', (html, reasons) => {
  expect(optOutOf(headersOf({}) as never, Buffer.from(html), true)).toBe(reasons);
  expect(optOutOf(headersOf({}) as never, Buffer.from(html), false)).toBeUndefined();
});

test.each<[fields: Record<string, string[]>, reasons: string | undefined]>([
  [{ 'tdm-reservation': [' 1 '] }, 'tdm-reservation'],
  [{ 'tdm-reservation': ['0'] }, undefined],
  [{ 'content-usage': ['search=y', 'train-ai=n'] }, 'content-usage'],
  [{ 'content-usage': ['train-ai=n'], 'x-robots-tag': ['noai'] }, 'content-usage, noai'],
])('the headers %j refuse for %s', (fields, reasons) => {
  expect(optOutOf(headersOf(fields) as never, Buffer.from(''), false)).toBe(reasons);
});
