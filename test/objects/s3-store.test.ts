/** The S3 store against a real server, and against answers that no server gives on request. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type S3Server, servers } from '../../scripts/servers.ts';
import { openObjects } from '../../src/objects/open-objects.ts';
import { s3Account } from '../../src/objects/s3-credentials.ts';
import { S3Store } from '../../src/objects/s3-store.ts';
import { temporaryFolder } from '../disk/temporary-folder.ts';
import { leftOut, needs } from '../left-out.ts';
import { objectStoreConformance } from './conformance.ts';

describe.skipIf(leftOut(await needs.server('s3')))('a bucket', () => {
  let server: S3Server;
  let store: S3Store;
  beforeAll(async () => {
    server = await servers.s3();
    store = await S3Store.open({ account: server.account, bucket: server.bucket, prefix: 'a/b' });
  });
  afterAll(() => server?.stop());

  objectStoreConformance(() => store);

  test('is opened by its address and the environment', async () => {
    const opened = await openObjects(`s3://${server.bucket}/c/`, server.env);
    await opened.put('x', Buffer.from('1'));
    expect(await opened.get('x')).toEqual(Buffer.from('1'));
    expect(opened.place).toBe(`s3://${server.bucket}/c`);
  });

  test('refuses wrong credentials with a remedy that shows none of them', async () => {
    const account = { ...server.account, secretAccessKey: 'wrong-and-secret' };
    const opened = await S3Store.open({ account, bucket: server.bucket });
    const error = await opened.put('x', Buffer.from('1')).catch((each) => each);
    expect(error).toMatchObject({ code: 'OBJECT_REFUSED' });
    expect(error.remedy).toMatch(/credentials/);
    expect(`${error.message} ${error.stack}`).not.toMatch(/wrong-and-secret|drumlin-test/);
  });

  test('that does not exist is named in the error', async () => {
    const opened = await S3Store.open({ account: server.account, bucket: 'no-such-bucket' });
    const error = await opened.put('x', Buffer.from('1')).catch((each) => each);
    expect(error).toMatchObject({ code: 'OBJECT_REFUSED', remedy: 'Create the bucket first.' });
  });

  test('keeps the one object of a condition whose answer was lost', async () => {
    let lose = true;
    const losing: typeof fetch = async (...args) => {
      const answer = await fetch(...args);
      if (!lose) return answer;
      lose = false;
      throw new TypeError('fetch failed', { cause: { code: 'ECONNRESET' } });
    };
    const { account, bucket } = server;
    const opened = await S3Store.open({ account, bucket, fetch: losing });
    await opened.put('lost', Buffer.from('mine'), { ifAbsent: true });
    expect(await opened.get('lost')).toEqual(Buffer.from('mine'));
  });
});

describe('requests to an S3 store', () => {
  const account = {
    accessKeyId: 'id',
    secretAccessKey: 'secret',
    region: 'r',
    endpoint: 'http://127.0.0.1:1',
  };
  const open = (fetch: typeof globalThis.fetch, patience = 1000) => {
    let now = 0;
    const after = (delay: number, callback: () => void) => {
      if (delay > 10_000) return () => {}; // the limit of an answer
      now += delay;
      queueMicrotask(callback);
      return () => {};
    };
    const clock = { now: () => now, after };
    return S3Store.open({ account, bucket: 'bucket', fetch, clock, random: () => 0.5, patience });
  };

  test('are repeated while the reason may pass, and not when it does not', async () => {
    const statuses = [503, 500, 429, 200];
    const store = await open(async () => new Response('', { status: statuses.shift() as number }));
    await store.put('x', Buffer.from('1'));
    expect(statuses).toEqual([]);
    let calls = 0;
    const refusing = await open(async () => {
      calls++;
      return new Response('<Error><Code>AccessDenied</Code></Error>', { status: 403 });
    });
    await expect(refusing.put('x', Buffer.from('1'))).rejects.toThrow(/403 AccessDenied/);
    expect(calls).toBe(1);
  });

  test('end after the patience is over, with the reason', async () => {
    const store = await open(async () => {
      throw new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } });
    });
    const error = await store.get('x').catch((each) => each);
    expect(error).toMatchObject({ code: 'OBJECT_UNREACHABLE' });
    expect(error.fact).toMatch(/ECONNREFUSED/);
  });

  test('notice an error that follows an answer of success', async () => {
    const store = await open(async (request) =>
      (request as Request).method === 'HEAD'
        ? new Response('', { status: 404 })
        : new Response('<Error><Code>InternalError</Code></Error>', { status: 200 }),
    );
    const parts = [{ number: 1, tag: '"a"', bytes: 1 }];
    await expect(store.complete('x', 'id', parts)).rejects.toMatchObject({ code: 'OBJECT_UPLOAD' });
  });
});

describe('the account of an S3 store', () => {
  test('comes from the environment, or from a file by profile', async () => {
    const env = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b', AWS_REGION: 'eu-x' };
    expect(await s3Account(env)).toMatchObject({
      accessKeyId: 'a',
      endpoint: 'https://s3.eu-x.amazonaws.com',
    });
    const path = join(temporaryFolder(), 'credentials');
    writeFileSync(
      path,
      '[default]\naws_access_key_id = x\n[other]\naws_access_key_id=c\naws_secret_access_key = d\n',
      { mode: 0o644 },
    );
    const warnings: string[] = [];
    const file = { AWS_SHARED_CREDENTIALS_FILE: path };
    const other = await s3Account({ ...file, AWS_PROFILE: 'other' }, (each) => warnings.push(each));
    expect(other).toMatchObject({ accessKeyId: 'c', secretAccessKey: 'd' });
    expect(warnings.join()).toMatch(/chmod 600/);
    await expect(s3Account(file)).rejects.toMatchObject({ code: 'OBJECT_CREDENTIALS' });
  });

  test('is refused with an endpoint that holds a password, without showing it', async () => {
    const env = { AWS_ENDPOINT_URL_S3: 'https://me:hidden@objects.example' };
    const error = await s3Account(env).catch((each) => each);
    expect(error).toMatchObject({ code: 'OBJECT_ENDPOINT' });
    expect(error.message).not.toMatch(/hidden/);
    const address = await openObjects('https://me:hidden@objects.example', {}).catch((e) => e);
    expect(address).toMatchObject({ code: 'OBJECT_ADDRESS' });
    expect(address.message).not.toMatch(/hidden/);
  });
});
