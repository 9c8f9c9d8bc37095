import { expect, test } from 'vitest';
import { optOutOf } from '../../src/corpus/opt-out.ts';

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
