/** Any command line is refused with an error for the user, or is a crawl that cannot begin. */
import { Command, CommanderError } from 'commander';
import { afterEach, expect, test } from 'vitest';
import { DrumlinError } from '../../src/base/errors.ts';
import { register } from '../../src/cli/commands/crawl.ts';
import { type CrawlOptions, resolveConfig, SETTING_ROWS } from '../../src/config/settings.ts';
import { mutate, type Random, randomFrom } from './mutation.ts';

const VALUES = [
  '10s',
  '4 MiB',
  '1e9',
  '-1',
  '0',
  'many',
  '',
  '∞',
  'a,b',
  '127.0.0.0/8',
  '[::1]:53',
  '/(a+)+$/',
  'http://[',
  '*',
  '9'.repeat(400),
];
const EXAMPLES = VALUES.map((value) => Buffer.from(value));
const WORDS = [',', ' ', '/', ':', '.', '%', 'k', 'ms', '\0', '\n'].map((word) =>
  Buffer.from(word),
);

afterEach(() => {
  process.exitCode = 0;
});

const value = (random: Random): string =>
  random(3) === 0
    ? VALUES[random(VALUES.length)]
    : mutate(EXAMPLES, WORDS, random).toString('utf8');

test('any value of any setting is accepted or refused', () => {
  const random = randomFrom(1);
  let refused = 0;
  for (let round = 0; round < 4000; round++) {
    const [key] = SETTING_ROWS[random(SETTING_ROWS.length)];
    try {
      resolveConfig({ [key]: value(random) } as CrawlOptions);
    } catch (error) {
      expect(error).toBeInstanceOf(DrumlinError);
      refused++;
    }
  }
  expect(refused).toBeGreaterThan(200);
});

test('any words are refused, or lack a contact', async () => {
  const random = randomFrom(2);
  // Without a contact, and without permission for private addresses, no crawl can reach a server.
  const settings = SETTING_ROWS.filter(([key]) => key !== 'contact' && key !== 'allowPrivate');
  const word = (): string => {
    const { flag } = settings[random(settings.length)][1];
    return [
      `--${flag}`,
      `--${flag}=${value(random)}`,
      value(random),
      'http://a.test/',
      '--json',
      '--',
    ][random(6)];
  };
  for (let round = 0; round < 250; round++) {
    const program = new Command()
      .exitOverride()
      .configureOutput({ writeOut: () => {}, writeErr: () => {} });
    register(program);
    for (const command of program.commands)
      command.exitOverride().configureOutput({ writeErr: () => {} });
    const args = ['crawl', ...Array.from({ length: random(6) }, word)];
    const ended = await program.parseAsync(args, { from: 'user' }).then(
      () => 'crawled',
      (error) => error,
    );
    if (!(ended instanceof DrumlinError))
      expect(ended, args.join(' ')).toBeInstanceOf(CommanderError);
  }
});
