/** The console: who may use it, wrong requests and hostile material. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readWarc } from '../../src/archive/warc/warc-reader.ts';
import type { Console } from '../../src/console/serve.ts';
import { serveConsole } from '../../src/console/server.ts';
import { readTuning } from '../../src/crawl/state/tuning-file.ts';
import { Disk } from '../../src/disk/disk.ts';
import { indexArchives } from '../../src/search/build/build-index.ts';
import { serveHostileCrawl, TOKEN } from './hostile-crawl.ts';
import type { SmallCrawl } from './small-crawl.ts';

let crawl: SmallCrawl;
let served: Console;

beforeAll(async () => {
  ({ crawl, served } = await serveHostileCrawl());
});
afterAll(() => served.close());

interface Operation {
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
  }[];
  readonly responses: {
    readonly 200: {
      readonly content: {
        readonly 'application/json': { readonly schema: { readonly properties: object } };
      };
    };
  };
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers: Record<string, unknown>;
}

function ask(
  path: string,
  options: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: '127.0.0.1',
        port: served.port,
        path,
        method: options.method ?? 'GET',
        headers: options.headers ?? {},
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (piece) => {
          text += piece;
        });
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, text, headers: response.headers }),
        );
      },
    );
    sent.on('error', reject);
    sent.end(options.body);
  });
}

const withToken = (path: string, options: { method?: string; body?: string } = {}) =>
  ask(path, { ...options, headers: { authorization: `Bearer ${TOKEN}` } });

describe('who may use it', () => {
  test('nobody without the token', async () => {
    for (const path of [
      ...['/', '/api/v1/crawls', '/?token=wrong', '/api/v1/crawls/crawl/events'],
      ...['/api/v1/crawls/crawl/metrics', '/api/v1/crawls/crawl/healthz', '/metrics', '/healthz'],
    ])
      expect((await ask(path)).status).toBe(403);
    expect((await ask('/api/v1/crawls', { headers: { authorization: 'Bearer no' } })).status).toBe(
      403,
    );
  });

  test('nobody under another host name, or from another site', async () => {
    const authorization = `Bearer ${TOKEN}`;
    const own = `http://127.0.0.1:${served.port}`;
    const status = async (headers: Record<string, string>) =>
      (await ask('/api/v1/crawls', { headers: { authorization, ...headers } })).status;
    expect(await status({ host: 'evil.example' })).toBe(403);
    expect(await status({ origin: 'http://evil.example' })).toBe(403);
    expect(await status({ origin: 'null' })).toBe(403);
    expect(await status({ 'sec-fetch-site': 'cross-site' })).toBe(403);
    expect(await status({ origin: own, host: `127.0.0.1:${served.port}` })).toBe(200);
  });

  test('the token is exchanged for a cookie that scripts and other sites cannot use', async () => {
    const { status, headers } = await ask(`/?token=${TOKEN}`);
    const [cookie] = headers['set-cookie'] as string[];
    expect(status).toBe(200);
    expect(cookie).toMatch(/; HttpOnly; SameSite=Strict; Path=\/$/);
    expect(cookie).not.toContain(TOKEN);
    const [pair] = cookie.split(';');
    expect((await ask('/api/v1/crawls', { headers: { cookie: pair } })).status).toBe(200);
    const change = { method: 'POST', body: '{"action":"checkpoint"}' };
    const path = '/api/v1/crawls/crawl/control';
    expect((await ask(path, { ...change, headers: { cookie: pair } })).status).toBe(403);
    const own = {
      cookie: pair,
      origin: `http://127.0.0.1:${served.port}`,
      host: `127.0.0.1:${served.port}`,
    };
    expect((await ask(path, { ...change, headers: own })).status).toBe(200);
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'sha256-/);
  });

  test('an address that others can reach needs a token of the operator', async () => {
    const open = { places: [crawl.dir], page: '', port: 0, host: '0.0.0.0' };
    await expect(serveConsole(open)).rejects.toThrow('put TLS in front');
    await expect(serveConsole({ ...open, token: 'short' })).rejects.toThrow('at least 16');
  });
});

describe('the API', () => {
  test('every route without a body answers, and the OpenAPI file describes it', async () => {
    const { paths } = JSON.parse((await withToken('/api/v1/openapi.json')).text);
    expect(JSON.parse(readFileSync('docs/openapi.json', 'utf8')).paths).toEqual(paths);
    const given: Record<string, string> = {
      url: `${crawl.origin}/ok/1`,
      domain: '127.0.0.1',
      time: '',
      a: '',
      b: '',
    };
    const captures = JSON.parse(
      (await withToken(`/api/v1/crawls/crawl/captures?url=${encodeURIComponent(given.url)}`)).text,
    ).captures;
    given.time = given.a = given.b = captures[0].timestamp;
    for (const [path, { get }] of Object.entries<{ get?: Operation }>(paths)) {
      if (!get) continue;
      const query = get.parameters.filter((one) => one.in === 'query' && one.required);
      const asked = new URLSearchParams(
        query.map(({ name }): [string, string] => [name, given[name]]),
      );
      const at = path.replace('{crawl}', 'crawl').replace('{name}', '127.0.0.1');
      const { status, text } = await withToken(`/api/v1${at}?${asked}`);
      // The crawl has ended: it has no metrics, and is not healthy.
      const expected = /\/(?:metrics|healthz)$/.test(path) ? 503 : 200;
      expect([path, status, status === expected ? '' : text]).toEqual([path, expected, '']);
      const gives = Object.keys(get.responses[200].content['application/json'].schema.properties);
      if (gives.length > 0)
        expect(Object.keys(JSON.parse(text))).toEqual(
          expect.arrayContaining(
            gives.filter((name) => name !== 'next' && name !== 'decision' && name !== 'row'),
          ),
        );
    }
  });

  test('wrong requests get 400 with a sentence, and never end the process', async () => {
    const paths = [
      'domains',
      'domains/x',
      'hosts',
      'url',
      'captures',
      'capture',
      'compare',
      'graph',
      'log',
      'settings',
      'control',
      'seeds',
      'nothing',
      'domains/%ff',
    ];
    const names = [
      'url',
      'sort',
      'count',
      'from',
      'time',
      'contains',
      'before',
      'event',
      'action',
      'settings',
      'seeds',
      '__proto__',
    ];
    const value = fc.oneof(
      fc.string(),
      fc.constantFrom(
        '0',
        '-1',
        '1e9',
        '../..',
        '\u0000',
        'http://',
        '%',
        '[]',
        '{}',
        'x'.repeat(9000),
      ),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...paths),
        fc.constantFrom('GET', 'POST', 'PATCH', 'PUT'),
        fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 3 }),
        fc.option(fc.json()),
        async (path, method, fields, body) => {
          const query = method === 'GET' ? `?${new URLSearchParams(fields)}` : '';
          const { status, text } = await withToken(`/api/v1/crawls/crawl/${path}${query}`, {
            method,
            ...(method !== 'GET' && { body: body ?? JSON.stringify(fields) }),
          });
          expect([200, 400, 404, 405, 431]).toContain(status);
          if (status === 400) expect(JSON.parse(text).error.fact).toMatch(/\.$/);
        },
      ),
      { numRuns: 150 },
    );
    expect((await withToken('/api/v1/crawls')).status).toBe(200);
  });

  test('changes go through the files that the crawl reads', async () => {
    const patch = await withToken('/api/v1/crawls/crawl/settings', {
      method: 'PATCH',
      body: '{"settings":{"delay":"3s"}}',
    });
    expect(patch.status).toBe(200);
    const wrong = await withToken('/api/v1/crawls/crawl/settings', {
      method: 'PATCH',
      body: '{"settings":{"delay":"soon","fetches":"3"}}',
    });
    expect(JSON.parse(wrong.text).error.fact).toContain('delay');
    const { settings } = await readTuning(new Disk(), crawl.dir);
    expect([settings.delay, settings.fetches]).toEqual(['3s', undefined]);
    const block = await withToken('/api/v1/crawls/crawl/domains/example.com', {
      method: 'PUT',
      body: '{"decision":"block"}',
    });
    expect(JSON.parse(block.text)).toEqual({ domain: 'example.com', decision: 'blocked' });
  });
});

describe('the archive', () => {
  const get = async (path: string): Promise<Buffer> => {
    const response = await fetch(`http://127.0.0.1:${served.port}/api/v1/crawls/crawl/${path}`, {
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    expect(response.status).toBe(200);
    return Buffer.from(await response.arrayBuffer());
  };

  test('is downloaded as WARC: every capture that was chosen, and the page of each revisit', async () => {
    const prefix = encodeURIComponent(`${crawl.origin}/same/`);
    const path = join(crawl.dir, 'download.warc.gz');
    writeFileSync(path, await get(`download?prefix=${prefix}`));
    const found = new Map<string, string[]>();
    const reader = readWarc(path);
    for await (const { type, headers } of reader)
      found.set(type, [...(found.get(type) ?? []), headers.targetUri ?? '']);
    expect(reader.fault).toBeUndefined();
    const all = [...(found.get('response') ?? []), ...(found.get('revisit') ?? [])];
    expect(all.sort()).toEqual(
      [...crawl.fates.keys()].filter((url) => url.includes('/same/')).sort(),
    );
    expect(found.get('revisit')?.length).toBeGreaterThan(0);
    rmSync(path);
  });

  test('is downloaded as WACZ, and nothing stays behind', async () => {
    const url = encodeURIComponent(`${crawl.origin}/ok/1`);
    const wacz = await get(`download?format=wacz&url=${url}`);
    expect(wacz.subarray(0, 2).toString()).toBe('PK');
    const contents = wacz.toString('latin1');
    for (const name of ['archive/captures.warc.gz', 'pages/pages.jsonl', 'datapackage.json'])
      expect(contents).toContain(name);
    expect(readdirSync(tmpdir()).filter((name) => /^drumlin-download-/.test(name))).toEqual([]);
    const none = await withToken('/api/v1/crawls/crawl/download?prefix=http://nowhere.test/');
    expect([none.status, JSON.parse(none.text).error.fact]).toEqual([400, 'No capture matches.']);
  });

  test('is searched by words where an index exists', async () => {
    const search = async (query: string) =>
      JSON.parse((await withToken(`/api/v1/crawls/crawl/search?query=${query}`)).text);
    expect((await search('words')).error.remedy).toContain('drumlin search index');
    await indexArchives([crawl.dir], join(crawl.dir, 'search'));
    const { indexes, results } = await search('words+own');
    expect(indexes).toEqual([join(crawl.dir, 'search')]);
    expect(results.map(({ url }: { url: string }) => url)).toContain(`${crawl.origin}/ok/1`);
    expect(results[0].snippet).toContain('words of its own');
  });

  test('gives the links from a domain to others, and those to it', async () => {
    const { targets, pagesRead } = JSON.parse(
      (await withToken('/api/v1/crawls/crawl/graph?domain=127.0.0.1')).text,
    );
    expect(pagesRead).toBe(12);
    const names = targets.map(({ domain }: { domain: string }) => domain);
    expect(names).toEqual(expect.arrayContaining(['127.0.0.3', '127.0.0.4', '127.0.0.5']));
    const { sources, known } = JSON.parse(
      (await withToken('/api/v1/crawls/crawl/graph?domain=127.0.0.3')).text,
    );
    expect(sources.map(({ domain }: { domain: string }) => domain)).toEqual(['127.0.0.1']);
    expect(known).toBe(1);
  });
});
