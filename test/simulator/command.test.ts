import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { Command } from 'commander';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type LabFlags, register, runCommand } from '../../src/cli/commands/lab.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'drumlin-lab-command-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const FLAGS: LabFlags = {
  scenario: 'spam',
  pages: 400,
  policy: 'bfs',
  seed: 2,
  domains: 60,
  delay: 200,
  addressDelay: 20,
  fetches: 16,
};

async function run(flags: Partial<LabFlags> = {}): Promise<string> {
  let text = '';
  const output = new Writable({
    write(chunk, _encoding, done) {
      text += chunk;
      done();
    },
  });
  await runCommand({ ...FLAGS, ...flags }, { output, screen: { write: () => true } });
  return text;
}

describe('drumlin lab run', () => {
  test('prints the settings and a table of the results', async () => {
    const text = await run();
    expect(text).toContain('scenario spam, seed 2, 60 domains, 400 pages per policy');
    expect(text).toMatch(/^policy +pages +useful/m);
    expect(text).toMatch(/^bfs +400 /m);
    expect(text).toMatch(/^giant +\d/m);
  });

  test('prints JSON for programs', async () => {
    const { results, seed, domains } = JSON.parse(await run({ json: true }));
    expect([seed, domains]).toEqual([2, 60]);
    expect(results[0].policy).toBe('bfs');
    expect(results[0].samples.at(-1).pages).toBe(400);
  });

  test('writes a page and JSON, and leaves nothing else behind', async () => {
    const out = join(folder, 'new', 'place');
    await run({ out });
    expect((await readdir(out)).sort()).toEqual(['report.html', 'report.json']);
    expect(await readFile(join(out, 'report.html'), 'utf8')).toContain(
      'Where bfs spent its fetches',
    );
    expect(JSON.parse(await readFile(join(out, 'report.json'), 'utf8')).pages).toBe(400);
  });

  test.each([
    [{ policy: 'bfs,best' }, /no policy "best"/],
    [{ scenario: 'spum' }, /no scenario "spum"/],
    [{ pages: 0 }, /--pages must be at least 1/],
    [{ fetches: 0 }, /fetches/],
    [{ seed: -1 }, /seed/],
    [{ domains: 0 }, /0 domains/],
    [{ mix: { farm: 2 } }, /share of "farm"/],
  ] as const)('refuses %j and says why', async (flags, why) => {
    await expect(run(flags)).rejects.toThrow(why);
  });

  test('refuses bad numbers on the command line', async () => {
    const parse = (...words: string[]) => {
      const program = new Command().exitOverride();
      register(program);
      return program.parseAsync(['node', 'drumlin', 'lab', 'run', ...words]);
    };
    await expect(parse('--pages', 'many')).rejects.toThrow(/"many" is not a whole number/);
    await expect(parse('--delay', '4x')).rejects.toThrow(/"4x" is not a time/);
    await expect(parse('--mix', 'farm')).rejects.toThrow(/not a share/);
  });
});
