/**
 * What a folder holds when it is opened again: after a power cut, with less memory, in the middle
 * of a checkpoint.
 */
import { expect, test } from 'vitest';
import type { Frozen } from '../../src/disk/checkpoint.ts';
import { Disk } from '../../src/disk/disk.ts';
import { Drum } from '../../src/drum/drum.ts';
import { DrumBatch } from '../../src/drum/drum-batch.ts';
import { drumGeometry, mercatorGeometry } from '../../src/drum/geometry.ts';
import { KeyDrum, type KeyDrumState } from '../../src/drum/key-drum.ts';
import { BatchBuilder } from '../../src/drum/keyed-batch.ts';
import { PowerCutFileSystem } from '../disk/power-cut-file-system.ts';
import { temporaryFolder } from '../disk/temporary-folder.ts';
import { unpack } from '../sieve/packing.ts';

const keyOf = (i: number): bigint => BigInt.asUintN(64, BigInt(i + 1) * 0x9e3779b97f4a7c15n);

async function offer(drum: KeyDrum, from: number, to: number): Promise<void> {
  const batch = new BatchBuilder();
  for (let i = from; i < to; i++) batch.addText(keyOf(i), `line ${i}`);
  await drum.offer(batch);
}

async function textsOf(drum: KeyDrum): Promise<Set<string>> {
  await drum.flush();
  const texts = new Set<string>();
  for (let batch = await drum.take(); batch; batch = await drum.take()) {
    for (const { text } of unpack(batch)) texts.add(text);
  }
  return texts;
}

/** As a checkpoint stores it. */
const stored = (frozen: Frozen<KeyDrumState>): Frozen<KeyDrumState> =>
  JSON.parse(JSON.stringify(frozen));

test('offers collected after a restart survive a power cut once they are frozen', async () => {
  const fileSystem = new PowerCutFileSystem();
  const folder = temporaryFolder();
  const open = (at?: Frozen<KeyDrumState>) =>
    KeyDrum.open({
      disk: new Disk(fileSystem),
      folder,
      geometry: drumGeometry(2 ** 20),
      ...(at && { at }),
    });
  let at: Frozen<KeyDrumState> | undefined;
  for (let part = 0; part < 3; part++) {
    const drum = await open(at);
    await offer(drum, part * 100, part * 100 + 100);
    if (part > 0) await drum.flush();
    at = stored(await drum.freeze());
    await fileSystem.syncFolder(folder);
    await drum.discardOlder(at);
    await drum.close();
  }
  fileSystem.cutPower();
  const drum = await open(at);
  expect((await textsOf(drum)).size).toBe(300);
  await drum.close();
});

test('offers collected with much memory are merged with little', async () => {
  const disk = new Disk();
  const folder = temporaryFolder();
  const large = await KeyDrum.open({ disk, folder, geometry: mercatorGeometry(2 ** 24) });
  const count = mercatorGeometry(2 ** 23).bucketKeys + 100;
  await offer(large, 0, count);
  const at = stored(await large.freeze());
  await large.discardOlder(at);
  await large.close();
  const small = await KeyDrum.open({ disk, folder, geometry: mercatorGeometry(2 ** 23), at });
  expect((await textsOf(small)).size).toBe(count);
  await small.close();
});

test('a frozen state can be opened even if the structure changed before it was settled', async () => {
  const disk = new Disk();
  const folder = temporaryFolder();
  const geometry = drumGeometry(2 ** 20);
  const drum = await KeyDrum.open({ disk, folder, geometry });
  await offer(drum, 0, 50);
  const at = stored(await drum.freeze());
  expect((await textsOf(drum)).size).toBe(50);
  await drum.close();
  const again = await KeyDrum.open({ disk, folder, geometry, at });
  expect((await textsOf(again)).size).toBe(50);
  await again.close();
});

test('long old values do not damage short new ones when answers overflow in the middle of a key', async () => {
  const drum = await Drum.open({ disk: new Disk(), folder: temporaryFolder(), memory: 2 ** 20 });
  const batch = new DrumBatch();
  for (let i = 0; i < 400; i++) batch.update(BigInt(i + 1), new Uint8Array(4000).fill(i % 250));
  await drum.offer(batch);
  await drum.flush();
  batch.clear();
  for (let i = 0; i < 400; i++)
    batch.checkUpdate(BigInt(i + 1), Buffer.from(`new ${i + 1}`), Buffer.from('aux'));
  await drum.offer(batch);
  await drum.flush();
  for await (const { key, value } of drum.records())
    expect(Buffer.from(value).toString()).toBe(`new ${key}`);
  await drum.close();
});
