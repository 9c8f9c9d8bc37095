/**
 * `drumlin web` serves the synthetic web until Ctrl-C; `drumlin web truth` prints what each of its
 * domains really is, `drumlin web queries` what people search for.
 */
import { type Command, Option } from 'commander';
import { DrumlinError } from '../../base/errors.ts';
import { formatCount, parseCount, parseDuration } from '../../base/units.ts';
import type { Truth } from '../../lab/judge/truth.ts';
import type { LabOptions } from '../../lab/server/lab.ts';
import { examples } from '../input/example.ts';
import { STOP_SIGNALS } from '../input/interrupt.ts';
import { addShare } from '../input/share.ts';

/** Ports in the URLs of pages, where nothing listens. */
const [HTTP, HTTPS] = [8080, 8443];

interface WebFlags {
  seed: number;
  scenario: string;
  mix?: Record<string, number>;
  domains?: number;
  pages?: number;
  step: number;
  realSuffixes?: boolean;
}

interface ServeFlags extends WebFlags {
  port: number;
  httpsPort: number;
  dnsPort: number;
  controlPort: number;
  log?: string;
  caFile?: string;
  patience: number;
  oneAddress?: boolean;
  addresses?: number;
  json?: boolean;
}

export function register(program: Command): void {
  const web = describeWeb(program.command('web'))
    .description(
      'serve a synthetic web on loopback: HTTP, TLS and DNS, every page computed from a seed',
    )
    .addHelpText(
      'after',
      examples(
        'web                                              # prints the command to crawl it; stop it with Ctrl-C',
        'web --scenario hostile --ca-file ca.pem',
        'web --scenario mixed --mix farm=5% --domains 100k --log requests.jsonl',
      ),
    )
    .option('--port <port>', 'HTTP port; 0 takes a free one', parsePort, 0)
    .option(
      '--https-port <port>',
      'TLS port, if the scenario uses TLS; 0 takes a free one',
      parsePort,
      0,
    )
    .option('--dns-port <port>', 'port for DNS over UDP; 0 takes a free one', parsePort, 0)
    .option(
      '--control-port <port>',
      'port of the page about this web; 0 takes a free one',
      parsePort,
      0,
    )
    .option('--log <file>', 'append one line of JSON per request')
    .option('--ca-file <file>', 'write the certificate authority here instead of printing it')
    .option('--patience <time>', 'how long slow servers wait', parseDuration, 5000)
    .option('--one-address', 'put all hosts at 127.0.0.1, where other 127.x addresses do not work')
    .option('--addresses <count>', 'spread the hosts evenly over this many addresses', parseCount)
    .option('--json', 'print one line of JSON when ready')
    .action((flags: ServeFlags) => serveWeb(flags));
  addTruth(web);
  addQueries(web);
}

function addTruth(web: Command): void {
  describeWeb(web.command('truth'))
    .description(
      'print what each domain or document of a web really is, or what became of each page (hidden from crawlers)',
    )
    .addHelpText(
      'after',
      examples(
        'web truth --scenario spam --seed 7',
        'web truth --scenario mixed --domains 1000 --json',
        'web truth --level page --step 11 --domains 100',
        'web truth --level document --scenario papers --domains 1000',
        'web truth --stories queries --step 2 --domains 1000 > queries.tsv',
        'web truth --stories judgements --step 2 --domains 1000 > judgements.txt',
      ),
    )
    .addOption(
      new Option(
        '--level <level>',
        'domain: kind, role, pages, behaviours, trick and its strength, group, address; page: pages of step 0, whether alive, answer, changed; document: kind, whether useful, citations, the step of its birth',
      )
        .choices(['domain', 'page', 'document'])
        .default('domain'),
    )
    .addOption(
      new Option(
        '--stories <what>',
        'instead: what was in the news up to the step, as queries (number, words, day) or as judgements (number, 0, URL, 1) in the formats of TREC',
      ).choices(['queries', 'judgements']),
    )
    .option('--urls <file>', 'with --level page: the truth of these URLs, one per line')
    .option(
      '--port <port>',
      'with --level page or document: HTTP port in the URLs',
      parsePort,
      HTTP,
    )
    .option(
      '--https-port <port>',
      'with --level page or document: TLS port in the URLs',
      parsePort,
      HTTPS,
    )
    .option('--json', 'print one object per line instead of a table')
    .action((_own: unknown, command: Command) =>
      printTruth({
        ...command.optsWithGlobals<TruthFlags>(),
        ...typedFlags(command),
      }),
    );
}

