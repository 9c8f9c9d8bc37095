import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { writeVarint } from '../../src/base/varint.ts';
import { FORMATS } from '../../src/search/store/formats.ts';
import { writeOutputs } from '../../src/search/store/output.ts';
import { Part } from '../../src/search/store/part.ts';
import { NONE, PostingWriter } from '../../src/search/store/posting-writer.ts';
import { writeVersion } from '../../src/search/store/version-table.ts';
import { temporaryFolder } from '../disk/temporary-folder.ts';
import '../property-seed.ts';
import { disk } from './collection.ts';

/** Versions of the runs. */
const VERSIONS = 300_000;

interface Posting {
  readonly version: number;
  readonly positions: readonly number[];
}

const gap = fc.oneof(fc.nat(2), fc.nat(300), fc.nat(70_000), fc.nat(5_000_000));
const posting = fc.record({
  version: fc.nat(VERSIONS - 1),
  positions: fc.array(gap, { minLength: 1, maxLength: 5 }).map((gaps) => {
    let at = -1;
    return gaps.map((each) => {
      at += each + 1;
      return at;
    });
  }),
});
const list = fc
  .uniqueArray(posting, { minLength: 1, maxLength: 30, selector: ({ version }) => version })
  .map((postings) => postings.sort((a, b) => a.version - b.version));

/** A record of a run (src/search/build/run-builder.ts). */
function recordOf(postings: readonly Posting[]): Buffer {
  const bytes = Buffer.alloc(
    10 * postings.reduce((sum, { positions }) => sum + positions.length + 2, 0),
  );
  let [at, before] = [0, -1];
  for (const { version, positions } of postings) {
    at = writeVarint(bytes, at, version - before - 1);
    at = writeVarint(bytes, at, positions.length);
    for (const [i, position] of positions.entries())
      at = writeVarint(bytes, at, position - (positions[i - 1] ?? -1) - 1);
    before = version;
  }
  return bytes.subarray(0, at);
}

/** A part with the lists of some words, blocks of four; every third version is dropped. */
async function partOf(lists: readonly (readonly Posting[])[]): Promise<Part> {
  const folder = temporaryFolder();
  const renumbered = Uint32Array.from({ length: VERSIONS }, (_, i) =>
    i % 3 === 2 ? NONE : i - Math.floor(i / 3),
  );
  const count = VERSIONS - Math.floor(VERSIONS / 3);
  const words = new Uint32Array(count).fill(7);
  const names = ['terms', 'groups', 'postings', 'positions', 'versions', 'names'] as const;
  const info = await writeOutputs(
    disk,
    names.map((name) => [join(folder, name), FORMATS[name]] as const),
    async ([terms, groups, postings, positions, table]) => {
      const outputs = { terms, groups, postings, positions };
      const writer = new PostingWriter(
        outputs,
        { renumbered, words, titleWords: words, anchors: 0 },
        4,
      );
      for (const [i, each] of lists.entries()) {
        writer.begin(`Bword${String(i).padStart(3, '0')}`);
        const half = Math.ceil(each.length / 2);
        for (const some of [each.slice(0, half), each.slice(half)])
          if (some.length > 0) writer.record(some.length, recordOf(some), 'run');
        writer.end();
      }
      writeVersion(table, { words: 1, titleWords: 0, language: 0, file: 0, offset: 0, name: 0 });
      return { versions: count, terms: writer.terms, postings: writer.postings };
    },
  );
  const settings = { epoch: 'crawl', positions: true, block: 4 } as const;
  return Part.open(disk, folder, { ...info, files: [], languages: [], crawls: [] }, settings);
}

test('lists come back as they were, without the versions that were dropped', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(list, { minLength: 1, maxLength: 100 }), async (lists) => {
      const part = await partOf(lists);
      for (const [i, all] of lists.entries()) {
        const postings = all.filter(({ version }) => version % 3 !== 2);
        const found = await part.list(`Bword${String(i).padStart(3, '0')}`, {
          blocks: 0,
          decoded: 0,
        });
        expect(found?.count ?? 0).toBe(postings.length);
        for (const { version, positions } of postings) {
          const id = version - Math.floor(version / 3);
          expect(found?.seek(id)).toBe(id);
          expect(found?.frequency).toBe(positions.length);
          if (found) expect([...(await part.positions(found))]).toEqual(positions);
        }
      }
      await part.close();
    }),
    { numRuns: 5 },
  );
});

test('a record that is not whole is an error', async () => {
  const whole = recordOf([{ version: 5, positions: [1, 300] }]);
  const folder = temporaryFolder();
  await writeOutputs(
    disk,
    (['terms', 'groups', 'postings', 'positions'] as const).map(
      (name) => [join(folder, name), FORMATS[name]] as const,
    ),
    async ([terms, groups, postings, positions]) => {
      const versions = {
        renumbered: new Uint32Array(6),
        words: new Uint32Array(1),
        titleWords: new Uint32Array(1),
        anchors: 0,
      };
      const writer = new PostingWriter({ terms, groups, postings, positions }, versions, 4);
      for (const bytes of [whole.subarray(0, 3), Buffer.alloc(4, 255), Buffer.from([9, 1, 1])]) {
        writer.begin('Bword');
        expect(() => writer.record(1, bytes, 'run-0')).toThrow('run-0 is damaged');
      }
    },
  );
});
