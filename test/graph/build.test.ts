import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Disk } from '../../src/disk/disk.ts';
import type { OpenMode, RawFile } from '../../src/disk/file-system.ts';
import { type IdArcs, type NameArcs, packNameArcs } from '../../src/graph/arcs.ts';
import { buildGraph } from '../../src/graph/build.ts';
import { openGraph } from '../../src/graph/open-graph.ts';
import { FaultyFileSystem } from '../disk/faulty-file-system.ts';
import { contentOf, newPlace, quickDisk } from './fixtures.ts';

/** Knows which files are open; closing a file twice counts once. */
class WatchedFileSystem extends FaultyFileSystem {
  readonly openFiles = new Set<RawFile>();

  override async open(path: string, mode: OpenMode): Promise<RawFile> {
    const file = await super.open(path, mode);
    this.openFiles.add(file);
    const close = async () => {
      this.openFiles.delete(file);
      await file.close();
    };
    return { ...file, close };
  }
}

async function* ids(...pairs: [number, number][]): AsyncGenerator<IdArcs> {
  yield { from: Uint32Array.from(pairs, ([a]) => a), to: Uint32Array.from(pairs, ([, b]) => b) };
}

async function* failing(): AsyncGenerator<NameArcs> {
  yield* packNameArcs([['a', 'b']]);
  throw new Error('the source failed');
}

const many = () =>
  packNameArcs(
    Array.from({ length: 400 }, (_, i): [string, string] => [
      `host${i % 37}`,
      `host${(i * i) % 41}`,
    ]),
  );
const tiny = { memory: 1 };

