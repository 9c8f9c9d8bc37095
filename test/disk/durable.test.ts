/**
 * What reports success is durable: a power failure after it takes nothing. Each row is an operation
 * that leaves files, on a disk that remembers what was synced.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { writeIndex } from '../../src/archive/index/index-file.ts';
import { importWarcs } from '../../src/archive/tools/import.ts';
import { repair } from '../../src/archive/tools/repair.ts';
import { ZipWriter } from '../../src/archive/tools/zip-writer.ts';
import { recoverArchive } from '../../src/archive/write/recovery.ts';
import { WarcWriter } from '../../src/archive/write/warc-writer.ts';
import { writeText as writeOut } from '../../src/cli/screen/text-output.ts';
import { forgetEpoch, prepareFiles } from '../../src/cluster/worker/agent-files.ts';
import { workerId } from '../../src/cluster/worker/worker-folder.ts';
import { ParquetFile } from '../../src/corpus/parquet/parquet-file.ts';
import { WorkFolder } from '../../src/corpus/work-folder.ts';
import { BatchFile } from '../../src/disk/batch-file.ts';
import { replaceFile, saveCheckpoint } from '../../src/disk/checkpoint.ts';
import type { Disk } from '../../src/disk/disk.ts';
import { nodeFileSystem } from '../../src/disk/file-system.ts';
import { replaceFileBy } from '../../src/disk/notes/written-by.ts';
import { keepTail, setAside } from '../../src/disk/orphans.ts';
import { writeText } from '../../src/disk/text-file.ts';
import { makeWhole } from '../../src/disk/whole-folder.ts';
import { packNameArcs } from '../../src/graph/arcs.ts';
import { buildGraph } from '../../src/graph/build.ts';
import { openGraph } from '../../src/graph/open-graph.ts';
import { writeSpectrum } from '../../src/matrix/spectrum/output.ts';
import { spectrum } from '../../src/matrix/spectrum/spectrum.ts';
import { FolderStore } from '../../src/objects/folder-store.ts';
import { storePlan, storeResults } from '../../src/refresh/refresh-folder.ts';
import { makeExchange } from '../archive/warc/fixtures.ts';
import { addCaptures } from '../search/collection.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { witnessedDisk } from './witness-file-system.ts';

const { disk, witness } = witnessedDisk();
const BYTES = Buffer.from('some bytes');
const WARC = 'drumlin-20260314150926-00000-0.warc.gz';
const info = { software: 'drumlin/test', userAgent: 'test', robots: 'obey', hostname: 'here' };

async function* once<T>(...values: T[]): AsyncGenerator<T> {
  yield* values;
}

async function write(on: Disk, path: string): Promise<void> {
  const file = await on.open(path, 'create');
  await file.writeAll(BYTES, 0);
  await file.sync();
  await file.close();
}

/** A file that was there before: all of it is durable. */
function before(folder: string, name: string): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), BYTES);
  return join(folder, name);
}

async function archived(folder: string): Promise<string> {
  const writer = await WarcWriter.open(folder, { info, disk });
  const { response } = await writer.write(makeExchange());
  await writer.close();
  return join(folder, response.file);
}

