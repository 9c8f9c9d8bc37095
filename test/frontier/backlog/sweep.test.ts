import { describe, expect, test } from 'vitest';
import { Disk } from '../../../src/disk/disk.ts';
import { type FileSystem, nodeFileSystem } from '../../../src/disk/file-system.ts';
import { Backlog } from '../../../src/frontier/backlog/backlog.ts';
import { PathQueue } from '../../../src/frontier/queue/path-queue.ts';
import { hostKey } from '../../../src/url/fingerprint.ts';
import { temporaryFolder } from '../../disk/temporary-folder.ts';

const openBacklog = (memory = 0, fileSystem: FileSystem = nodeFileSystem) =>
  Backlog.open({
    disk: new Disk(fileSystem),
    folder: temporaryFolder(),
    memory,
    limits: { window: 64 },
  });

/** Adds `/from`, `/from+1` … at a host. */
function addPaths(backlog: Backlog, host: string, from: number, to: number): void {
  for (let i = from; i < to; i++)
    backlog.add(host, { url: `http://${host}/${i}`, depth: 0, redirects: 0 });
}

function pathsOf(queue: PathQueue): number[] {
  const paths: number[] = [];
  for (let next = queue.shift(); next; next = queue.shift())
    paths.push(Number(next.url.slice(next.url.lastIndexOf('/') + 1)));
  return paths;
}

async function takePaths(backlog: Backlog, most = Infinity): Promise<number[]> {
  const sweep = await backlog.sweep();
  const queue = new PathQueue(sweep.host);
  await sweep.take(most, queue);
  return pathsOf(queue);
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);

