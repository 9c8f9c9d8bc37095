import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Disk } from '../../src/disk/disk.ts';
import { nodeFileSystem } from '../../src/disk/file-system.ts';
import { parseCookies, readCookies } from '../../src/fetch/cookies.ts';
import { parseCredentials, readCredentials } from '../../src/fetch/credentials.ts';
import { readSecretFile } from '../../src/fetch/secret-file.ts';
import { FaultyFileSystem, systemError } from '../disk/faulty-file-system.ts';
import { AUTHORITY, CERTIFICATE, KEY } from './certificates.ts';
import { client, server } from './client-fixture.ts';
import { send } from './scripted-server.ts';

const hello = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello';
const cookie = (...fields: (string | number)[]) => fields.join('\t');
const refusalOf = (parse: () => unknown): Error => {
  try {
    parse();
  } catch (error) {
    return error as Error;
  }
  throw new Error('nothing was thrown');
};

describe('a file of passwords', () => {
  test('gives a user name and a password to all ports of a host, or to the one that it names', () => {
    const text =
      '\ufeff# ours\r\n\r\nwiki.test  crawler  s3cret\r\nHTTPS://Safe.Test:8443/ me pass phrase # 1 \n  lab.test:443 a b\n[::1]:80 a b';
    const table = parseCredentials(text, 'x');
    const wiki = { user: 'crawler', password: 's3cret' };
    const ours = { user: 'a', password: 'b' };
    const expected: [origin: string, login: unknown][] = [
      ['http://wiki.test', wiki],
      ['https://wiki.test', wiki],
      ['http://wiki.test:8080', wiki],
      ['https://wiki.test:8443', wiki],
      ['http://sub.wiki.test', undefined],
      ['https://safe.test:8443', { user: 'me', password: 'pass phrase # 1' }],
      ['https://safe.test', undefined],
      ['http://safe.test:8443', undefined],
      ['http://lab.test:443', ours],
      ['https://lab.test', ours],
      ['https://lab.test:8443', undefined],
      ['http://[::1]', ours],
      ['https://[::1]:80', ours],
      ['http://[::1]:8080', undefined],
    ];
    for (const [origin, login] of expected)
      expect([origin, table.get(origin)]).toEqual([origin, login]);
  });

  test('prefers the line with the port', () => {
    const table = parseCredentials('a.test u all\na.test:8080 u one', 'x');
    expect(table.get('http://a.test:8080')?.password).toBe('one');
    expect(table.get('http://a.test:9090')?.password).toBe('all');
  });

  test.each([
    ['wiki.test crawler', 'The line has fewer than three words.'],
    ['s3cret', 'The line has fewer than three words.'],
    [
      'wiki.test cra:wler s3cret',
      'The user name contains a colon, or the line contains control characters.',
    ],
    [
      'wiki.test crawler s3\u0001cret',
      'The user name contains a colon, or the line contains control characters.',
    ],
    ['wiki.test/path crawler s3cret', 'The first word is not a host.'],
    ['ftp://wiki.test crawler s3cret', 'The first word is not a host.'],
    ['http://u:p@wiki.test crawler s3cret', 'The first word is not a host.'],
    ['a.test x y\nhttps://a.test crawler s3cret', 'The file has another line for https://a.test.'],
  ])('with the line %j is refused by file and line, without quoting it', (line, fact) => {
    const { message } = refusalOf(() => parseCredentials(`# first\n${line}`, 'logins.txt'));
    expect(message).toContain(`logins.txt:${line.includes('\n') ? 3 : 2}: ${fact}`);
    expect(message.split('Write the line as')[0]).not.toMatch(/crawler|s3/);
  });
});

