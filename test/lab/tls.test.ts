import { X509Certificate } from 'node:crypto';
import { request } from 'node:https';
import { describe, expect, test } from 'vitest';
import { Authority } from '../../src/lab/server/certificates.ts';
import type { Lab } from '../../src/lab/server/lab.ts';
import { get, withBehaviour } from './client.ts';

/** Fetches over TLS with Node's own verification. */
function getSecurely(
  lab: Lab,
  url: string,
  ca = lab.ca,
): Promise<{ status: number; body: Buffer }> {
  const { hostname, port, pathname, search, host } = new URL(url);
  return new Promise((done, failed) => {
    const sent = request(
      {
        host: '127.0.0.1',
        servername: hostname,
        port,
        path: pathname + search,
        headers: { Host: host },
        ca,
        agent: false,
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', failed);
        response.on('end', () =>
          done({ status: response.statusCode ?? 0, body: Buffer.concat(chunks) }),
        );
      },
    );
    sent.on('error', failed);
    sent.end();
  });
}

describe('TLS', () => {
  test("'tls' is accepted by clients that trust the lab's authority, and by no others", async () => {
    await withBehaviour('tls', async (lab, url) => {
      expect(url).toMatch(/^https:/);
      const got = await getSecurely(lab, url);
      expect(got.status).toBe(200);
      expect(got.body.equals(lab.expected(url)?.body as Uint8Array)).toBe(true);
      const stranger = new Authority(Date.now()).pem;
      await expect(getSecurely(lab, url, stranger)).rejects.toMatchObject({
        code: /^(?:UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT_LOCALLY|CERT_SIGNATURE_FAILURE)$/,
      });
    });
  });

  test.each([
    ['tls-expired', 'CERT_HAS_EXPIRED'],
    ['tls-self-signed', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ['tls-wrong-name', 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ] as const)("'%s' is refused with %s", async (behaviour, code) => {
    await withBehaviour(behaviour, async (lab, url) => {
      await expect(getSecurely(lab, url)).rejects.toMatchObject({ code });
    });
  });

  test('redirects from the plain port to the secure one', async () => {
    await withBehaviour('tls', async (lab, url) => {
      const plain = url.replace(/^https:/, 'http:').replace(/:\d+\//, `:${lab.httpPort}/`);
      const moved = await get(lab, plain);
      expect([moved.status, moved.headers.location]).toEqual([301, url]);
    });
  });

  test('is closed where a plain connection would be reset', async () => {
    const mix = { tls: 1, reset: 1 };
    await withBehaviour(
      'reset',
      async (lab, url, home) => {
        await expect(getSecurely(lab, url)).rejects.toMatchObject({ code: 'ECONNRESET' });
        expect((await getSecurely(lab, home)).status).toBe(200);
      },
      { mix },
    );
  });

  test('survives clients that do not speak TLS', async () => {
    await withBehaviour('tls', async (lab, url) => {
      await new Promise<void>((done) => {
        import('node:net').then(({ connect }) => {
          const socket = connect(lab.ports.https, '127.0.0.1', () =>
            socket.write('GET / HTTP/1.1\r\n\r\n'),
          );
          socket.on('error', () => {});
          socket.on('close', () => done());
        });
      });
      expect((await getSecurely(lab, url)).status).toBe(200);
    });
  });
});

test("the authority's certificates have the fields that X.509 requires", () => {
  const now = Date.UTC(2026, 0, 1);
  const authority = new Authority(now);
  const root = new X509Certificate(authority.pem);
  const leaf = new X509Certificate(authority.issue('www.kamolite.test').cert);
  expect(root.ca).toBe(true);
  expect(leaf.ca).toBe(false);
  expect(leaf.verify(root.publicKey)).toBe(true);
  expect(leaf.checkIssued(root)).toBe(true);
  expect(leaf.checkHost('www.kamolite.test')).toBe('www.kamolite.test');
  expect(leaf.checkHost('other.test')).toBeUndefined();
  expect(Date.parse(leaf.validTo)).toBeGreaterThan(now);
  // The root's subject key identifier is the leaf's authority key identifier.
  const [, rootKey] = /551d0e04160414(.{40})/.exec(root.raw.toString('hex')) ?? [];
  expect(leaf.raw.toString('hex')).toContain(`551d23041830168014${rootKey}`);
});
