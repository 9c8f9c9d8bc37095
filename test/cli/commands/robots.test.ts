/** `drumlin robots` as a user or a script sees it, without a process of its own. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { EXIT } from '../../../src/base/errors.ts';
import { register } from '../../../src/cli/commands/robots.ts';
import { type Pages, type SmallSite, startSmallSite } from '../../crawl/small-site.ts';
import { AUTHORITY, CERTIFICATE, KEY } from '../../fetch/certificates.ts';
import { send, serve } from '../../fetch/scripted-server.ts';

const BIN = join(import.meta.dirname, '../../../bin/drumlin');

let dir: string;
const sites: SmallSite[] = [];
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'drumlin-robots-'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));
afterEach(async () => {
  for (const site of sites.splice(0)) await site.close();
});

async function site(pages: Pages): Promise<SmallSite> {
  const made = await startSmallSite(pages);
  sites.push(made);
  return made;
}

function fileOf(text: string): string {
  const path = join(dir, 'robots.txt');
  writeFileSync(path, text);
  return path;
}

/** Runs the command and returns its output and exit code, or its error. */
async function robots(...args: string[]): Promise<{ out: string; code: number }> {
  const written: string[] = [];
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    written.push(String(text));
    return true;
  });
  try {
    const program = new Command().exitOverride().configureOutput({ writeErr: () => {} });
    register(program);
    await program.parseAsync(['robots', ...args], { from: 'user' });
    return { out: written.join(''), code: Number(process.exitCode ?? 0) };
  } finally {
    process.exitCode = 0;
    spy.mockRestore();
  }
}

const FILE = [
  '# ours',
  'User-agent: *',
  'Crawl-delay: 2.5',
  'Disallow: /private  # nobody',
  'Allow: /private/press$',
  '',
  'User-agent: Drumlin',
  'Disallow: /d',
  'Sitemap: https://example.org/sitemap.xml',
  'user-agent: drumlin/2.0',
  'Disallow: /e',
].join('\r\n');

