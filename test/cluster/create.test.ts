/** What a cluster refuses by name. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pathToFileURL } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { refuseLazyBrokers } from '../../src/cluster/broker/connect.ts';
import { crawlOf, createCluster, resumeCluster, stopCluster } from '../../src/cluster/create.ts';
import { type ClusterCrawl, KEYS } from '../../src/cluster/members/keys.ts';
import { resolveConfig } from '../../src/config/settings.ts';
import { openObjects } from '../../src/objects/open-objects.ts';
import { temporaryFolder } from '../disk/temporary-folder.ts';
import { MemoryBook } from './lease/memory-book.ts';

async function created(options = {}): Promise<MemoryBook> {
  const book = new MemoryBook();
  await create(book, options);
  return book;
}

async function create(book: MemoryBook, options = {}): Promise<void> {
  const objects = pathToFileURL(temporaryFolder()).href;
  await createCluster({
    ...{ book, store: await openObjects(objects, {}), objects, name: 'n', agents: 2, now: 1 },
    ...{ config: resolveConfig(options), seeds: ['http://a.test/'] },
  });
}

describe('a cluster', () => {
  test('of a name that is taken is refused', async () => {
    const book = await created();
    await expect(create(book)).rejects.toMatchObject({ code: 'CLUSTER_EXISTS' });
  });

  test('that does not exist cannot be joined', async () => {
    await expect(crawlOf(new MemoryBook(), 'n')).rejects.toMatchObject({ code: 'CLUSTER_MISSING' });
  });

  test('is not joined by another version of the program or of the public suffixes', async () => {
    for (const change of [{ version: '0.0.1' }, { suffixes: '0.0.1' }]) {
      const book = await created();
      const { value, revision } = (await book.get<ClusterCrawl>(KEYS.crawl)) ?? expect.fail();
      await book.update(KEYS.crawl, { ...value, ...change }, revision);
      await expect(crawlOf(book, 'n')).rejects.toMatchObject({ code: 'CLUSTER_VERSION' });
    }
  });

  test('has no password of a proxy in its book', async () => {
    const book = await created({ proxy: 'http://user:secret@proxy.test:3128' });
    expect(JSON.stringify(await book.get(KEYS.crawl))).not.toContain('secret');
  });

  test('is resumed only after it has ended', async () => {
    const book = await created();
    expect(await resumeCluster(book, 2)).toBe(false);
    await stopCluster(book);
    expect((await book.get(KEYS.state))?.value).toMatchObject({ phase: 'stopping', run: 1 });
  });
});

describe('brokers', () => {
  async function monitor(answer: unknown): Promise<string> {
    const server = createServer((_, response) => response.end(JSON.stringify(answer)));
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    onTestFinished(() => void server.close());
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  test('that acknowledge writes before they are durable are refused', async () => {
    const lazy = await monitor({ server_name: 'n1', jetstream: { config: {} } });
    await expect(refuseLazyBrokers([lazy], false)).rejects.toMatchObject({ code: 'BROKER_FSYNC' });
    const fit = await monitor({ jetstream: { config: { sync_always: true } } });
    await refuseLazyBrokers([fit], false);
  });

  test('of which nothing is known are refused, unless the user vouches for them', async () => {
    await expect(refuseLazyBrokers([], false)).rejects.toMatchObject({ code: 'BROKER_FSYNC' });
    await refuseLazyBrokers([], true);
  });
});