function addQueries(web: Command): void {
  web
    .command('queries')
    .description(
      'print the words that people search for on these webs, with weights: the queries of spam features',
    )
    .addHelpText('after', examples('web queries > queries.tsv', 'web queries --json'))
    .option('--json', 'print one object per line instead of a table')
    .action((_own: unknown, command: Command) =>
      printQueries(command.optsWithGlobals<{ json?: boolean }>().json === true),
    );
}

/** Adds the flags that define the web. */
function describeWeb(command: Command): Command {
  return command
    .option('--seed <number>', 'random seed; each seed gives another web', parseCount, 1)
    .option(
      '--scenario <name>',
      'clean, mixed, spam, attack, hostile, site, papers or scripted',
      'clean',
    )
    .option(
      '--mix <part=share>',
      'change the share of a kind or behaviour, such as farm=5%; may be repeated',
      addShare,
    )
    .option('--domains <count>', 'number of domains at step 0', parseCount)
    .option(
      '--pages <count>',
      'mean number of pages per domain (the exact number with --scenario site)',
      parseCount,
    )
    .option('--step <months>', 'age of the web in months', parseCount, 0)
    .option(
      '--real-suffixes',
      'use names under com, org, co.uk … instead of test (closed networks only)',
    );
}

/** The file of the lab's certificate in the crawl command that is printed. */
const CA_FILE = 'lab-ca.pem';

async function serveWeb({ port, json, caFile, ...flags }: ServeFlags): Promise<void> {
  const { startLabThread } = await import('../../lab/server/thread.ts');
  // `close` throws the reason if the web has ended by itself.
  const { promise: stop, resolve: end } = signalled();
  const lab = await startLabThread({ ...flags, httpPort: port }, end);
  try {
    if (caFile !== undefined && lab.ca !== undefined) await writeAuthority(caFile, lab.ca);
    const { ports, dns, seeds, ca } = lab;
    if (json) {
      process.stdout.write(
        `${JSON.stringify({ ...ports, httpPort: ports.http, dns, seeds, ...(ca && { ca }) })}\n`,
      );
    } else {
      const { world } = lab.web;
      process.stdout.write(
        `A web of ${formatCount(world.domains)} domains: ${flags.scenario}, seed ${world.seed}, step ${world.step}.\n` +
          `  HTTP     port ${ports.http}${ports.https ? `, TLS port ${ports.https}` : ''}\n` +
          `  DNS      ${dns}\n` +
          `  about    http://127.0.0.1:${ports.control}/\n` +
          `${ca && caFile === undefined ? `\n${ca}\nSave this certificate as ${CA_FILE}, or start with --ca-file ${CA_FILE}.\n` : ''}` +
          `Crawl it:  drumlin crawl ${seeds[0]} --dns ${dns} --allow-private${ca ? ` --ca ${caFile ?? CA_FILE}` : ''}\n` +
          'Press Ctrl-C to stop.\n',
      );
    }
    await stop;
  } finally {
    await lab.close();
  }
}

/** Resolves at the first signal that asks to stop; a second one ends the process. */
function signalled(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  for (const signal of STOP_SIGNALS) process.once(signal, resolve);
  return { promise, resolve };
}

async function writeAuthority(path: string, pem: string): Promise<void> {
  const { writeFile } = await import('node:fs/promises');
  await writeFile(path, pem).catch((error: unknown) => {
    throw new DrumlinError('LAB_CA', `${path} cannot be written.`, 'Choose another --ca-file.', {
      cause: error,
    });
  });
}

/** The flags given after this command; otherwise defaults of `web` would win over them. */
function typedFlags(command: Command): Record<string, unknown> {
  const typed = ([key]: [string, unknown]) => command.getOptionValueSource(key) === 'cli';
  return Object.fromEntries(Object.entries(command.opts()).filter(typed));
}

interface TruthFlags extends WebFlags {
  level: 'domain' | 'page' | 'document';
  urls?: string;
  stories?: 'queries' | 'judgements';
  /** The port in the URLs of pages: that of `web`. */
  port: number;
  httpsPort: number;
  json?: boolean;
}

async function printTruth(flags: TruthFlags): Promise<void> {
  const lines = flags.stories === undefined ? LINES[flags.level](flags) : storyLines(flags);
  for await (const line of lines) {
    // A reader may close the pipe early (`| head`).
    if (process.stdout.destroyed) return;
    if (!process.stdout.write(`${line}\n`))
      await new Promise((done) => process.stdout.once('drain', done));
  }
}