describe('drumlin robots', () => {
  test('prints a line for each URL: the verdict, the line that decided, the group', async () => {
    const { out, code } = await robots(
      fileOf(FILE),
      '--agent',
      'other',
      '/private/x',
      '/private/press',
      '/free',
    );
    expect(out.split('\n')).toEqual([
      'deny   /private/x      line 4: Disallow: /private  # nobody  (the group for *, line 2)',
      'allow  /private/press  line 5: Allow: /private/press$  (the group for *, line 2)',
      'allow  /free           no rule applies in the group for *, line 2',
      '',
    ]);
    expect(code).toBe(EXIT.denied);
  });

  test('exits with 0 when everything is allowed', async () => {
    expect(await robots(fileOf(FILE), '/private', 'https://anywhere.test/free')).toMatchObject({
      code: 0,
    });
  });

  test('prints everything as JSON', async () => {
    const path = fileOf(FILE);
    const { out } = await robots(path, 'https://example.org/e?x=1', '--json');
    expect(JSON.parse(out)).toEqual({
      source: path,
      status: null,
      agent: 'drumlin',
      group: { agent: 'drumlin', lines: [7, 10] },
      crawlDelaySeconds: null,
      sitemaps: ['https://example.org/sitemap.xml'],
      results: [
        {
          url: 'https://example.org/e?x=1',
          allowed: false,
          line: 11,
          text: 'Disallow: /e',
          why: 'the group for drumlin, line 7, 10',
        },
      ],
    });
    const other = JSON.parse((await robots(path, '/', '--json', '--agent', 'Other/1.0')).out);
    expect(other).toMatchObject({
      agent: 'Other',
      group: { agent: '*', lines: [2] },
      crawlDelaySeconds: 2.5,
    });
  });

  test.each([
    ['*', '/private', 7],
    ['Mozilla/5.0 (compatible; DRUMLIN/1.0; +https://example.org)', '/d', 7],
    ['drumlin', '/%64', 7],
    ['drumlin', '/robots.txt', 0],
  ])('checks for the agent %j the path %s', async (agent, path, code) => {
    expect((await robots(fileOf(FILE), '--agent', agent, path)).code).toBe(code);
  });

  test('reports that no group applies, and that robots.txt itself is allowed', async () => {
    const { out } = await robots(fileOf('User-agent: a\nDisallow: /'), '/x', '/robots.txt');
    expect(out).toBe(
      'allow  /x           no group applies\nallow  /robots.txt  robots.txt itself is always allowed\n',
    );
  });

  test('lets no file control the terminal', async () => {
    const { out } = await robots(fileOf('User-agent: *\nDisallow: /a # \u001b[2J\u202e'), '/a');
    expect(out).toContain('Disallow: /a # \\u{1b}[2J\\u{202e}');
  });

  test('reads standard input', () => {
    const { stdout, status } = spawnSync(process.execPath, [BIN, 'robots', '-', '/a'], {
      input: 'User-agent: *\nDisallow: /a',
      encoding: 'utf8',
    });
    expect(stdout).toBe('deny   /a  line 2: Disallow: /a  (the group for *, line 1)\n');
    expect(status).toBe(EXIT.denied);
  });

  test.each([
    [['nowhere.txt', '/x'], /nowhere\.txt does not exist\. Name a file, or a URL/],
    [['FILE', 'mailto:x'], /"mailto:x" cannot be checked: Only http and https/],
    [['FILE', 'x y'], /"x y" cannot be checked: It is not a URL/],
    [['FILE', '/x', '--agent', '()'], /has no product name/],
    [['ftp://lab.test/robots.txt', '/x'], /cannot be fetched: Only http and https/],
    [['https://lab.test/', '/x'], /no contact is given/],
    [
      ['http://127.0.0.1:9/', '/x', '--contact', 'me@example.org'],
      /127\.0\.0\.1 is a loopback address\. Add --allow-private/,
    ],
    [['https://192.0.2.1/', '/x', '--contact', 'me@example.org'], /a documentation address/],
    [
      ['http://8.8.8.8/', '/x', '--allow-private'],
      /8\.8\.8\.8 is a public address, and no contact is given/,
    ],
    [
      ['http://localhost:9/', '/x', '--allow-private', '--ca', 'none.pem'],
      /none\.pem does not exist/,
    ],
  ])('rejects %j in one sentence with the remedy', async (args, message) => {
    const given = args.map((arg) => (arg === 'FILE' ? fileOf(FILE) : arg));
    await expect(robots(...given)).rejects.toMatchObject({
      name: 'DrumlinError',
      message: expect.stringMatching(message),
    });
  });
});

