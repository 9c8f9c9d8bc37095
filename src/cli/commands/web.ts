/**
 * `drumlin web` serves the synthetic web until Ctrl-C; `drumlin web truth` prints what each of its
 * domains really is.
 */
import type { Command } from 'commander';
import { DrumlinError } from '../../base/errors.ts';
import { formatCount, parseCount, parseDuration } from '../../base/units.ts';
import type { LabOptions } from '../../lab/server/lab.ts';
import { examples } from '../input/example.ts';
import { STOP_SIGNALS } from '../input/interrupt.ts';
import { addShare } from '../input/share.ts';

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
  describeWeb(web.command('truth'))
    .description(
      'print what each domain of a web really is: kind, role, pages, behaviours (hidden from crawlers)',
    )
    .addHelpText(
      'after',
      examples(
        'web truth --scenario spam --seed 7',
        'web truth --scenario mixed --domains 1000 --json',
      ),
    )
    .option('--json', 'print one object per line instead of a table')
    .action((_own: unknown, command: Command) =>
      printTruth({
        ...command.optsWithGlobals<WebFlags & { json?: boolean }>(),
        ...typedFlags(command),
      }),
    );
}

/** Adds the flags that define the web. */
function describeWeb(command: Command): Command {
  return command
    .option('--seed <number>', 'random seed; each seed gives another web', parseCount, 1)
    .option('--scenario <name>', 'clean, mixed, spam, hostile or site', 'clean')
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

async function printTruth(flags: WebFlags & { json?: boolean }): Promise<void> {
  const { webOf } = await import('../../lab/server/lab.ts');
  const { truthAt } = await import('../../lab/judge/truth.ts');
  const { json, ...options } = flags;
  const web = webOf(options satisfies LabOptions, { http: 80, https: 443, dns: 0, control: 0 });
  if (!json) process.stdout.write('domain\tkind\trole\tspam\tpages\talive\tbehaviours\n');
  for (let index = 0; index < web.world.domains; index++) {
    const truth = truthAt(web, index);
    const { domain, kind, role, spam, pages, alive, behaviours } = truth;
    const line = json
      ? JSON.stringify(truth)
      : [
          domain,
          kind,
          role || '-',
          spam ? 'spam' : '-',
          pages,
          alive ? 'alive' : 'dead',
          behaviours.join(',') || '-',
        ].join('\t');
    // A reader may close the pipe early (`| head`).
    if (process.stdout.destroyed) return;
    if (!process.stdout.write(`${line}\n`))
      await new Promise((done) => process.stdout.once('drain', done));
  }
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