describe('building a graph', () => {
  test('counts a repeated arc once, keeps arcs from a node to itself, and records both in graph.json', async () => {
    const out = newPlace();
    const facts = await buildGraph(
      out,
      { ids: ids([0, 1], [1, 1], [0, 1]) },
      { disk: quickDisk(), level: 'host' },
    );
    expect(facts).toEqual({ nodes: 2, arcs: 2, named: false, level: 'host' });
    const graph = await openGraph(out);
    expect([graph.nodes, graph.arcs, graph.level, graph.named]).toEqual([2, 2, 'host', false]);
    await graph.close();
    expect(readdirSync(out).sort()).toEqual([
      'graph.json',
      ...['in', 'out'].flatMap((way) =>
        ['gaps', 'index', 'lengths', 'widths'].map((file) => `${way}.${file}`),
      ),
    ]);
  });

  test('accepts nodes without arcs', async () => {
    const out = newPlace();
    await buildGraph(
      out,
      { names: packNameArcs([['b'], ['a', 'b'], ['c']]) },
      { disk: quickDisk() },
    );
    expect(await contentOf(out)).toEqual({ names: ['a', 'b', 'c'], arcs: ['a b'] });
  });

  test('leaves nothing and no file open when its source fails', async () => {
    const system = new WatchedFileSystem({ skipSync: true });
    const out = newPlace();
    await expect(buildGraph(out, { names: failing() }, { disk: new Disk(system) })).rejects.toThrow(
      'the source failed',
    );
    expect(readdirSync(dirname(out))).toEqual([]);
    expect(system.openFiles.size).toBe(0);
  });

  test('leaves no half graph and no file open, wherever the disk fails', async () => {
    const whole = new WatchedFileSystem({ skipSync: true });
    await buildGraph(newPlace(), { names: many() }, { disk: new Disk(whole), ...tiny });
    expect(whole.openFiles.size).toBe(0);
    for (
      let operations = 0;
      operations < whole.changes;
      operations += 1 + Math.floor(operations / 8)
    ) {
      const system = new WatchedFileSystem({ skipSync: true, operations });
      const out = newPlace();
      const work = buildGraph(out, { names: many() }, { disk: new Disk(system), ...tiny });
      await expect(work, `after ${operations} operations`).rejects.toMatchObject({ exitCode: 4 });
      expect(system.openFiles.size, `after ${operations} operations`).toBe(0);
      // After the rename the graph is complete, even if the folder above it could not be made
      // durable.
      if (existsSync(out)) expect((await contentOf(out)).names.length).toBe(41);
      else expect(readdirSync(dirname(out))).toEqual([]);
    }
  });

  test('clears what a killed attempt left, and is refused while another attempt runs', async () => {
    const out = newPlace();
    mkdirSync(`${out}.building/scratch`, { recursive: true });
    writeFileSync(`${out}.building/scratch/old`, 'rest');
    writeFileSync(`${out}.building/graph.json`, 'rest');
    await buildGraph(out, { ids: ids([0, 1]) }, { disk: quickDisk() });
    expect(readdirSync(dirname(out))).toEqual(['graph']);
    const other = join(dirname(out), 'other');
    let second: Promise<unknown> = Promise.resolve();
    const first = async function* () {
      second = buildGraph(other, { ids: ids([0, 1]) }, { disk: quickDisk() });
      await expect(second).rejects.toMatchObject({ code: 'FOLDER_IN_USE' });
      yield* ids([0, 1]);
    };
    await buildGraph(other, { ids: first() }, { disk: quickDisk() });
    expect(readdirSync(dirname(out)).sort()).toEqual(['graph', 'other']);
  });

  test('never touches a place that exists', async () => {
    const out = newPlace();
    mkdirSync(out);
    writeFileSync(join(out, 'mine'), 'kept');
    const work = buildGraph(out, { ids: ids([0, 1]) }, { disk: quickDisk() });
    await expect(work).rejects.toMatchObject({ code: 'FOLDER_TAKEN', exitCode: 5 });
    expect(readdirSync(out)).toEqual(['mine']);
  });

  test('refuses a place that is a file, or that is inside a file', async () => {
    const out = newPlace();
    writeFileSync(out, 'kept');
    for (const place of [out, join(out, 'inside')]) {
      const work = buildGraph(place, { ids: ids([0, 1]) }, { disk: quickDisk() });
      await expect(work).rejects.toMatchObject({ code: 'FOLDER_TAKEN', exitCode: 5 });
    }
    expect(readdirSync(dirname(out))).toEqual(['graph']);
  });

  test('stops on request, and leaves nothing', async () => {
    const out = newPlace();
    const stop = new AbortController();
    const endless = async function* () {
      for (let i = 0; ; i++) {
        yield* ids([i % 50, i % 7]);
        if (i === 100) stop.abort();
      }
    };
    const work = buildGraph(out, { ids: endless() }, { disk: quickDisk(), signal: stop.signal });
    await expect(work).rejects.toMatchObject({ code: 'STOPPED', exitCode: 130 });
    expect(readdirSync(dirname(out))).toEqual([]);
  });

  test('reports its progress step by step, never beyond the whole', async () => {
    const reported: [string, number][] = [];
    const onProgress = (step: string, share: number) => void reported.push([step, share]);
    await buildGraph(newPlace(), { names: many() }, { disk: quickDisk(), ...tiny, onProgress });
    const steps = [...new Set(reported.map(([step]) => step))];
    expect(steps).toEqual(['translating arcs', 'writing out-lists', 'writing in-lists']);
    expect(reported.every(([, share]) => share >= 0 && share <= 1)).toBe(true);
  });

  test('refuses impossible numbers and names', async () => {
    const disk = quickDisk();
    await expect(buildGraph(newPlace(), { ids: ids([0, 2]), nodes: 2 }, { disk })).rejects.toThrow(
      RangeError,
    );
    await expect(buildGraph(newPlace(), { ids: ids([0, 2 ** 31 - 1]) }, { disk })).rejects.toThrow(
      RangeError,
    );
    for (const name of ['', 'a b', 'a\tb', 'a\0', 'x'.repeat(4097)])
      await expect(
        buildGraph(newPlace(), { names: packNameArcs([[name, 'a']]) }, { disk }),
      ).rejects.toThrow(RangeError);
  });
});