/** Each leaves files in the folder. */
const OPERATIONS: Readonly<Record<string, (folder: string) => Promise<unknown>>> = {
  'a file is replaced': (folder) => replaceFile(disk, folder, 'x', BYTES),
  'a file is replaced, with a note of who did': (folder) =>
    replaceFileBy(disk, folder, 'x', 'text', 'me'),
  'a checkpoint is saved': (folder) =>
    saveCheckpoint(
      disk,
      folder,
      { name: 'x', kind: 'x', version: 1 },
      { sequence: 1, files: {}, state: 0 },
    ),
  'a text is written': (folder) => writeText(disk, join(folder, 'x'), (file) => file.write(BYTES)),
  'a text is compressed': (folder) =>
    writeText(disk, join(folder, 'x.gz'), (file) => file.write(BYTES)),
  'a command writes its output': (folder) =>
    writeOut(join(folder, 'x'), new Writable(), () => once('text'), disk),
  'a folder is made whole': (folder) =>
    makeWhole(disk, join(folder, 'whole'), (building) => write(disk, join(building, 'x'))),
  'a file grows by batches': async (folder) => {
    const file = await BatchFile.create(disk, join(folder, 'x'));
    await file.append([BYTES]);
    await file.sync();
    await file.close();
  },
  'a graph is built': (folder) =>
    buildGraph(join(folder, 'graph'), { names: packNameArcs([['a', 'b']]) }, { disk }),
  'a spectrum is written': async (folder) => {
    const place = join(folder, 'graph');
    await buildGraph(
      place,
      {
        names: packNameArcs([
          ['a', 'b'],
          ['b', 'a'],
        ]),
      },
      { disk },
    );
    const graph = await openGraph(place);
    await writeSpectrum(disk, join(folder, 'spectrum'), graph, '', () => spectrum(graph));
    await graph.close();
  },
  'pages are indexed for search': (folder) => {
    const facts = { url: 'http://a.test/', time: 0, title: 'a', text: 'a b', language: 'en' };
    return addCaptures(join(folder, 'index'), [{ ...facts, links: ['http://b.test/'] }], 'x', {
      disk,
    });
  },
  'a Parquet file is finished': async (folder) => {
    const columns = [{ name: 'n', kind: 'int', nullable: false }] as const;
    const options = { rowGroupBytes: 1000 };
    const file = await ParquetFile.create(disk, join(folder, 'x'), columns, options);
    await file.add([1]);
    await file.finish();
  },
  'a task of an export is done': async (folder) => {
    mkdirSync(join(folder, 'work'));
    const work = new WorkFolder(disk, folder);
    const path = work.file('read', 0, 'rows');
    await work.write([path], async ([file]) => file.writeAll(BYTES, 0));
    await work.done('read', 0, {});
  },
  'a ZIP file is finished': async (folder) => {
    const zip = await ZipWriter.create(disk, join(folder, 'x.zip'), 0);
    await zip.add('x', BYTES.length, once(BYTES));
    await zip.finish();
  },
  'an archive is closed': archived,
  'an archive file is repaired': async (folder) => {
    const warc = await archived(folder);
    await repair(disk, warc, `${warc}.repaired`);
  },
  'WARC files are imported': async (folder) => {
    const warc = await archived(temporaryFolder());
    await importWarcs(disk, [warc], join(folder, 'crawl'), { now: 0 });
  },
  'an index is written': (folder) => writeIndex(disk, folder, once(['a 1 {}']), false),
  'an index is written in blocks': (folder) => writeIndex(disk, folder, once(['a 1 {}']), true),
  'an archive is cut to its checkpoint': (folder) => {
    before(folder, WARC);
    const indexDir = join(folder, 'parts');
    before(indexDir, `${WARC}.cdxj`);
    const files = [{ file: WARC, length: 4, index: 3 }];
    return recoverArchive(disk, folder, '0', files, { indexDir, keepTails: true });
  },
  'a file is set aside': (folder) => {
    before(folder, 'x');
    return setAside(disk, folder, 'x');
  },
  'the end of a file is kept': (folder) => {
    before(folder, 'x');
    return keepTail(disk, folder, 'x', 4);
  },
  'an object is stored': (folder) => new FolderStore(folder, { disk }).put('a/b', BYTES),
  'an object is stored under a condition': (folder) =>
    new FolderStore(folder, { disk }).put('a/b', BYTES, { ifAbsent: true }),
  'a part of an object is stored': async (folder) => {
    const store = new FolderStore(folder, { disk });
    await store.putPart('a/b', await store.begin('a/b'), 1, BYTES);
  },
  'an object is completed': async (folder) => {
    const store = new FolderStore(folder, { disk });
    const upload = await store.begin('a/b');
    await store.complete('a/b', upload, [await store.putPart('a/b', upload, 1, BYTES)]);
  },
  'a worker gets its name': (folder) => workerId(disk, folder),
  'a worker takes an agent': (folder) =>
    prepareFiles(
      disk,
      folder,
      0,
      { epoch: 1, checkpoint: '' },
      { restore: () => Promise.reject() },
    ),
  'a refresh is planned': (folder) =>
    storePlan(disk, folder, {
      old: '/',
      by: '',
      z: '1',
      alpha: 1,
      test: 'naive',
      seed: 1,
    } as never),
  'a refresh has results': async (folder) => {
    mkdirSync(join(folder, 'refresh'));
    await storeResults(disk, folder, once(), {} as never);
  },
};

test.each(
  Object.entries(OPERATIONS),
)('when %s, nothing of it can be lost', async (_, operation) => {
  const folder = temporaryFolder();
  await operation(folder);
  expect(witness.undurable(folder)).toEqual([]);
});

/** Each removes a file of the folder, which must not come back. */
const REMOVALS: Readonly<Record<string, (folder: string) => Promise<unknown>>> = {
  'an epoch is forgotten': (folder) => {
    before(join(folder, 'epochs'), '0.json');
    return forgetEpoch(disk, folder, 0);
  },
  'a file is set aside': (folder) => {
    before(folder, 'x');
    return setAside(disk, folder, 'x');
  },
  'an empty file is set aside': (folder) => {
    writeFileSync(before(folder, 'x'), '');
    return setAside(disk, folder, 'x');
  },
  'a part of an index has no file': (folder) => {
    before(join(folder, 'parts'), `${WARC}.cdxj`);
    return recoverArchive(disk, folder, '0', [], { indexDir: join(folder, 'parts') });
  },
};

test.each(Object.entries(REMOVALS))('when %s, the old file cannot return', async (_, removal) => {
  const folder = temporaryFolder();
  await removal(folder);
  expect(witness.mayReturn(folder)).toEqual([]);
});

test('the files of an agent that cannot be restored have no epoch', async () => {
  const folder = temporaryFolder();
  const note = before(join(folder, 'epochs'), '0.json');
  const restore = () => Promise.reject(new Error('gone'));
  const work = prepareFiles(disk, folder, 0, { epoch: 1, checkpoint: 'x' }, { restore });
  await expect(work).rejects.toThrow('gone');
  expect(existsSync(note)).toBe(false);
});

test('each new folder is an entry of the one above it, which is synced', async () => {
  const place = temporaryFolder();
  const synced: string[] = [];
  const fileSystem = {
    ...nodeFileSystem,
    syncFolder: async (path: string) => void synced.push(path),
  };
  for (const [path, closed, expected] of [
    ['a/b/c', false, ['a/b', 'a', '']],
    ['a/b/c', false, []],
    ['d/e', true, ['', 'd']],
  ] as const) {
    await fileSystem.makeFolder(join(place, path), closed);
    expect(synced.splice(0)).toEqual(expected.map((each) => join(place, each).replace(/\/$/, '')));
  }
});
