import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { xxh64Bytes } from '../../../src/base/xxh64.ts';
import { type UniqueFlags, unique } from '../../../src/cli/commands/unique.ts';
import { DrumSieve } from '../../../src/sieve/disk-sieve.ts';
import { systemError } from '../../disk/faulty-file-system.ts';
import { temporaryFolder } from '../../disk/temporary-folder.ts';
import { pack } from '../../sieve/packing.ts';

const FLAGS: UniqueFlags = { memory: '1Mi', disk: '8Gi', sieve: 'drum' };

async function run(flags: Partial<UniqueFlags>, input: string | Uint8Array[]): Promise<Buffer> {
  const output = new PassThrough();
  const got: Buffer[] = [];
  output.on('data', (bytes) => got.push(bytes));
  await unique(
    { ...FLAGS, ...flags },
    Readable.from(Array.isArray(input) ? input : [Buffer.from(input)]),
    output,
  );
  return Buffer.concat(got);
}

const linesOf = (bytes: Buffer) => bytes.toString('latin1').split('\n').slice(0, -1);
const sortedUnique = (lines: Iterable<string>) => [...new Set(lines)].sort();

test('agrees with sort -u on any input, in any chunking, over any number of runs on one folder', async () => {
  const content = fc.array(fc.constantFrom(10, 10, 65, 66, 0, 255, 13), { maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(content, { minLength: 1, maxLength: 3 }),
      fc.integer({ min: 1, max: 7 }),
      fc.constantFrom('drum' as const, 'mercator' as const),
      async (runs, size, sieve) => {
        const dir = join(temporaryFolder(), 'seen');
        const out: string[] = [];
        const all: string[] = [];
        for (const bytes of runs) {
          const pieces: Uint8Array[] = [];
          for (let at = 0; at < bytes.length; at += size)
            pieces.push(Uint8Array.from(bytes.slice(at, at + size)));
          out.push(...linesOf(await run({ dir, sieve }, pieces)));
          const text = Buffer.from(bytes).toString('latin1');
          all.push(...(text === '' ? [] : text.replace(/\n$/, '').split('\n')));
        }
        expect([...out].sort()).toEqual(sortedUnique(all));
        if (sieve === 'mercator') expect(out).toEqual([...new Set(all)]);
      },
    ),
    { numRuns: 15 },
  );
});

test('more lines than fit into memory go through the disk and come out once', async () => {
  const lines = Array.from(
    { length: 60_000 },
    (_, i) => `http://host/${(i * 7919) % 20_011}/${'x'.repeat(40)}`,
  );
  const text = `${lines.join('\n')}\n`;
  expect(linesOf(await run({}, text)).sort()).toEqual(sortedUnique(lines));
  expect(linesOf(await run({ sieve: 'mercator' }, text))).toEqual([...new Set(lines)]);
});

test('--count prints the number of new lines, and remembers them', async () => {
  const dir = join(temporaryFolder(), 'seen');
  expect((await run({ dir, count: true }, 'a\nb\na\n')).toString()).toBe('2\n');
  expect((await run({ dir }, 'a\nb\nc\n')).toString()).toBe('c\n');
  expect((await run({ dir, count: true }, '')).toString()).toBe('0\n');
});

test.each([
  'undecided',
  'decided',
])('--count fails if an interrupted run left lines %s, and they are printed later', async (left) => {
  const dir = join(temporaryFolder(), 'seen');
  const offers = ['a', 'b', 'a'].map((line) => ({
    key: xxh64Bytes(Buffer.from(line)),
    text: `${line}\n`,
  }));
  const sieve = await DrumSieve.open({ folder: dir, memory: 2 ** 20, cache: 0 });
  await sieve.offer(pack(offers));
  if (left === 'decided') await sieve.flush();
  await sieve.checkpoint();
  await sieve.close();
  const refusal = run({ dir, count: true }, 'c\n');
  await expect(refusal).rejects.toMatchObject({ code: 'LINES_UNPRINTED', exitCode: 5 });
  await expect(refusal).rejects.toThrow(`left 2 lines in ${dir}`);
  expect(linesOf(await run({ dir }, '')).sort()).toEqual(['a', 'b']);
  expect((await run({ dir, count: true }, 'a\nb\nc\n')).toString()).toBe('1\n');
});

test('without --dir nothing is remembered and nothing is left behind', async () => {
  expect((await run({}, 'a\na\n')).toString()).toBe('a\n');
  expect((await run({}, 'a\n')).toString()).toBe('a\n');
});

test('lines longer than every buffer pass complete', async () => {
  const long = 'y'.repeat(3_000_000);
  expect((await run({}, `${long}\nshort\n${long}\n`)).length).toBe(3_000_001 + 6);
});

