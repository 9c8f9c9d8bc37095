/**
 * drumlin.yaml, the layers of a configuration, and the file that `drumlin config --yaml` prints.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DrumlinError } from '../../src/base/errors.ts';
import { DEFAULT, type Layer, resolveLayers } from '../../src/config/configuration.ts';
import { parseConfiguration } from '../../src/config/configuration-file.ts';
import { configurationYaml } from '../../src/config/configuration-yaml.ts';
import {
  type CrawlConfig,
  type CrawlOptions,
  resolveConfig,
  SETTING_ROWS,
} from '../../src/config/settings.ts';
import { mutate, randomFrom } from '../fuzz/mutation.ts';

const parse = (text: string) => parseConfiguration(text, 'drumlin.yaml');

const OURS = `# ours
seeds: [https://a.test/, seeds.txt]
max-pages: 20k
delay: 2s
agents: 2
insecure: true
exclude:
  - '*.zip'
  - "*/print/*"
allow-private: 10.0.0.0/8
schedule-filter: >-
  HostEndsWith(.edu)
  and PathDepth < 4
`;

describe('drumlin.yaml', () => {
  test('has settings under the names of their flags, and seeds', () => {
    const { options, seeds, lines } = parse(OURS);
    expect(seeds).toEqual(['https://a.test/', 'seeds.txt']);
    expect(resolveConfig(options)).toMatchObject({
      maxPages: 20_000,
      delay: 2000,
      agents: 2,
      insecure: true,
      exclude: ['*.zip', '*/print/*'],
      allowPrivate: ['10.0.0.0/8'],
      scheduleFilter: 'HostEndsWith(.edu) and PathDepth < 4',
    });
    expect(lines.get('maxPages')).toBe(3);
    expect(lines.get('exclude')).toBe(7);
  });

  test.each(['', '# nothing\n', '---\n', '{}'])('may be empty: %j', (text) => {
    expect(parse(text)).toMatchObject({ options: {}, seeds: [] });
  });

  test.each([
    ['max-page: 5', 1, 'There is no setting "max-page". Did you mean "max-pages"?'],
    ['\nmaxPages: 5', 2, 'There is no setting "maxPages". Did you mean "max-pages"?'],
    ['sedes: x', 1, 'Did you mean "seeds"?'],
    ['delay: 10x', 1, 'delay: "10x" is not a time.'],
    ['delay:', 1, 'delay has no value'],
    ['delay: ~', 1, 'delay has no value'],
    ['max-pages: 5\nmax-pages: 6', 2, 'unique'],
    ['max-pages: [1, 2]', 1, 'max-pages'],
    ['max-pages: {a: 1}', 1, 'max-pages: this is not a value'],
    ['exclude: [[a]]', 1, 'exclude: this is not a value'],
    ['exclude: ["*", "/(?!a)b/"]', 1, 'has look-around'],
    ['dns: &x a\nproxy: *x', 1, 'anchors, aliases and tags'],
    ['proxy: *x', 1, 'anchors, aliases and tags'],
    ['user-agent: !!binary aGk=', 1, 'tags'],
    ['- a', 1, 'this is not a list of settings'],
    ['word', 1, 'this is not a list of settings'],
    ['a: b: c', 1, 'Nested mappings'],
    ['gzip: 1\n  x', 1, '"1 x" is not a whole number'],
    ['"unclosed', 1, 'Missing closing'],
    ['? [a]\n: b', 1, 'There is no setting ""'],
  ])('%j is refused with its line', (text, line, words) => {
    const work = () => parse(text);
    expect(work).toThrow(DrumlinError);
    expect(work).toThrow(new RegExp(`^drumlin\\.yaml:${line}: `));
    expect(work).toThrow(words);
  });

  test('any other content is read or refused', () => {
    const random = randomFrom(9);
    const words = ['&', '*', '!!', '[', ']', '{', '}', ': ', '- ', '\n', '"', '|', '>', '#', '<<'];
    let refused = 0;
    for (let round = 0; round < 1500; round++) {
      const text = mutate(
        [Buffer.from(OURS)],
        words.map((word) => Buffer.from(word)),
        random,
      ).toString('utf8');
      try {
        resolveConfig(parse(text).options);
      } catch (error) {
        expect(error).toBeInstanceOf(DrumlinError);
        refused++;
      }
    }
    expect(refused).toBeGreaterThan(300);
  });

  test('a document that would expand without end is refused at once', () => {
    const bomb = `a: &a [x]\n${Array.from({ length: 30 }, (_, i) => `b${i}: &b${i} [*a, *a, *a]`).join('\n')}`;
    expect(() => parse(bomb)).toThrow(DrumlinError);
    expect(() => parse(`user-agent: ${'x'.repeat(2 ** 20)}`)).toThrow('the file is too long');
    expect(() => parse('['.repeat(10_000))).toThrow(DrumlinError);
  });
});

describe('layers', () => {
  const layer = (name: string, options: CrawlOptions): Layer => ({ options, place: () => name });

  test('the first layer that sets a value wins, and is named', () => {
    const { config, sources } = resolveLayers([
      layer('--flag', { maxPages: '5' }),
      layer('ENV', { maxPages: '6', delay: '1s' }),
      layer('file', { delay: '2s', maxTime: '3m' }),
    ]);
    expect(config).toMatchObject({ maxPages: 5, delay: 1000, maxTime: 180_000, gzip: 1 });
    expect(sources).toMatchObject({
      maxPages: '--flag',
      delay: 'ENV',
      maxTime: 'file',
      gzip: DEFAULT,
    });
  });

  test('layers give the same as a merge of plain objects', () => {
    const options = fc.record(
      {
        maxPages: fc.constantFrom('1', '2', 'none'),
        delay: fc.constantFrom('1s', '2s'),
        insecure: fc.boolean(),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.array(options, { maxLength: 5 }), (all) => {
        const { config } = resolveLayers(
          all.map((each, i) => layer(String(i), each as CrawlOptions)),
        );
        expect(config).toEqual(resolveConfig(Object.assign({}, ...all.toReversed())));
      }),
    );
  });

  test('a wrong value is refused with its place', () => {
    expect(() => resolveLayers([layer('DRUMLIN_DELAY', { delay: 'soon' })])).toThrow(
      'DRUMLIN_DELAY: delay: "soon" is not a time.',
    );
    expect(() => resolveLayers([layer('--delay', { delay: 'soon' })])).toThrow(/^delay: "soon"/);
  });

  test('"none" removes a limit', () => {
    const { config } = resolveLayers([
      layer('--flag', { maxPages: 'none' }),
      layer('file', { maxPages: '5' }),
    ]);
    expect(config.maxPages).toBe(Infinity);
    expect(() => resolveConfig({ fetches: 'none' })).toThrow('fetches');
  });
});

describe('the file that is printed', () => {
  const sourcesOf = (source: string) =>
    Object.fromEntries(SETTING_ROWS.map(([key]) => [key, source])) as Record<
      keyof CrawlConfig,
      string
    >;

  test('gives the same values when it is read, for every setting', () => {
    const config = resolveConfig({
      scope: 'host',
      include: ['*/a b/*', '/x{1,2}"/i'].map((pattern) => pattern.replace(' ', '')),
      types: 'text/*',
      allowPrivate: '10.0.0.0/8,fd00::/8',
      delay: '1500ms',
      maxTime: '36h',
      maxBytes: '1.5G',
      maxBody: 12_345_678,
      contact: 'me@example.org, https://example.org/#me',
      userAgent: '- "odd" : *agent*',
      scheduleFilter: 'HostIs(a.test) and not Matches("/#/")',
      budget: 'rank <= 1000 ? 5000 : 10',
    });
    const text = configurationYaml({ config, sources: sourcesOf('somewhere') });
    expect(resolveConfig(parse(text).options)).toEqual(config);
    expect(parse(text).lines.size).toBe(SETTING_ROWS.length);
  });

  test('comments out settings at their default, and every such comment can be removed', () => {
    const config = resolveConfig({ delay: '3s' });
    const sources = { ...sourcesOf(DEFAULT), delay: '--delay' };
    const text = configurationYaml({ config, sources });
    expect(parse(text).options).toEqual({ delay: '3s' });
    for (const [key, { flag }] of SETTING_ROWS)
      expect(text, key).toMatch(new RegExp(`^(?:# )?${flag}: `, 'm'));
    const flags = SETTING_ROWS.map(([, { flag }]) => flag).join('|');
    const bare = text.replace(new RegExp(`^# (?=(?:${flags}): )`, 'gm'), '');
    expect(resolveConfig(parse(bare).options)).toEqual(config);
  });

  test('any size, time and count is written exactly', () => {
    const number = fc.oneof(
      fc.nat(),
      fc.nat().map((n) => n * 1024),
      fc.nat(1000).map((n) => n * 60_000),
      fc.constant(Infinity),
    );
    fc.assert(
      fc.property(number, number, (time, bytes) => {
        const config = resolveConfig({ maxTime: time, maxBytes: bytes + 1, maxDepth: time });
        const text = configurationYaml({ config, sources: sourcesOf('somewhere') });
        expect(resolveConfig(parse(text).options)).toEqual(config);
      }),
      { numRuns: 50 },
    );
  });
});