describe('a password', () => {
  test('goes to its own origin and is redacted in the archive', async () => {
    const { url, address, requests, port } = await server(send(hello));
    const credentials = parseCredentials(`lab.test:${port} crawler pässword`, 'x');
    const exchange = await client({ credentials }).fetch({ url: url(), address });
    const value = `Basic ${Buffer.from('crawler:pässword').toString('base64')}`;
    expect(requests[0]).toContain(`\r\nAuthorization: ${value}\r\n`);
    const archived = Buffer.from(exchange.requestBytes).toString('latin1');
    expect(archived).toBe(requests[0].replace(value, '[redacted]'));
  });

  test('goes over TLS if its line is for https', async () => {
    const { url, address, requests, port } = await server(send(hello), {
      key: KEY,
      cert: CERTIFICATE,
    });
    const credentials = parseCredentials(`https://lab.test:${port} crawler s3cret`, 'x');
    await client({ credentials, tls: { ca: AUTHORITY } }).fetch({ url: url(), address });
    expect(requests[0]).toContain('\r\nAuthorization: Basic ');
  });

  test('goes to no other host, port or scheme', async () => {
    const { url, address, requests, port } = await server(send(hello));
    const credentials = parseCredentials(
      `lab.test:80 crawler s3cret\nlab.test:1 crawler s3cret\nhttps://lab.test:${port} crawler s3cret`,
      'x',
    );
    const http = client({ credentials });
    const hosts = ['lab.test', 'www.lab.test', 'test', 'lab.test.evil.test', 'xlab.test'];
    for (const host of hosts) await http.fetch({ url: url().replace('lab.test', host), address });
    expect(requests).toHaveLength(hosts.length);
    for (const request of requests) expect(request).not.toContain('Authorization');
  });

  test('of the caller takes precedence over ours and is redacted in the archive too', async () => {
    const { url, address, requests, port } = await server(send(hello));
    const credentials = parseCredentials(`lab.test:${port} crawler s3cret`, 'x');
    const headers = [
      ['authorization', 'Bearer t0ken'],
      ['COOKIE', 'a=b1scuit'],
      ['X-Other', 'kept'],
    ] as const;
    const exchange = await client({ credentials }).fetch({ url: url(), address, headers });
    expect(requests[0].match(/authorization/gi)).toHaveLength(1);
    expect(requests[0]).toContain('\r\nauthorization: Bearer t0ken\r\nCOOKIE: a=b1scuit\r\n');
    expect(Buffer.from(exchange.requestBytes).toString()).toContain(
      '\r\nauthorization: [redacted]\r\nCOOKIE: [redacted]\r\nX-Other: kept\r\n',
    );
  });
});

describe('a file of cookies', () => {
  const table = parseCookies(
    [
      '# Netscape HTTP Cookie File',
      '',
      cookie('lab.test', 'FALSE', '/', 'FALSE', 0, 'all', '1'),
      cookie('.lab.test', 'TRUE', '/a', 'FALSE', 2000, 'a', '2'),
      cookie('#HttpOnly_lab.test', 'FALSE', '/a/b/', 'TRUE', 3000.5, 'b', '3'),
      cookie('test', 'TRUE', '/', 'FALSE', 0, 'above', 'é'),
      cookie('192.0.2.1', 'TRUE', '/', 'FALSE', 0, 'address', ''),
      cookie('empty.test', 'FALSE', '/', 'FALSE', 0, 'name'),
      cookie('empty.test', 'FALSE', '/', 'FALSE', 0, '', 'value'),
    ].join('\r\n'),
    'x',
  );
  const é = Buffer.from('é').toString('latin1');
  test.each<
    [host: string, path: string, secure: boolean, now: number, expected: string | undefined]
  >([
    ['lab.test', '/', false, 0, `all=1; above=${é}`],
    ['lab.test', '/a', false, 0, `a=2; all=1; above=${é}`],
    ['lab.test', '/a?/b/', false, 0, `a=2; all=1; above=${é}`],
    ['lab.test', '/ab', false, 0, `all=1; above=${é}`],
    ['lab.test', '/a/b/c?q', true, 0, `b=3; a=2; all=1; above=${é}`],
    ['lab.test', '/a/b/c', false, 0, `a=2; all=1; above=${é}`],
    ['lab.test', '/a/b', true, 0, `a=2; all=1; above=${é}`],
    ['lab.test', '/a/b/', true, 2_000_000, `b=3; all=1; above=${é}`],
    ['lab.test', '/a/b/', true, 3_000_500, `all=1; above=${é}`],
    ['www.lab.test', '/a', false, 0, `a=2; above=${é}`],
    ['xlab.test', '/a', false, 0, `above=${é}`],
    ['192.0.2.1', '/', false, 0, 'address='],
    ['1.192.0.2.1', '/', false, 0, undefined],
    ['empty.test', '/', false, 0, `name=; value; above=${é}`],
    ['elsewhere.example', '/', true, 0, undefined],
  ])('is sent to %s%s (secure %j, at %d): %j', (host, path, secure, now, expected) => {
    expect(table.headerFor(host, path, secure, now)).toBe(expected);
  });

  test.each([
    ['lab.test FALSE / FALSE 0 n s3cret', 'The line has 1 fields instead of 7.'],
    [
      cookie('a', 'FALSE', '/', 'FALSE', 0, 'n', 's3cret', 'x'),
      'The line has 8 fields instead of 7.',
    ],
    [cookie('', 'FALSE', '/', 'FALSE', 0, 'n', 's3cret'), 'The domain is not valid.'],
    [cookie('a/b', 'FALSE', '/', 'FALSE', 0, 'n', 's3cret'), 'The domain is not valid.'],
    [cookie('a', 'maybe', '/', 'FALSE', 0, 'n', 's3cret'), 'Each flag must be TRUE or FALSE.'],
    [cookie('a', 'TRUE', '', 'FALSE', 0, 'n', 's3cret'), 'The path does not begin with /.'],
    [cookie('a', 'TRUE', '/', 'FALSE', 'soon', 'n', 's3cret'), 'The expiry is not a number.'],
    [
      cookie('a', 'TRUE', '/', 'FALSE', 0, 'n', 's3;cret'),
      'The name or the value contains characters that a header cannot hold.',
    ],
    [
      cookie('a', 'TRUE', '/', 'FALSE', 0, 'n', 's3\rcret'),
      'The name or the value contains characters that a header cannot hold.',
    ],
    [
      cookie('a', 'TRUE', '/', 'FALSE', 0, 'n=m', 's3cret'),
      'The name or the value contains characters that a header cannot hold.',
    ],
  ])('with the line %j is refused by file and line, without quoting it', (line, fact) => {
    const { message } = refusalOf(() => parseCookies(`# first\n${line}`, 'cookies.txt'));
    expect(message).toContain(`cookies.txt:2: ${fact}`);
    expect(message).not.toContain('s3');
  });

  test('sends what a naive implementation of RFC 6265 sends', () => {
    const host = fc.constantFrom('a.b.test', 'b.test', 'test', 'xb.test');
    const path = fc.constantFrom('/', '/a', '/a/', '/ab', '/a/b');
    const line = fc.record({
      host,
      path,
      sub: fc.boolean(),
      secure: fc.boolean(),
      expiry: fc.nat(3),
    });
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 6 }),
        host,
        path,
        fc.boolean(),
        fc.nat(4),
        (lines, h, p, s, now) => {
          const flag = (on: boolean) => (on ? 'TRUE' : 'FALSE');
          const text = lines.map((one, i) =>
            cookie(one.host, flag(one.sub), one.path, flag(one.secure), one.expiry, `c${i}`, 'v'),
          );
          const expected = lines.flatMap((one, i) => {
            const isHost = h === one.host || (one.sub && h.endsWith(`.${one.host}`));
            const isPath =
              p === one.path || p.startsWith(one.path.endsWith('/') ? one.path : `${one.path}/`);
            const isAlive = one.expiry === 0 || now < one.expiry;
            return isHost && isPath && isAlive && (s || !one.secure) ? [`c${i}=v`] : [];
          });
          const sent = parseCookies(text.join('\n'), 'x').headerFor(h, p, s, now * 1000);
          expect(sent?.split('; ').sort() ?? []).toEqual(expected);
        },
      ),
    );
  });

  test('is sent with the request and not archived', async () => {
    const { url, address, requests } = await server(send(hello));
    const http = client({ cookies: table });
    const exchange = await http.fetch({ url: url('/a'), address });
    await http.fetch({ url: url('/a').replace('lab.test', 'example.org'), address });
    expect(requests[0]).toContain(`\r\nCookie: all=1; above=${é}\r\n`);
    expect(Buffer.from(exchange.requestBytes).toString()).toContain('\r\nCookie: [redacted]\r\n');
    expect(requests[1]).not.toContain('Cookie');
  });
});

