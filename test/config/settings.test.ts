import { availableParallelism } from 'node:os';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DrumlinError } from '../../src/base/errors.ts';
import {
  agentCount,
  type CrawlOptions,
  resolveConfig,
  SETTING_ROWS,
} from '../../src/config/settings.ts';

describe('values of settings', () => {
  test.each([
    [{ scope: 'domain' }, { scope: 'domain' }],
    [{ agents: '4' }, { agents: 4 }],
    [{ agents: 'cores' }, { agents: 'cores' }],
    [{ types: 'Text/*, application/pdf' }, { types: ['text/*', 'application/pdf'] }],
    [{ types: ['text/html'] }, { types: ['text/html'] }],
    [{ types: 'all' }, { types: [] }],
    [{ include: '*/a,b/* /x{1,2}/' }, { include: ['*/a,b/*', '/x{1,2}/'] }],
    [{ exclude: ['*.zip', '/\\.iso$/i'] }, { exclude: ['*.zip', '/\\.iso$/i'] }],
    [{ exclude: '' }, { exclude: [] }],
    [{ maxBytes: '1.5G' }, { maxBytes: 1.5e9 }],
    [{ maxPagesPerHost: '20k' }, { maxPagesPerHost: 20_000 }],
    [{ maxCrawlDelay: '2m' }, { maxCrawlDelay: 120_000 }],
    [{ insecure: 'true' }, { insecure: true }],
    [{ insecure: false }, { insecure: false }],
    [{ proxy: 'http://user:word@proxy.test:3128' }, { proxy: 'http://user:word@proxy.test:3128' }],
    [{ proxy: '' }, { proxy: '' }],
    [{ allowPrivate: ['10.0.0.0/8'] }, { allowPrivate: ['10.0.0.0/8'] }],
    [{ allowPrivate: [] }, { allowPrivate: [] }],
  ] as [CrawlOptions, object][])('%j means %j', (options, meaning) => {
    expect(resolveConfig(options)).toMatchObject(meaning);
  });

  test.each([
    [
      { scope: 'hots' },
      'scope: "hots" is not a valid scope. Use one of host, domain, prefix, parent, any.',
    ],
    [
      { scope: 5 },
      'scope: 5 is not a valid value (scope). Pass it as text, as on the command line.',
    ],
    [
      { agents: '0' },
      'agents: "0" is not a number of agents. Use 1 to 1024, or cores for one per core.',
    ],
    [{ agents: '2.5' }, 'agents: "2.5" is not a number of agents.'],
    [{ agents: '' }, 'agents: "" is not a number of agents.'],
    [{ agents: 0 }, 'agents: 0 is not a valid value'],
    [{ agents: 2000 }, 'agents: 2000 is not a valid value'],
    [{ types: 'html' }, 'types: "html" is not a content type. Write it like text/html'],
    [{ types: ['text/html', 'pdf'] }, 'types: "pdf" is not a content type.'],
    [{ include: 'docs' }, 'include: The pattern docs can match no URL'],
    [{ include: ['*', '/(/'] }, 'include: The pattern /(/ is not a regular expression'],
    [{ exclude: '/(?!a)b/' }, 'exclude: The pattern /(?!a)b/ has look-around'],
    [{ exclude: 7 }, 'exclude: 7 is not a valid value (pattern).'],
    [{ insecure: 'yes' }, 'insecure: "yes" is neither true nor false. Use true or false.'],
    [{ insecure: 1 }, 'insecure: 1 is not a valid value (true/false).'],
    [
      { proxy: 'proxy.test:3128' },
      'proxy: The value is not the URL of an HTTP proxy. Write it like http://',
    ],
    [{ proxy: 'socks5://proxy.test' }, 'is not the URL of an HTTP proxy.'],
    [{ proxy: 'http://proxy.test/path' }, 'is not the URL of an HTTP proxy.'],
    [{ maxPages: 1.5 }, 'max-pages: 1.5 is not a valid value (count).'],
    [{ maxPages: '0' }, 'max-pages: 0 is out of range. Use 1 or more.'],
    [{ maxPagesPerHost: '0' }, 'max-pages-per-host: 0 is out of range. Use 1 or more.'],
    [{ maxUrlLength: '9000' }, 'max-url-length: 9000 is out of range. Use 1 to 8000.'],
    [{ maxBytes: '0' }, 'max-bytes: 0 is out of range. Use 1 B or more.'],
    [{ frontHosts: 0 }, 'front-hosts: 0 is out of range.'],
    [{ backlogMemory: '1k' }, 'backlog-memory: 1000 is out of range. Use 66 kB or more.'],
    [{ maxCrawlDelay: '60x' }, 'max-crawl-delay: "60x" is not a time.'],
    [{ dns: 5 }, 'dns: 5 is not a valid value (list).'],
    [{ allowPrivate: [5] }, 'allow-private: 5 is not a valid value (ranges).'],
    [{ delay: [1] }, 'delay: 1 is out of range.'],
    [{ maxDept: 5 }, 'There is no setting "maxDept". Did you mean "maxDepth"?'],
  ] as [CrawlOptions, string][])('%j is refused with the remedy', (options, words) => {
    expect(() => resolveConfig(options)).toThrow(DrumlinError);
    expect(() => resolveConfig(options)).toThrow(words);
  });

  test('every setting accepts or refuses any text, number, boolean and list, and never crashes', () => {
    const given = fc.oneof(
      fc.string(),
      fc.double(),
      fc.boolean(),
      fc.array(fc.oneof(fc.string(), fc.integer())),
      fc.constantFrom('', 'true', 'false', 'all', 'cores', '/', '//', '*', ',', '-1', '1e9', ' 5 '),
    );
    const keys = SETTING_ROWS.map(([key]) => key);
    fc.assert(
      fc.property(fc.constantFrom(...keys), given, (key, value) => {
        try {
          const config = resolveConfig({ [key]: value } as CrawlOptions);
          expect(resolveConfig({ [key]: config[key] })[key]).toEqual(config[key]);
        } catch (error) {
          expect(error).toBeInstanceOf(DrumlinError);
        }
      }),
      { numRuns: 2000 },
    );
  });

  test('a configuration stored as JSON resolves to the same values', () => {
    const config = resolveConfig({
      include: '*/a/* /b/',
      types: 'text/*',
      agents: '2',
      insecure: 'true',
      scope: 'host',
    });
    const stored = JSON.parse(
      JSON.stringify(config),
      (_, value) => value ?? Infinity,
    ) as CrawlOptions;
    expect(resolveConfig(stored)).toEqual(config);
  });

  test('there are as many agents as cores, or as many as the setting asks for', () => {
    expect(agentCount(resolveConfig({}))).toBe(availableParallelism());
    expect(agentCount(resolveConfig({ agents: 3 }))).toBe(3);
  });
});