describe('a sweep', () => {
  test('comes to hosts in the order of their keys, on disk and in memory', async () => {
    const backlog = await openBacklog();
    const hosts = range(0, 60).map((i) => `h${i}.example${i % 5}.org`);
    for (const [i, host] of hosts.entries()) {
      addPaths(backlog, host, 0, 1);
      if (i % 20 === 19) await backlog.makeRoom();
    }
    const sweep = await backlog.sweep();
    const visited: string[] = [];
    const keys: bigint[] = [];
    while (await sweep.next()) {
      visited.push(sweep.host);
      keys.push(sweep.id.key);
    }
    expect(visited).toEqual(hosts.sort((a, b) => (hostKey(a) < hostKey(b) ? -1 : 1)));
    expect(keys).toEqual(visited.map(hostKey));
    await backlog.close();
  });

  test('continues where it paused, and loses nothing of what it passed', async () => {
    const backlog = await openBacklog();
    for (const host of ['a', 'b', 'c']) addPaths(backlog, host, 0, 5);
    await backlog.makeRoom();
    const visited: string[] = [];
    for (let i = 0; i < 3; i++) {
      const sweep = await backlog.sweep();
      expect(await sweep.next()).toBe(true);
      visited.push(sweep.host);
      expect(await takePaths(backlog, 2)).toEqual([0, 1]);
      await sweep.pass();
      await sweep.pass();
    }
    expect(visited.sort()).toEqual(['a', 'b', 'c']);
    expect(await (await backlog.sweep()).next()).toBe(false);
    await backlog.endSweep();
    expect(backlog.urls).toBe(9);
    await (await backlog.sweep()).next();
    expect(await takePaths(backlog)).toEqual([2, 3, 4]);
    await backlog.close();
  });

  test('takes URLs put back during a read of the disk before those on disk', async () => {
    let onRead = () => {};
    const fileSystem: FileSystem = {
      ...nodeFileSystem,
      async open(path, mode) {
        const file = await nodeFileSystem.open(path, mode);
        return {
          read: (into, offset, length, position) => {
            onRead();
            return file.read(into, offset, length, position);
          },
          write: file.write.bind(file),
          sync: file.sync.bind(file),
          truncate: file.truncate.bind(file),
          size: file.size.bind(file),
          close: file.close.bind(file),
        };
      },
    };
    const backlog = await openBacklog(0, fileSystem);
    addPaths(backlog, 'a', 0, 40);
    await backlog.makeRoom();
    const sweep = await backlog.sweep();
    await sweep.next();
    const queue = new PathQueue('a');
    // At the second read the workbench gives back what it got from the first.
    let reads = 0;
    onRead = () => {
      if (++reads === 2) backlog.putBack('a', queue.take(Infinity));
    };
    await sweep.take(30, queue);
    const taken = pathsOf(queue);
    expect(reads).toBeGreaterThan(2);
    expect(taken).toEqual(range(0, taken.length));
    expect(backlog.urls).toBe(40 - taken.length);
    await backlog.close();
  });

  test('does not take URLs younger than a run that it does not read', async () => {
    const backlog = await openBacklog();
    addPaths(backlog, 'a', 0, 2);
    const sweep = await backlog.sweep();
    await sweep.next();
    expect(sweep.mayHaveMore).toBe(false);
    await backlog.makeRoom();
    addPaths(backlog, 'a', 2, 4);
    expect(sweep.mayHaveMore).toBe(true);
    expect(await takePaths(backlog)).toEqual([]);
    expect(sweep.drop()).toBe(0);
    expect(await sweep.next()).toBe(false);
    await backlog.endSweep();
    await (await backlog.sweep()).next();
    expect(await takePaths(backlog)).toEqual([0, 1, 2, 3]);
    await backlog.close();
  });

  test('does not stop at hosts whose URLs were written out since it began', async () => {
    const backlog = await openBacklog();
    addPaths(backlog, 'onDisk', 0, 1);
    await backlog.makeRoom();
    for (const host of ['a', 'b', 'c', 'd']) addPaths(backlog, host, 0, 1);
    const sweep = await backlog.sweep();
    await backlog.makeRoom();
    expect(await sweep.next()).toBe(true);
    expect(sweep.host).toBe('onDisk');
    expect(await sweep.next()).toBe(false);
    await backlog.close();
  });

  test('drops all URLs of a host that it reads, wherever they are', async () => {
    const backlog = await openBacklog();
    addPaths(backlog, 'a', 0, 3);
    await backlog.makeRoom();
    addPaths(backlog, 'a', 3, 5);
    await backlog.makeRoom();
    addPaths(backlog, 'a', 5, 9);
    const queue = new PathQueue('a');
    queue.push({ url: 'http://a/back', depth: 0, redirects: 0 });
    backlog.putBack('a', queue.take(1));
    const sweep = await backlog.sweep();
    await sweep.next();
    expect(sweep.drop()).toBe(10);
    expect(backlog.urls).toBe(0);
    expect(await takePaths(backlog)).toEqual([]);
    await backlog.close();
  });

  test('hands out first the URLs put back last', async () => {
    const backlog = await openBacklog(1e6);
    addPaths(backlog, 'a', 0, 6);
    const sweep = await backlog.sweep();
    await sweep.next();
    const queue = new PathQueue('a');
    await sweep.take(4, queue);
    const first = new PathQueue('a');
    first.append(queue.take(2));
    backlog.putBack('a', queue.take(2));
    backlog.putBack('a', first.take(2));
    expect(await takePaths(backlog)).toEqual(range(0, 6));
    await backlog.close();
  });
});

