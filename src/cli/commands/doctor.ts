/** `drumlin doctor`: check that this machine is ready to crawl, and print what to change. */
import type { Command } from 'commander';
import { EXIT } from '../../base/errors.ts';
import { parseCount } from '../../base/units.ts';
import type { Finding } from '../../doctor/finding.ts';

interface DoctorFlags {
  readonly agents?: string;
  readonly dns?: string;
  readonly url?: string;
  readonly json?: boolean;
}

const EXAMPLES = `
Examples:
  drumlin doctor                                   check this machine and the disk of the current folder
  drumlin doctor /srv/crawls --agents 8            check another disk, for more agents
  drumlin doctor --url https://example.org/        also fetch a page, and compare the clocks

It checks Node, memory, open files, free disk space, disk speed (it writes and deletes 64 MB), name servers
and the clock. Each line starts with ok, fair (works, but could be better) or bad.

Exit codes: 0 ready to crawl, 9 at least one check is bad.
`;

export function register(program: Command): void {
  program
    .command('doctor')
    .description('check that this machine is ready to crawl')
    .argument('[folder]', 'the folder for crawls', '.')
    .option('--agents <count>', 'number of agents (default: one per core)')
    .option('--dns <servers>', 'name servers, host:port (default: those of the system)')
    .option('--url <url>', 'a page to fetch once')
    .option('--json', 'print one object per line')
    .addHelpText('after', EXAMPLES)
    .action(async (folder: string, flags: DoctorFlags) => {
      process.exitCode = await run(folder, flags);
    });
}

async function run(folder: string, { agents, dns, url, json }: DoctorFlags): Promise<number> {
  const [{ examine }, { agentCount, resolveConfig }, { canonicalSeed }] = await Promise.all([
    import('../../doctor/index.ts'),
    import('../../config/settings.ts'),
    import('../../crawl/state/seeds.ts'),
  ]);
  const config = resolveConfig({ ...(dns !== undefined && { dns }) });
  const findings = examine({
    folder,
    agents: agents === undefined ? agentCount(config) : parseCount(agents),
    dns: config.dns,
    url: url === undefined ? undefined : canonicalSeed(url),
  });
  let isFit = true;
  for await (const finding of findings) {
    process.stdout.write(`${json ? JSON.stringify(finding) : lineOf(finding)}\n`);
    isFit &&= finding.verdict !== 'bad';
  }
  return isFit ? EXIT.ok : EXIT.unfit;
}

export function lineOf({ verdict, check, fact, remedy }: Finding): string {
  return `${verdict.padEnd(5)} ${check.padEnd(7)} ${fact}${remedy === undefined ? '' : `. ${remedy}`}`;
}
