import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Disk } from '../../../src/disk/disk.ts';
import type { Override } from '../../../src/reputation/budget/domain-record.ts';
import {
  OVERRIDES_FILE,
  overrideChanges,
  parseOverrides,
  readOverrides,
  setOverride,
} from '../../../src/reputation/budget/overrides.ts';
import { FaultyFileSystem } from '../../disk/faulty-file-system.ts';
import { PowerCutFileSystem } from '../../disk/power-cut-file-system.ts';
import { temporaryFolder } from '../../disk/temporary-folder.ts';

const disk = new Disk(new FaultyFileSystem({ skipSync: true }));
const parse = (text: string) => parseOverrides(text, 'domains.tsv');

test('a file has a decision for each domain', () => {
  const text =
    '\uFEFF# ours\n\nexample.com budget 5k\r\n  farm.example\tblock  \nexample.org trust\n[2001:db8::1] block\n';
  expect([...parse(text)]).toEqual([
    ['example.com', 5000],
    ['farm.example', 'blocked'],
    ['example.org', 'trusted'],
    ['[2001:db8::1]', 'blocked'],
  ]);
});

describe('a line that cannot be read is refused with its number', () => {
  test.each([
    ['example.com', 'cannot be set'],
    ['example.com budget', 'cannot be set'],
    ['example.com budget many', '"many" is not a whole number'],
    ['example.com budget 5 6', 'cannot be set'],
    ['example.com block 3', 'cannot be set'],
    ['example.com allow', 'cannot be set'],
    ['www.example.com block', 'Write example.com.'],
    ['http://example.com/ block', 'no domain'],
    ['example.com:80 block', 'no domain'],
    ['a@b block', 'no domain'],
    ['exa%6dple.com block', 'no domain'],
  ])('%s', (line, what) => {
    expect(() => parse(`# first\n${line}\n`)).toThrow('domains.tsv:2: ');
    expect(() => parse(`# first\n${line}\n`)).toThrow(what);
  });

  test('a domain that is there twice', () => {
    expect(() => parse('example.com block\nEXAMPLE.com trust\n')).toThrow(
      'domains.tsv:2: example.com is already in',
    );
  });

  test('more domains than fit the memory', () => {
    const many = Array.from({ length: 10_001 }, (_, i) => `d${i} block`).join('\n');
    expect(() => parse(many)).toThrow('domains.tsv:10001: these are too many');
  });
});

test('the file is optional', async () => {
  const dir = temporaryFolder();
  expect((await readOverrides(disk, dir)).size).toBe(0);
  await setOverride(disk, dir, 'example.com', undefined);
  expect(existsSync(join(dir, OVERRIDES_FILE))).toBe(false);
});

test('a decision that is set is read back, and the last one counts', async () => {
  const name = fc.constantFrom('example.com', 'EXAMPLE.org', 'b\u00fccher.example', '192.0.2.1');
  const override = fc.constantFrom<(Override | undefined)[]>(
    undefined,
    0,
    5000,
    'blocked',
    'trusted',
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(name, override), { minLength: 3, maxLength: 12 }),
      async (changes) => {
        const dir = temporaryFolder();
        const model = new Map<string, Override>();
        for (const [domain, value] of changes) {
          const settled = await setOverride(disk, dir, domain, value);
          if (value === undefined) model.delete(settled);
          else model.set(settled, value);
        }
        expect(new Map(await readOverrides(disk, dir))).toEqual(model);
      },
    ),
    { numRuns: 20 },
  );
});

test('a change leaves all other lines as they were written', async () => {
  const dir = temporaryFolder();
  const file = join(dir, OVERRIDES_FILE);
  writeFileSync(file, '# mine\nexample.com   budget 5k\n\n# and theirs\nfarm.example block');
  await setOverride(disk, dir, 'example.com', 'trusted');
  await setOverride(disk, dir, 'new.example', 20);
  expect(readFileSync(file, 'utf8')).toBe(
    '# mine\nexample.com\ttrust\n\n# and theirs\nfarm.example block\nnew.example\tbudget\t20\n',
  );
  await setOverride(disk, dir, 'example.com', undefined);
  expect(readFileSync(file, 'utf8')).toBe(
    '# mine\n\n# and theirs\nfarm.example block\nnew.example\tbudget\t20\n',
  );
});

test('a decision that cannot be set changes nothing', async () => {
  const dir = temporaryFolder();
  await expect(setOverride(disk, dir, 'www.example.com', 'blocked')).rejects.toThrow(
    'Write example.com.',
  );
  await expect(setOverride(disk, dir, 'not a name', 'blocked')).rejects.toThrow('no domain');
  await expect(setOverride(disk, dir, 'example.com', -1)).rejects.toThrow('no budget');
  await expect(setOverride(disk, dir, 'example.com', 1.5)).rejects.toThrow('no budget');
  writeFileSync(join(dir, OVERRIDES_FILE), 'example.com nonsense\n');
  await expect(setOverride(disk, dir, 'example.org', 'blocked')).rejects.toThrow('domains.tsv:1');
  expect(readFileSync(join(dir, OVERRIDES_FILE), 'utf8')).toBe('example.com nonsense\n');
});

test('after a crash or a power loss the file is the old or the new one', async () => {
  for (let operations = 0; operations < 8; operations++) {
    const dir = temporaryFolder();
    const power = new PowerCutFileSystem();
    await setOverride(new Disk(power), dir, 'example.com', 1);
    const faulty = new Disk(new FaultyFileSystem({ operations }, power));
    const outcome = await setOverride(faulty, dir, 'example.com', 2).catch(() => 'failed');
    power.cutPower();
    const left = (await readOverrides(new Disk(), dir)).get('example.com');
    expect(outcome === 'failed' ? [1, 2] : [2]).toContain(left);
  }
});

test('the changes from one file to another are what must be set and what must be removed', () => {
  const before = parse('a.example block\nb.example budget 5\nc.example trust\n');
  const after = parse('b.example budget 6\nc.example trust\nd.example block\n');
  expect([...overrideChanges(before, after)]).toEqual([
    ['a.example', undefined],
    ['b.example', 6],
    ['d.example', 'blocked'],
  ]);
  expect(overrideChanges(after, after).size).toBe(0);
});
