/** A sorted index of an archive that is still written: against the sorted lines of its parts. */
import { existsSync, mkdirSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { GrowingIndex, partsOf } from '../../../src/archive/index/growing-index.ts';
import { Disk } from '../../../src/disk/disk.ts';
import { temporaryFolder } from '../../disk/temporary-folder.ts';

/** The archive of a crawl that another process writes, as a test does it. */
class Writer {
  readonly dir = temporaryFolder();
  readonly #lines = new Map<string, string[]>();

  constructor() {
    for (const folder of ['archive', 'indexes/parts'])
      mkdirSync(join(this.dir, folder), { recursive: true });
  }

  add(warc: string, ...lines: string[]): void {
    this.#lines.set(warc, [...(this.#lines.get(warc) ?? []), ...lines]);
    this.#write(warc);
  }

  /** What a resume does to what is newer than the checkpoint. */
  keep(warc: string, count: number): void {
    this.#lines.set(warc, (this.#lines.get(warc) ?? []).slice(0, count));
    this.#write(warc);
  }

  drop(warc: string): void {
    this.#lines.delete(warc);
    rmSync(join(this.dir, 'archive', warc));
  }

  get sorted(): string[] {
    return [...this.#lines.values()].flat().sort();
  }

  #write(warc: string): void {
    const text = (this.#lines.get(warc) ?? []).map((line) => `${line}\n`).join('');
    writeFileSync(join(this.dir, 'archive', warc), '');
    // The next line is not whole yet.
    writeFileSync(join(this.dir, 'indexes/parts', `${warc}.cdxj`), `${text}com,exa`);
  }
}

async function linesOf(index: GrowingIndex, key = ''): Promise<string[]> {
  const lines: string[] = [];
  for await (const batch of index.linesFrom(key)) lines.push(...batch);
  return lines;
}

const warc = fc.constantFrom('a.warc.gz', 'b.warc.gz');
const step = fc.oneof(
  fc.record({ do: fc.constant('add' as const), warc, count: fc.integer({ min: 1, max: 9 }) }),
  fc.record({ do: fc.constant('keep' as const), warc, count: fc.nat(5) }),
  fc.record({ do: fc.constant('drop' as const), warc, count: fc.constant(0) }),
  fc.record({ do: fc.constant('update' as const), warc, count: fc.constant(0) }),
);

test('has the lines of all parts, in order, whatever is added, truncated or dropped', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const writer = new Writer();
      const index = new GrowingIndex(new Disk(), writer.dir);
      let added = 0;
      for (const { do: what, warc: name, count } of [
        ...steps,
        { do: 'update' as const, warc: '', count: 0 },
      ]) {
        if (what === 'add')
          for (let i = 0; i < count; i++)
            writer.add(name, `com,example${(added * 7) % 5})/${added++} 2026 {}`);
        else if (what === 'keep') writer.keep(name, count);
        else if (what === 'drop') {
          if (existsSync(join(writer.dir, 'archive', name))) writer.drop(name);
        } else {
          await index.update(() => {});
          expect(await linesOf(index)).toEqual(writer.sorted);
          const from = 'com,example3';
          expect(await linesOf(index, from)).toEqual(writer.sorted.filter((line) => line >= from));
        }
      }
      await index.close();
    }),
    { numRuns: 40 },
  );
});

test('reads a part again if it was truncated and has grown since', async () => {
  const writer = new Writer();
  const index = new GrowingIndex(new Disk(), writer.dir);
  writer.add('a.warc.gz', 'com,a)/ 1 {}', 'com,b)/ 1 {}');
  await index.update(() => {});
  writer.keep('a.warc.gz', 1);
  writer.add('a.warc.gz', 'com,c)/ 1 {}', 'com,d)/ 1 {}');
  await index.update(() => {});
  expect(await linesOf(index)).toEqual(writer.sorted);
  await index.close();
});

test('leaves nothing behind, and says whether a part is missing', async () => {
  const writer = new Writer();
  const ours = () => readdirSync(tmpdir()).filter((name) => name.startsWith('drumlin-index-'));
  const before = new Set(ours());
  writer.add('a.warc.gz', 'com,a)/ 1 {}');
  const index = new GrowingIndex(new Disk(), writer.dir);
  await index.update(() => {});
  await index.close();
  expect(ours().filter((name) => !before.has(name))).toEqual([]);
  expect((await partsOf(new Disk(), writer.dir)).isWhole).toBe(true);
  truncateSync(join(writer.dir, 'archive/a.warc.gz'));
  rmSync(join(writer.dir, 'indexes/parts/a.warc.gz.cdxj'));
  expect((await partsOf(new Disk(), writer.dir)).isWhole).toBe(false);
});
