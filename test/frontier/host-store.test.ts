import { expect, test } from 'vitest';
import { Disk } from '../../src/disk/disk.ts';
import { Domain } from '../../src/frontier/host.ts';
import { HostStore } from '../../src/frontier/host-store.ts';
import { temporaryFolder } from '../disk/temporary-folder.ts';

test('domains that are saved while they are read come once, as they were before', async () => {
  const folder = temporaryFolder();
  const store = await HostStore.open({ disk: new Disk(), folder, memory: 2 ** 20 });
  const names = Array.from({ length: 400 }, (_, i) => `d${i}.example`);
  for (const name of names) store.saveDomain(new Domain(name));
  const seen: string[] = [];
  for await (const domain of store.domains()) {
    expect(domain.pages).toBe(0);
    seen.push(domain.name);
    domain.pages = 7;
    domain.notes = new Uint8Array(600);
    store.saveDomain(domain);
    if (seen.length % 50 === 0) await store.merge();
  }
  expect(seen.sort()).toEqual(names.sort());
  let pages = 0;
  for await (const domain of store.domains()) pages += domain.pages;
  expect(pages).toBe(7 * 400);
  await store.close();
});