describe('a sweep refuses', () => {
  test('to take or report anything while it is at no host', async () => {
    const backlog = await openBacklog();
    addPaths(backlog, 'a', 0, 1);
    const sweep = await backlog.sweep();
    const nowhere = 'The sweep is at no host';
    expect(() => sweep.host).toThrow(nowhere);
    await sweep.next();
    await backlog.freeze();
    expect(() => sweep.take(1, new PathQueue('a'))).toThrow(nowhere);
    expect(() => sweep.drop()).toThrow(nowhere);
    expect(() => sweep.id).toThrow(nowhere);
    expect(backlog.urls).toBe(1);
    await backlog.close();
  });

  test("to put a host's URLs into the queue of another", async () => {
    const backlog = await openBacklog();
    addPaths(backlog, 'a', 0, 1);
    const sweep = await backlog.sweep();
    await sweep.next();
    expect(() => sweep.take(1, new PathQueue('b'))).toThrow(
      'URLs of a cannot go to the queue of b',
    );
    expect(await takePaths(backlog)).toEqual([0]);
    await backlog.close();
  });

  test('to end before its end', async () => {
    const backlog = await openBacklog();
    addPaths(backlog, 'a', 0, 1);
    await backlog.sweep();
    await expect(backlog.endSweep()).rejects.toThrow('has not passed all hosts');
    await backlog.close();
  });

  test('to be called, or frozen, while a call is under way', async () => {
    const backlog = await openBacklog();
    for (let i = 0; i < 30; i++) addPaths(backlog, `h${i}.example`, 0, 5);
    await backlog.makeRoom();
    const sweep = await backlog.sweep();
    await sweep.next();
    const taking = sweep.take(5, new PathQueue(sweep.host));
    await expect(backlog.freeze()).rejects.toThrow('Called before');
    await expect(sweep.next()).rejects.toThrow('Called before');
    expect(await taking).toBe(5);
    expect(await sweep.next()).toBe(true);
    await backlog.close();
  });
});

describe('what is put back', () => {
  /** Puts `count` long URLs back at the present host. */
  function putBackMuch(backlog: Backlog, host: string, count: number): void {
    const queue = new PathQueue(host);
    for (let i = 0; i < count; i++)
      queue.push({ url: `http://${host}/${i}?${'x'.repeat(100)}`, depth: 0, redirects: 0 });
    backlog.putBack(host, queue.take(Infinity));
  }

  test('goes to disk where the sweep has passed, so that memory stays bounded, and comes first in the next round', async () => {
    const memory = 4000;
    const backlog = await openBacklog(memory);
    const hosts = range(0, 40).map((i) => `h${i}.example`);
    for (const host of hosts) addPaths(backlog, host, 1000, 1001);
    while (backlog.full) await backlog.makeRoom();
    const sweep = await backlog.sweep();
    while (await sweep.next()) {
      putBackMuch(backlog, sweep.host, 10);
      await backlog.makeRoom();
      expect(backlog.returned.bytes).toBeLessThan(memory + 2 * 1500);
    }
    await backlog.endSweep();
    expect(backlog.urls).toBe(40 * 11);
    const next = await backlog.sweep();
    while (await next.next()) {
      const queue = new PathQueue(next.host);
      await next.take(11, queue);
      const urls: string[] = [];
      for (let at = queue.shift(); at; at = queue.shift()) urls.push(at.url);
      expect(urls.map((url) => url.split('?')[0])).toEqual(
        [...range(0, 10), 1000].map((i) => `http://${next.host}/${i}`),
      );
    }
    await backlog.endSweep();
    expect(backlog.urls).toBe(0);
    await backlog.close();
  });

  test('stays in memory at the present host', async () => {
    const backlog = await openBacklog(1000);
    addPaths(backlog, 'a', 1000, 1100);
    await backlog.makeRoom();
    const sweep = await backlog.sweep();
    await sweep.next();
    putBackMuch(backlog, 'a', 20);
    await backlog.makeRoom();
    const queue = new PathQueue('a');
    expect(await sweep.take(21, queue)).toBe(21);
    queue.take(20);
    expect(queue.shift()?.url).toBe('http://a/1000');
    await backlog.close();
  });

  test('stays in memory ahead of the sweep, which will take it, and does not make memory full again', async () => {
    const backlog = await openBacklog(1000);
    for (const host of ['a', 'b', 'c']) addPaths(backlog, host, 0, 1);
    const sweep = await backlog.sweep();
    await sweep.next();
    const others = ['a', 'b', 'c'].filter((host) => host !== sweep.host);
    for (const host of others) putBackMuch(backlog, host, 20);
    expect(backlog.full).toBe(true);
    await backlog.makeRoom();
    expect(backlog.full).toBe(false);
    expect(backlog.returned.urls).toBe(40);
    await sweep.next();
    const queue = new PathQueue(sweep.host);
    expect(await sweep.take(Infinity, queue)).toBe(21);
    await backlog.close();
  });
});
