/**
 * `drumlin web`: serves the synthetic web until Ctrl-C.
 */
import type { Command } from 'commander';
import { DrumlinError } from '../errors.ts';
import { parseCount } from '../units.ts';

interface WebFlags {
  seed: number;
  scenario: string;
  domains?: number;
  pages?: number;
  step: number;
  port: number;
  dnsPort: number;
  mix?: Record<string, number>;
  oneAddress?: boolean;
  realSuffixes?: boolean;
  json?: boolean;
}

export function register(program: Command): void {
  program
    .command('web')
    .description('Serve a synthetic web on loopback: HTTP and DNS, every page computed from the seed.')
    .option('--seed <number>', 'another seed is another web', parseCount, 1)
    .option('--scenario <name>', 'what it is made of: clean or site', 'clean')
    .option('--domains <count>', 'domains at step 0', parseCount)
    .option('--pages <count>', 'mean pages a domain (exact with --scenario site)', parseCount)
    .option('--step <months>', 'how long after the beginning', parseCount, 0)
    .option('--port <port>', 'for HTTP; 0 takes a free one', parsePort, 0)
    .option('--dns-port <port>', 'for DNS over UDP; 0 takes a free one', parsePort, 0)
    .option('--mix <kind=share>', 'another share of a kind; may be repeated', addShare)
    .option('--one-address', 'all hosts at 127.0.0.1, where the rest of 127.0.0.0/8 does not exist')
    .option('--real-suffixes', 'names under com, org, co.uk … rather than test (closed networks only)')
    .option('--json', 'print one line of JSON when ready')
    .action(runWeb);
}

async function runWeb(flags: WebFlags): Promise<void> {
  const { startLab } = await import('../lab/index.ts');
  const { port, json, ...options } = flags;
  const lab = await startLab({ ...options, httpPort: port });
  const stop = new Promise<void>((resolve) => {
    process.once('SIGINT', resolve);
    process.once('SIGTERM', resolve);
  });
  if (json) {
    const { ports, dns, seeds } = lab;
    process.stdout.write(`${JSON.stringify({ http: ports.http, dns, seeds })}\n`);
  } else {
    process.stdout.write(
      `A web of ${lab.web.world.domains} domains, seed ${flags.seed}, step ${flags.step}.\n`,
    );
    process.stdout.write(`  start at  ${lab.seeds[0]}\n  DNS       ${lab.dns}\n`);
    process.stdout.write(
      `Crawl it:  drumlin crawl ${lab.seeds[0]} --dns ${lab.dns} --allow-private\nCtrl-C ends it.\n`,
    );
  }
  await stop;
  await lab.close();
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

/** `farm=5%` or `farm=0.05`. */
function addShare(text: string, before: Record<string, number> = {}): Record<string, number> {
  const match = /^([a-z][a-z0-9-]*)=(\d+(?:\.\d+)?|\.\d+)(%?)$/.exec(text);
  if (!match)
    throw new DrumlinError(
      'VALUE',
      `"${text}" is no share of a kind.`,
      'Write it like farm=5% or farm=0.05.',
    );
  return { ...before, [match[1]]: Number(match[2]) / (match[3] ? 100 : 1) };
}