test.each([
  'EPIPE',
  'ENOSPC',
])('output that fails with %s is a clear error, and no line counts as delivered', async (code) => {
  const dir = join(temporaryFolder(), 'seen');
  const broken = new Writable({ write: (_bytes, _encoding, done) => done(systemError(code)) });
  await expect(
    unique({ ...FLAGS, dir }, Readable.from([Buffer.from('a\nb\n')]), broken),
  ).rejects.toMatchObject({
    code: 'OUTPUT',
    exitCode: 4,
  });
  expect(linesOf(await run({ dir }, 'b\na\n')).sort()).toEqual(['a', 'b']);
});

test('a reader that closes the pipe ends the command with its message, and nothing stays behind or locked', async () => {
  const temporary = temporaryFolder();
  const dir = join(temporaryFolder(), 'seen');
  for (const args of [[], ['--dir', dir]]) {
    const { code, errors } = await runUnread(args, temporary);
    expect(errors).toContain('The reader closed the output');
    expect(code).toBe(4);
    // Newer versions of Node keep their compiled modules there.
    const left = readdirSync(temporary).filter((name) => name !== 'node-compile-cache');
    expect(left).toEqual([]);
  }
  expect(readdirSync(dir)).not.toContain('LOCK');
  expect((await run({ dir }, 'a\n')).toString()).toBe('a\n');
});

/** The command with an output that is closed before its input arrives. */
async function runUnread(
  args: string[],
  temporary: string,
): Promise<{ code: number; errors: string }> {
  const bin = fileURLToPath(new URL('../../../bin/drumlin', import.meta.url));
  const child = spawn(process.execPath, [bin, 'unique', '--memory', '1Mi', ...args], {
    env: { ...process.env, TMPDIR: temporary },
  });
  let errors = '';
  child.stderr.on('data', (text) => (errors += text));
  const ended = once(child, 'close');
  child.stdout.destroy();
  await once(child.stdout, 'close');
  child.stdin.on('error', () => undefined);
  child.stdin.end('a\nb\n');
  const [code] = await ended;
  return { code, errors };
}

test('a signal stops it, and the folder stays as it was', async () => {
  const dir = join(temporaryFolder(), 'seen');
  const input = new Readable({ read: () => undefined });
  input.push('a\n');
  const running = unique({ ...FLAGS, dir }, input, new PassThrough());
  setImmediate(() => process.emit('SIGINT'));
  await expect(running).rejects.toMatchObject({ code: 'STOPPED', exitCode: 130 });
  expect((await run({ dir }, 'a\n')).toString()).toBe('a\n');
  expect(readdirSync(dir)).not.toContain('LOCK');
});

test('a folder in use, of another version or of another program is rejected by name', async () => {
  const held = temporaryFolder();
  writeFileSync(join(held, 'LOCK'), JSON.stringify({ pid: 1, host: 'elsewhere', started: '' }));
  await expect(run({ dir: held }, 'a\n')).rejects.toMatchObject({
    code: 'FOLDER_IN_USE',
    exitCode: 5,
  });
  const other = temporaryFolder();
  writeFileSync(join(other, 'checkpoint.json'), '{"drumlin":"sieve","version":99}');
  await expect(run({ dir: other }, 'a\n')).rejects.toMatchObject({
    code: 'FILE_VERSION',
    exitCode: 5,
  });
  const stranger = temporaryFolder();
  writeFileSync(join(stranger, 'notes.txt'), 'mine');
  await expect(run({ dir: stranger }, 'a\n')).rejects.toMatchObject({
    code: 'FOLDER_NOT_OURS',
    exitCode: 5,
  });
});

test.each([
  { memory: 'lots' },
  { memory: '10' },
  { disk: '-' },
])('%o is rejected', async (flags) => {
  await expect(run(flags, 'a\n')).rejects.toMatchObject({ exitCode: 2 });
});

test('killed while printing and run again with the same input, it has printed every line', async () => {
  const dir = join(temporaryFolder(), 'seen');
  const lines = Array.from(
    { length: 250_000 },
    (_, i) => `http://host/${(i * 7919) % 60_013}/${'x'.repeat(30)}`,
  );
  const input = Buffer.from(`${lines.join('\n')}\n`);
  const printed = new Set<string>();
  for (const kill of [true, true, false]) {
    const { output, signal } = await runChild(dir, input, kill);
    expect(signal).toBe(kill ? 'SIGKILL' : null);
    for (const line of linesOf(output)) printed.add(line);
  }
  expect([...printed].sort()).toEqual(sortedUnique(lines));
  expect((await run({ dir }, [input])).length).toBe(0);
});

/** Kills the process at its first output: it is in the middle of its work then. */
function runChild(
  dir: string,
  input: Buffer,
  kill: boolean,
): Promise<{ output: Buffer; signal: string | null }> {
  const script = fileURLToPath(new URL('../unique-child.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', script, dir], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const got: Buffer[] = [];
  child.stdout.on('data', (bytes) => {
    got.push(bytes);
    if (kill) child.kill('SIGKILL');
  });
  child.stdin.on('error', () => undefined); // it dies before it has read everything
  child.stdin.end(input);
  return new Promise((resolve) => {
    child.on('close', (_code, signal) => resolve({ output: Buffer.concat(got), signal }));
  });
}
