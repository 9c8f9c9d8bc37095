import { readdirSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Disk } from '../../../src/disk/disk.ts';
import {
  type FileSystem,
  nodeFileSystem,
  type OpenMode,
  type RawFile,
} from '../../../src/disk/file-system.ts';
import { DomainEdges } from '../../../src/reputation/edges/domain-edges.ts';
import { type Faults, FaultyFileSystem } from '../../disk/faulty-file-system.ts';
import { PowerCutFileSystem } from '../../disk/power-cut-file-system.ts';
import { temporaryFolder } from '../../disk/temporary-folder.ts';
import { OpenFiles } from '../../frontier/backlog/open-files.ts';
import { EdgesLife, keyOf, readLists, TINY } from './edges-life.ts';

const quick = () => new FaultyFileSystem({ skipSync: true });
const domain = fc.nat(14);
const edge = fc.tuple(domain, domain);
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('add' as const),
      edges: fc.array(edge, { minLength: 1, maxLength: 20 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'write',
        'flush',
        'take',
        'takeAll',
        'lists',
        'readOn',
        'checkpoint',
        'reopen',
      ),
    }),
  },
);

describe('domain edges', () => {
  test('come out once each, are listed from then on, and after a kill are what they were at the last checkpoint', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), async (steps) => {
        const folder = temporaryFolder();
        const life = await EdgesLife.begin({ fileSystem: quick(), folder });
        for (const next of steps) {
          if (next.do === 'add')
            for (const [target, source] of next.edges) life.add(target, source);
          else if (next.do === 'write') await life.edges.write();
          else if (next.do === 'flush') await life.edges.flush();
          else if (next.do === 'take') await life.take();
          else if (next.do === 'takeAll') await life.takeAll();
          else if (next.do === 'lists') await life.checkLists();
          else if (next.do === 'readOn') await readWhileTaking(life);
          else if (next.do === 'checkpoint') await life.checkpoint();
          else {
            await life.edges.close();
            await life.reopen(quick());
          }
        }
        await life.takeAll();
        await life.checkLists();
        await life.edges.close();
      }),
      { numRuns: 25 },
    );
  });

  test('a domain that links to itself gives no edge', async () => {
    const life = await EdgesLife.begin({ fileSystem: quick(), folder: temporaryFolder() });
    life.add(1, 1);
    expect(life.edges.pending).toBe(0);
    await life.takeAll();
    await life.edges.close();
  });

  test('a list that is being read keeps its runs, which are deleted after it was read', async () => {
    const folder = temporaryFolder();
    const life = await EdgesLife.begin({ fileSystem: quick(), folder });
    for (let source = 1; source < 60; source++) life.add(source % 3, source);
    await life.takeAll();
    const runs = () => readdirSync(folder).filter((name) => name.startsWith('run.')).length;
    const before = runs();
    const lists = life.edges.lists();
    await lists.next();
    for (let source = 60; source < 200; source++) life.add(source % 3, source);
    await life.takeAll();
    expect(runs()).toBeGreaterThan(before);
    await lists.return(undefined);
    await life.checkpoint();
    await life.checkpoint();
    const frozen = await life.edges.freeze();
    expect(readdirSync(folder).sort()).toEqual(Object.keys(frozen.files).sort());
    await life.edges.close();
  });

  test('an edge is written a number of times that grows with the logarithm of their number, also at a giant', async () => {
    const writtenPerEdge = async (count: number) => {
      const disk = new Disk(quick());
      const limits = {
        ...TINY,
        partPairs: 16,
        parts: 1,
        mergedAtOnce: 4,
        window: 4096,
        blockSources: 64,
      };
      const memory = 1.5 * 2 ** 20;
      const edges = await DomainEdges.open({ disk, folder: temporaryFolder(), memory, limits });
      for (let source = 1; source <= count; source++) edges.add(keyOf(0), keyOf(source));
      await edges.flush();
      const { written } = disk.traffic;
      while (await edges.take());
      await edges.close();
      return (disk.traffic.written - written) / count;
    };
    // 16 bytes for the log, and 8 plus a share of a row for each full level, but whole blocks: at
    // every level but the last two, a file is one block.
    const blocks = (count: number) => (4096 * (count / 16) * (1 + 1 / 4 + 1 / 16)) / count;
    expect(await writtenPerEdge(16 * 4 ** 2)).toBeLessThan(16 + 3 * 9 + 2 + blocks(16 * 4 ** 2));
    expect(await writtenPerEdge(16 * 4 ** 4)).toBeLessThan(16 + 5 * 9 + 2 + blocks(16 * 4 ** 4));
  });

  test('can be opened with other limits than before', async () => {
    const life = await EdgesLife.begin({ fileSystem: quick(), folder: temporaryFolder() });
    for (const limits of [{ ...TINY, partPairs: 40 }, { ...TINY, partPairs: 3, parts: 1 }, TINY]) {
      for (let i = 0; i < 60; i++) life.add(i % 7, life.added.size + (i % 3));
      await life.takeAll();
      await life.checkpoint();
      await life.edges.close();
      await life.reopen(nodeFileSystem, limits);
      await life.checkLists();
    }
    await life.takeAll();
    await life.edges.close();
  });

  test('are handed over to another number of agents by adding what the lists hold', async () => {
    const life = await EdgesLife.begin({ fileSystem: quick(), folder: temporaryFolder() });
    for (let i = 0; i < 200; i++) life.add(i % 11, i % 13);
    await life.takeAll();
    const heirs = await Promise.all(
      [0, 1].map(() => EdgesLife.begin({ fileSystem: quick(), folder: temporaryFolder() })),
    );
    for await (const block of life.edges.lists()) {
      // Targets come in increasing order, so each heir gets one range of them.
      let first = 0;
      while (first < block.length && block.targets[first] >> 63n === 0n) first++;
      const end = first === 0 ? 0 : block.ends[first - 1];
      heirs[0].edges.addLists({ ...block, length: first });
      heirs[1].edges.addLists({
        length: block.length - first,
        targets: block.targets.subarray(first),
        ends: block.ends.slice(first).map((at) => at - end),
        sources: block.sources.subarray(end),
      });
    }
    const found: string[] = [];
    for (const { edges } of heirs) {
      await edges.flush();
      while (await edges.take());
      found.push(...(await readLists(edges.lists())));
      await edges.close();
    }
    expect(found.sort()).toEqual([...life.taken].sort());
    await life.edges.close();
  });

  test('refuse too little memory', async () => {
    const open = DomainEdges.open({ disk: new Disk(), folder: temporaryFolder(), memory: 2 ** 20 });
    await expect(open).rejects.toMatchObject({ code: 'MEMORY_TOO_SMALL' });
  });
});