describe('drumlin robots with a URL', () => {
  const LOCAL = '--allow-private';
  const rules = 'User-agent: *\nDisallow: /a';
  const text =
    (body: string, status = 200) =>
    (_: unknown, response: import('node:http').ServerResponse) =>
      response.writeHead(status).end(body);
  const redirect = (to: string) => (_: unknown, response: import('node:http').ServerResponse) =>
    response.writeHead(301, { location: to }).end();

  test('fetches the file, or the robots.txt of an origin', async () => {
    const { origin, asked } = await site({ '/robots.txt': text(rules), '/other.txt': text('') });
    for (const [source, code] of [
      [origin, 7],
      [`${origin}/robots.txt`, 7],
      [`${origin}/other.txt`, 0],
    ] as const) {
      expect((await robots(source, `${origin}/a`, '/b', LOCAL)).code).toBe(code);
    }
    expect(asked).toEqual(['/robots.txt', '/robots.txt', '/other.txt']);
  });

  test('fetches in its own name, for every --agent', async () => {
    let agent: string | undefined;
    const { origin } = await site({
      '/robots.txt': (request, response) => {
        agent = request.headers['user-agent'];
        response.end();
      },
    });
    await robots(origin, '/a', LOCAL, '--agent', 'Googlebot');
    expect(agent).toMatch(/drumlin/);
    expect(agent).not.toMatch(/google/i);
  });

  test('follows five redirects, and treats a sixth as a missing file', async () => {
    const chain = (hops: number): Pages => ({
      ...Object.fromEntries(
        Array.from({ length: hops }, (_, i) => [`/${i}`, redirect(`/${i + 1}`)]),
      ),
      [`/${hops}`]: text(rules),
      '/robots.txt': redirect('/1'),
    });
    const five = await site(chain(5));
    const report = JSON.parse((await robots(five.origin, '/a', LOCAL, '--json')).out);
    expect(report).toMatchObject({
      source: `${five.origin}/5`,
      status: 200,
      results: [{ allowed: false, line: 2 }],
    });
    const six = await site(chain(6));
    expect((await robots(six.origin, '/a', LOCAL)).out).toBe(
      'allow  /a  there is no robots.txt (status 301), which allows everything\n',
    );
  });

  test.each([
    [404, 'allow  /a  there is no robots.txt (status 404), which allows everything\n'],
    [403, 'allow  /a  there is no robots.txt (status 403), which allows everything\n'],
    [503, 'deny   /a  robots.txt cannot be fetched (status 503), which forbids everything\n'],
    [429, 'deny   /a  robots.txt cannot be fetched (status 429), which forbids everything\n'],
  ])('takes status %d as the RFC does', async (status, out) => {
    const { origin } = await site({ '/robots.txt': text('User-agent: *\nDisallow: /', status) });
    expect((await robots(origin, '/a', LOCAL)).out).toBe(out);
  });

  test('denies when the server cannot be reached or truncates the file', async () => {
    const gone = await startSmallSite({});
    await gone.close();
    const away = await robots(gone.origin, '/a', LOCAL);
    expect(away.out).toMatch(
      /^deny {3}\/a {2}robots.txt cannot be fetched \(connect-refused: .*\), which forbids everything\n$/,
    );
    expect(away.code).toBe(EXIT.denied);
    const { origin } = await site({
      '/robots.txt': (_, response) => {
        response.writeHead(200, { 'content-length': 1000 }).write('User-agent: *');
        setImmediate(() => response.destroy());
      },
    });
    expect((await robots(origin, '/a', LOCAL)).out).toContain('the file is incomplete');
  });

  test('verifies certificates, with an authority from --ca, or not at all with --insecure', async () => {
    const server = await serve(send('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n'), {
      key: KEY,
      cert: CERTIFICATE,
    });
    const ca = join(dir, 'ca.pem');
    writeFileSync(ca, AUTHORITY);
    const source = `https://localhost:${server.port}`;
    expect((await robots(source, '/a', LOCAL)).out).toMatch(/tls-failed: .*certificate/);
    // The authority is known now, but the certificate is for another name.
    expect((await robots(source, '/a', LOCAL, '--ca', ca)).out).toMatch(/tls-failed: .*localhost/);
    expect((await robots(source, '/a', LOCAL, '--insecure')).code).toBe(0);
    await server.close();
  });

  test('does not let a redirect lead to a forbidden address', async () => {
    const { origin } = await site({ '/robots.txt': redirect('http://169.254.169.254/latest/') });
    expect((await robots(origin, '/a', LOCAL)).out).toContain(
      'address-refused: 169.254.169.254 is a cloud metadata address',
    );
  });

  test('answers for no other origin, and sends no request then', async () => {
    const { origin, asked } = await site({ '/robots.txt': text(rules) });
    await expect(robots(origin, 'http://other.test/a', LOCAL)).rejects.toThrow(
      `http://other.test has its own robots.txt; this one belongs to ${origin}.`,
    );
    expect(asked).toEqual([]);
  });
});

test('an empty query meets a rule about one', async () => {
  const file = fileOf('User-agent: *\nDisallow: /search?\n');
  const { out } = await robots(
    file,
    '/search?',
    '/search',
    'http://a.test/search?#x',
    '/search?q=1',
  );
  expect(out.split('\n').map((line) => line.slice(0, 5))).toEqual(
    ...[['deny ', 'allow', 'deny ', 'deny ', '']],
  );
});
