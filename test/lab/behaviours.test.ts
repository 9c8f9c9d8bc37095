import { describe, expect, test } from 'vitest';
import { BEHAVIOURS, type BehaviourName } from '../../src/lab/behaviour.ts';
import { get, linksOf, withBehaviour } from './client.ts';

describe('missing and moved pages', () => {
  test.each([
    301, 302, 303, 307, 308,
  ])('redirect-%i leads to a page with that status', async (status) => {
    await withBehaviour(`redirect-${status}` as BehaviourName, async (lab, url) => {
      const moved = await get(lab, url);
      expect(moved.status).toBe(status);
      expect((await get(lab, moved.headers.location as string)).status).toBe(200);
    });
  });

  test('redirect-chain passes eight redirects before a page', async () => {
    await withBehaviour('redirect-chain', async (lab, url) => {
      let got = await get(lab, url);
      let hops = 0;
      while (got.status === 302) {
        hops++;
        got = await get(lab, got.headers.location as string);
      }
      expect([hops, got.status]).toEqual([8, 200]);
    });
  });

  test('redirect-loop returns to an address it has visited', async () => {
    await withBehaviour('redirect-loop', async (lab, url) => {
      const seen = new Set<string>();
      let at = url;
      while (!seen.has(at)) {
        seen.add(at);
        const got = await get(lab, at);
        expect(got.status).toBe(302);
        at = got.headers.location as string;
      }
      expect(seen.size).toBe(3);
    });
  });

  test.each([
    401, 403, 404, 410, 429, 500, 503,
  ])('status-%i is the answer of affected pages only', async (status) => {
    await withBehaviour(`status-${status}` as BehaviourName, async (lab, url, home) => {
      const refused = await get(lab, url);
      expect(refused.status).toBe(status);
      expect((await get(lab, home)).status).toBe(200);
      if (status === 429 || status === 503) expect(refused.headers['retry-after']).toBe('2');
      if (status === 401) expect(refused.headers['www-authenticate']).toMatch(/^Basic /);
    });
  });

  test('soft-404 answers 200 and "Page Not Found", also for addresses that never existed', async () => {
    await withBehaviour('soft-404', async (lab, url, home) => {
      for (const missing of [url, `${home}never/was`]) {
        const got = await get(lab, missing);
        expect(got.status).toBe(200);
        expect(got.body.toString()).toContain('<title>Page Not Found</title>');
      }
    });
  });

  test('an address that never existed is a 404 elsewhere', async () => {
    await withBehaviour('status-403', async (lab, _url, home) => {
      expect((await get(lab, `${home}never/was`)).status).toBe(404);
    });
  });
});

describe('robots.txt', () => {
  const robots = (behaviour: BehaviourName) =>
    withBehaviour(behaviour, async (lab, _url, home) => {
      const start = performance.now();
      const got = await get(lab, `${home}robots.txt`);
      return {
        ...got,
        text: got.body.toString('latin1'),
        millis: performance.now() - start,
        lab,
        home,
      };
    });

  test('has wildcards, delays, groups, and forbids everything', async () => {
    expect((await robots('robots-wildcards')).text).toMatch(
      /^User-agent: \*\nDisallow: \/private\/\nDisallow: \/\*\?title=\n/,
    );
    expect((await robots('robots-delay')).text).toContain('Crawl-delay: 2\n');
    expect((await robots('robots-groups')).text).toMatch(
      /^User-agent: drumlin\n[\s\S]*User-agent: \*\nDisallow: \/\n$/,
    );
    expect((await robots('robots-disallow')).text).toBe('User-agent: *\nDisallow: /\n');
  });

  test('is huge, its last rule beyond 500 KiB', async () => {
    const { text } = await robots('robots-huge');
    expect(text.lastIndexOf('Disallow: /\n')).toBeGreaterThan(500 * 1024);
  });

  test('is refused, failing, invalid or late', async () => {
    expect((await robots('robots-forbidden')).status).toBe(403);
    expect((await robots('robots-error')).status).toBe(503);
    expect((await robots('robots-invalid')).text).toMatch(/^<html>\0\0\nUser-agent\n/);
    const slow = await robots('robots-slow');
    expect(slow.status).toBe(200);
    expect(slow.millis).toBeGreaterThanOrEqual(75);
  });

  test('redirects to its rules', async () => {
    await withBehaviour('robots-redirect', async (lab, _url, home) => {
      const moved = await get(lab, `${home}robots.txt`);
      expect(moved.status).toBe(301);
      expect((await get(lab, moved.headers.location as string)).body.toString()).toContain(
        'Disallow: /private/',
      );
    });
  });

  test('has rules for paths that pages link to', async () => {
    await withBehaviour('robots-delay', async (lab, url) => {
      const page = (await get(lab, url)).body.toString('latin1');
      const forbidden = linksOf(url, page).filter((link) =>
        new URL(link).pathname.startsWith('/private/'),
      );
      expect(forbidden).toHaveLength(1);
      expect((await get(lab, forbidden[0])).status).toBe(200);
    });
  });
});

test('every behaviour has a test that names it', async () => {
  const { readdir, readFile } = await import('node:fs/promises');
  const folder = new URL('.', import.meta.url);
  const files = (await readdir(folder)).filter((file) => file.endsWith('.test.ts'));
  const text = (
    await Promise.all(files.map((file) => readFile(new URL(file, folder), 'utf8')))
  ).join('\n');
  const generic = /^(?:status|redirect)-\d+$/;
  const unnamed = Object.keys(BEHAVIOURS).filter(
    (name) => !generic.test(name) && !text.includes(`'${name}'`),
  );
  expect(unnamed).toEqual([]);
});