/** Runs through everything: many runs, merged, read while more come, frozen. */
async function live(life: EdgesLife): Promise<void> {
  for (let i = 0; i < 12; i++) {
    for (let k = 0; k < 9; k++) life.add((i * k) % 6, (i * 5 + k) % 29);
    await life.edges.write();
    if (i % 3 === 1) await life.edges.flush();
    await life.take();
    if (i % 5 === 2) await life.checkLists();
    if (i % 4 === 3) await life.checkpoint();
  }
}

/** Counts the files of the adjacency only, not those of the DRUM. */
class OurFiles extends OpenFiles {
  readonly #all: FileSystem;

  constructor(all: FileSystem) {
    super(all);
    this.#all = all;
  }

  override open(path: string, mode: OpenMode): Promise<RawFile> {
    return /\/(run|fresh)\.\d+$/.test(path) ? super.open(path, mode) : this.#all.open(path, mode);
  }
}

async function begin(faults: Faults) {
  const faulty = new FaultyFileSystem(faults);
  const files = new OurFiles(faulty);
  return {
    life: await EdgesLife.begin({ fileSystem: files, folder: temporaryFolder() }),
    faulty,
    files,
  };
}

describe('with a failing disk', () => {
  test('a death at any file operation leaves the last checkpoint intact', async () => {
    const whole = await begin({ skipSync: true });
    await live(whole.life);
    const last = whole.faulty.changes;
    await whole.life.edges.close();
    expect(whole.files.now).toBe(0);
    expect(last).toBeGreaterThan(200);
    for (let operations = 8; operations < last; operations += Math.ceil(last / 15)) {
      const { life, files } = await begin({ operations, skipSync: true });
      await expect(live(life), `after ${operations} operations`).rejects.toMatchObject({
        code: 'DISK_FAILED',
      });
      await expect(life.edges.freeze()).rejects.toMatchObject({ code: 'DISK_FAILED' });
      await life.edges.close();
      expect(files.now, 'open files').toBe(0);
      await life.reopen(quick());
      await life.checkLists();
      await life.takeAll();
      await life.checkLists();
      await life.edges.close();
    }
  });

  test('a power loss at any time leaves the last checkpoint intact', async () => {
    for (let stop = 0; stop < 12; stop++) {
      const fileSystem = new PowerCutFileSystem();
      const life = await EdgesLife.begin({ fileSystem, folder: temporaryFolder() });
      for (let i = 0; i <= stop; i++) {
        for (let k = 0; k < 11; k++) life.add((i * k) % 5, (i * 7 + k) % 31);
        await life.edges.write();
        if (i % 2 === 1) await life.edges.flush();
        await life.take();
        // Power is lost before the checkpoint is stored, or after it and before old files are
        // deleted.
        if (i % 3 === 1) await life.checkpoint(() => life.takeAll());
      }
      await life.edges.close();
      fileSystem.cutPower();
      await life.reopen();
      await life.checkLists();
      await life.takeAll();
      await life.edges.close();
    }
  });

  test('a full disk is reported as such, and there is room again after the last checkpoint is opened', async () => {
    for (const room of [100, 700, 1500, 3000]) {
      const { life, files } = await begin({ room, skipSync: true });
      await expect(live(life)).rejects.toMatchObject({ code: 'DISK_FULL' });
      await life.edges.close();
      expect(files.now).toBe(0);
      await life.reopen(quick());
      await life.takeAll();
      await life.edges.close();
    }
  });

  test('transfers that are cut short are continued', async () => {
    const { life } = await begin({ shortTransfers: 300, skipSync: true });
    await live(life);
    await life.takeAll();
    await life.checkLists();
    await life.edges.close();
  });

  test('a run that ends too soon is refused by name', async () => {
    const { life } = await begin({ skipSync: true });
    for (let source = 1; source < 40; source++) life.add(0, source);
    await life.takeAll();
    const run = readdirSync(life.options.folder).find((name) => name.startsWith('run.')) ?? '';
    const file = await new Disk().open(`${life.options.folder}/${run}`, 'update');
    await file.truncate((await file.size()) - 8);
    await file.close();
    await expect(life.checkLists()).rejects.toMatchObject({ code: 'FILE_SHORT' });
    await life.edges.close();
  });
});

/** Reads the lists while more edges are added and taken, and runs are merged. */
async function readWhileTaking(life: EdgesLife): Promise<void> {
  let extra = 0;
  await life.checkLists(async () => {
    if (extra++ > 3) return;
    for (let source = 0; source < 8; source++) life.add(extra, 15 + source);
    await life.edges.flush();
    await life.take();
  });
}