describe('a file with secrets', () => {
  let dir: string;
  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), 'drumlin-secrets-'));
  });
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  test('is read without a warning only if no one but its owner can read it', async () => {
    const path = join(dir, 'logins.txt');
    writeFileSync(path, 'lab.test crawler s3cret\n');
    const warnings: string[] = [];
    for (const mode of [0o600, 0o400, 0o640, 0o604]) {
      chmodSync(path, mode);
      const table = await readCredentials(path, (warning) => warnings.push(warning));
      expect(table.get('https://lab.test')?.user).toBe('crawler');
    }
    expect(warnings).toEqual(
      ['640', '604'].map(
        (mode) =>
          `${path} contains secrets, but other users can read it (mode ${mode}): chmod 600 ${path}`,
      ),
    );
  });

  test('may be a pipe', async () => {
    const path = join(dir, 'pipe');
    execFileSync('mkfifo', ['-m', '600', path]);
    const [table] = await Promise.all([
      readCredentials(path, () => {}),
      writeFile(path, 'lab.test crawler s3cret\n'),
    ]);
    expect(table.get('http://lab.test')).toEqual({ user: 'crawler', password: 's3cret' });
  });

  test('that the disk cannot read is refused with the system code', async () => {
    const disk = new Disk({
      ...nodeFileSystem,
      readWhole: () => Promise.reject(systemError('EIO')),
    });
    await expect(readSecretFile('logins.txt', () => {}, disk)).rejects.toMatchObject({
      code: 'SECRET_FILE',
      fact: 'logins.txt cannot be read (EIO).',
    });
  });

  test('needs no permissions from a file system without them', async () => {
    const path = join(dir, 'logins.txt');
    writeFileSync(path, 'lab.test crawler s3cret\n');
    const warnings: string[] = [];
    const disk = new Disk(new FaultyFileSystem({ shortTransfers: 3 }));
    const text = await readSecretFile(path, (warning) => warnings.push(warning), disk);
    expect(text).toBe('lab.test crawler s3cret\n');
    expect(warnings).toEqual([]);
  });

  test('that does not exist is refused by name', async () => {
    const path = join(dir, 'none.txt');
    await expect(readCookies(path, () => {})).rejects.toMatchObject({
      code: 'SECRET_FILE',
      fact: `${path} does not exist.`,
    });
  });
});
