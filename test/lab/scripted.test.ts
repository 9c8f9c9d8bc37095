/** Script-made sites: what a plain client sees, and that the truth is in what their scripts get. */
import { expect, test } from 'vitest';
import { scenarioOf } from '../../src/lab/scenario.ts';
import { SCRIPTED, type Scripted } from '../../src/lab/scripted/scripted-page.ts';
import { Web } from '../../src/lab/web.ts';
import { parsePage } from '../../src/parse/page.ts';
import { needsScripts } from '../../src/render/need.ts';
import { hostOf, pathOf } from '../../src/url/parts.ts';

const webWith = (mix: Record<string, number>) =>
  new Web({
    ...{ seed: 7, step: 0, domains: 12, pages: 20, httpPort: 80, httpsPort: 443 },
    ...{ realSuffixes: false, scenario: scenarioOf('clean', mix) },
  });

/** Every page of a web, with its bytes. */
function* pagesOf(web: Web): Generator<{ url: string; body: string }> {
  for (const url of web.allUrls()) {
    const { body = '', status } = web.answer(hostOf(url), pathOf(url)) ?? {};
    if (status === 200 && /^\s*<!DOCTYPE html/i.test(body)) yield { url, body };
  }
}
const linksIn = (url: string, body: string) =>
  parsePage(Buffer.from(body, 'latin1'), { url, contentType: 'text/html' }).links.map((l) => l.url);

const PLAIN = webWith({});

test.each([...SCRIPTED])('%s: the shell has no links, and looks as if it needed scripts', (way) => {
  const web = webWith({ [way]: 1 });
  const made = [...pagesOf(web)].filter(({ body }) => body.includes('id="root"')).slice(0, 20);
  expect(made.length).toBeGreaterThan(3);
  for (const { url, body } of made) {
    expect(linksIn(url, body)).toEqual([]);
    expect(needsScripts(Buffer.from(body, 'latin1'), 0)).toBe(true);
  }
});

test('faults of scripts affect every third page; the others are plain', () => {
  const faults: Scripted[] = [
    ...(['script-loop', 'script-memory', 'script-dialogs'] as const),
    ...(['script-redirect', 'script-private'] as const),
  ];
  for (const way of faults) {
    const all = [...pagesOf(webWith({ [way]: 1 }))];
    const made = all.filter(({ body }) => body.includes('id="root"')).length;
    expect(made).toBeGreaterThan(0);
    expect(made).toBeLessThan(all.length / 2);
  }
});

test('the ways that build are script-inline, script-data, script-scroll, script-click, script-hash', () => {
  // Named for the test that every behaviour has one:
  expect(SCRIPTED.slice(0, 5)).toEqual([
    ...['script-inline', 'script-data', 'script-scroll', 'script-click', 'script-hash'],
  ]);
});

test('the data of a page, whole or in parts, has the links of the plain page', () => {
  const web = webWith({ 'script-data': 1 });
  let seen = 0;
  for (const { url, body } of pagesOf(PLAIN)) {
    if (seen++ > 20) break;
    const ask = (rest: string) => {
      const target = `/data.json?of=${encodeURIComponent(pathOf(url))}${rest}`;
      const answer = web.answer(hostOf(url), target)?.body ?? '{}';
      return JSON.parse(answer).html as string;
    };
    const truth = linksIn(url, body).sort();
    expect(linksIn(url, ask('')).sort()).toEqual(truth);
    const parts = [0, 1, 2, 3].flatMap((part) => linksIn(url, ask(`&part=${part}`)));
    expect([...new Set(parts)].sort()).toEqual([...new Set(truth)]);
  }
});

test('a redirect by script leads to the next, without end', () => {
  const web = webWith({ 'script-redirect': 1 });
  const url = [...pagesOf(web)].find(({ body }) => body.includes('id="root"'))?.url ?? '';
  expect(web.answer(hostOf(url), '/go/41')?.body).toContain("'/go/42'");
});

test('plain pages of every scenario look as if they needed no scripts', () => {
  for (const { url, body } of pagesOf(PLAIN))
    expect(needsScripts(Buffer.from(body, 'latin1'), linksIn(url, body).length)).toBe(false);
});
