/** From the command line and the environment to seeds and settings; no crawl is run. */
import { Command } from 'commander';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { register } from '../../src/cli/commands/crawl.ts';
import type { Given } from '../../src/cli/input/configure.ts';
import { resolveLayers } from '../../src/config/configuration.ts';

const runCommand = vi.hoisted(() => vi.fn(async () => 0));
vi.mock('../../src/cli/foreground/run-crawl.ts', () => ({ runCommand }));

afterEach(() => vi.unstubAllEnvs());

async function crawl(...words: string[]) {
  runCommand.mockClear();
  const program = new Command().exitOverride();
  register(program);
  await program.parseAsync(['crawl', ...words], { from: 'user' });
  const [seeds, { layers, file }] = runCommand.mock.calls[0] as unknown as [string[], Given];
  return { seeds, file, ...resolveLayers(layers) };
}

describe('the flags of drumlin crawl', () => {
  test('a flag with a list may be repeated', async () => {
    const { seeds, config } = await crawl(
      ...['--exclude', '*/a,b/*', 'http://x.test/', '--exclude', '*.zip /\\d{1,3}/'],
      ...[
        '--dns',
        '127.0.0.1:53',
        '--dns',
        '127.0.0.1:54,127.0.0.1:55',
        '--types',
        'text/*',
        '--types',
        'image/*',
      ],
    );
    expect(seeds).toEqual(['http://x.test/']);
    expect(config.exclude).toEqual(['*/a,b/*', '*.zip', '/\\d{1,3}/']);
    expect(config.dns).toEqual(['127.0.0.1:53', '127.0.0.1:54', '127.0.0.1:55']);
    expect(config.types).toEqual(['text/*', 'image/*']);
  });

  test('a flag replaces the environment, and does not add to it', async () => {
    vi.stubEnv('DRUMLIN_EXCLUDE', '*.iso *.zip');
    expect((await crawl('http://x.test/')).config.exclude).toEqual(['*.iso', '*.zip']);
    expect((await crawl('http://x.test/', '--exclude', '*.pdf')).config.exclude).toEqual(['*.pdf']);
    expect((await crawl('http://x.test/')).sources).toMatchObject({
      exclude: 'DRUMLIN_EXCLUDE',
      delay: 'default',
    });
    expect((await crawl('http://x.test/', '--exclude', '*.pdf')).sources.exclude).toBe('--exclude');
  });

  test('a word after a flag with an optional value is a seed, unless it can be the value', async () => {
    const seedAfter = await crawl(
      '--insecure',
      'http://x.test/',
      '--allow-private',
      'http://y.test/',
    );
    expect(seedAfter.seeds.sort()).toEqual(['http://x.test/', 'http://y.test/']);
    expect(seedAfter.config).toMatchObject({ insecure: true, allowPrivate: true });
    const valueAfter = await crawl(
      's.txt',
      '--insecure',
      'false',
      '--allow-private',
      '10.0.0.0/8,fd00::/8',
    );
    expect(valueAfter.seeds).toEqual(['s.txt']);
    expect(valueAfter.config).toMatchObject({
      insecure: false,
      allowPrivate: ['10.0.0.0/8', 'fd00::/8'],
    });
  });

  test('the environment can turn a flag on or off, and a wrong value there is not a seed', async () => {
    vi.stubEnv('DRUMLIN_INSECURE', 'false');
    expect((await crawl('http://x.test/')).config.insecure).toBe(false);
    vi.stubEnv('DRUMLIN_INSECURE', 'maybe');
    await expect(crawl('http://x.test/')).rejects.toThrow(
      'insecure: "maybe" is neither true nor false.',
    );
  });

  test('--config names a file of settings, or none', async () => {
    expect((await crawl('http://x.test/')).file).toBeUndefined();
    expect((await crawl('http://x.test/', '--config', 'x.yaml')).file).toBe('x.yaml');
    expect((await crawl('http://x.test/', '--config', '')).file).toBe('');
  });

  test('help prints every default that is not empty', () => {
    const program = new Command();
    register(program);
    const help = program.commands[0].helpInformation().replace(/\s+/g, ' ');
    expect(help).toContain(
      '--scope <scope> which links to follow: host (to the hosts of the seeds)',
    );
    expect(help).toMatch(/--scope .*?\(default: any\)/);
    expect(help).toMatch(/--agents <count> .*?\(default: cores\)/);
    expect(help).toMatch(/--types <types> .*?\(default: all\)/);
    expect(help).toContain('--insecure [true/false]');
  });
});