async function* domainLines({ json, ...options }: TruthFlags): AsyncGenerator<string> {
  const { webOf } = await import('../../lab/server/lab.ts');
  const { truthAt } = await import('../../lab/judge/truth.ts');
  const web = webOf(options satisfies LabOptions, { http: 80, https: 443, dns: 0, control: 0 });
  if (!json) yield TRUTH_COLUMNS.join('\t');
  for (let index = 0; index < web.world.domains; index++) {
    const truth = truthAt(web, index);
    yield json ? JSON.stringify(truth) : domainCells(truth).join('\t');
  }
}

const TRUTH_COLUMNS = [
  ...['domain', 'kind', 'role', 'spam', 'pages', 'alive', 'behaviours'],
  ...['trick', 'strength', 'group', 'address'],
];

function domainCells(truth: Truth): (string | number)[] {
  const { domain, kind, role, spam, pages, alive, behaviours } = truth;
  const { trick, strength, group, address } = truth;
  return [
    ...[domain, kind, role || '-', spam ? 'spam' : '-', pages, alive ? 'alive' : 'dead'],
    ...[behaviours.join(',') || '-', trick || '-', strength, group || '-', address],
  ];
}

async function printQueries(json: boolean): Promise<void> {
  const { searchedWords } = await import('../../lab/words/queries.ts');
  const lines = searchedWords().map((query) =>
    json ? JSON.stringify(query) : `${query.word}\t${query.weight}`,
  );
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** The pages of step 0, as they are at the step given. */
async function* pageLines({ json, urls, ...options }: TruthFlags): AsyncGenerator<string> {
  const [{ webOf }, { PAGE_TRUTH_HEADING, pageTruth, pageTruths, truthCells }] = await Promise.all([
    import('../../lab/server/lab.ts'),
    import('../../lab/judge/page-truth.ts'),
  ]);
  // `web` has the same flags, and 0 means a free port there.
  const [http, https] = [options.port || HTTP, options.httpsPort || HTTPS];
  const ports = { http, https, dns: 0, control: 0 };
  const [then, now] = [webOf({ ...options, step: 0 }, ports), webOf(options, ports)];
  if (!json) yield PAGE_TRUTH_HEADING;
  const given = urls === undefined ? undefined : await readLines(urls);
  const truths = given ? given.map((url) => pageTruth(then, now, url)) : pageTruths(then, now);
  for (const truth of truths) yield json ? JSON.stringify(truth) : truthCells(truth);
}

/** The documents that can be fetched at the step given. */
async function* documentLines({ json, ...options }: TruthFlags): AsyncGenerator<string> {
  const [{ webOf }, { documentTruths }] = await Promise.all([
    import('../../lab/server/lab.ts'),
    import('../../lab/judge/document-truth.ts'),
  ]);
  const ports = { http: options.port || HTTP, https: options.httpsPort || HTTPS };
  const web = webOf(options, { ...ports, dns: 0, control: 0 });
  if (!json) yield 'url\tkind\tuseful\tcitations\tborn';
  for (const truth of documentTruths(web)) {
    const { url, kind, useful, citations, born } = truth;
    yield json
      ? JSON.stringify(truth)
      : [url, kind, useful ? 'useful' : '-', citations, born].join('\t');
  }
}

/** The stories up to the step given. */
async function* storyLines({ json, stories, ...options }: TruthFlags): AsyncGenerator<string> {
  const [{ webOf }, { storyTruths, queryLine, judgementLines }] = await Promise.all([
    import('../../lab/server/lab.ts'),
    import('../../lab/judge/story-truth.ts'),
  ]);
  const ports = { http: options.port || HTTP, https: options.httpsPort || HTTPS };
  for (const story of storyTruths(webOf(options, { ...ports, dns: 0, control: 0 }))) {
    if (json) yield JSON.stringify(story);
    else if (stories === 'queries') yield queryLine(story);
    else yield* judgementLines(story);
  }
}

const LINES = { domain: domainLines, page: pageLines, document: documentLines };

async function readLines(path: string): Promise<string[]> {
  const { readNameList } = await import('../input/name-list.ts');
  return [...(await readNameList(path)).keys()];
}

function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65535) return port;
  throw new DrumlinError(
    'VALUE',
    `"${text}" is not a port.`,
    'Give a number from 0 to 65535; 0 takes a free one.',
  );
}
