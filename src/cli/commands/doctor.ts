/** `drumlin doctor`: looks whether this machine is as a crawl needs it, and says what to change. */
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
  drumlin doctor                                   this machine, crawls kept in the folder one is in
  drumlin doctor /srv/crawls --agents 8            another disk, more agents
  drumlin doctor --url https://example.org/        the way to a site, and the clock beside its server’s

It looks at Node, memory, open files, free room, the disk’s speed (64 MB are written and deleted), name servers and
the clock. Each line says ok, fair (it works, but could work better) or bad; it leaves with 9 when one is bad.
`;

export function register(program: Command): void {
  program
    .command('doctor')
    .description('look whether this machine is as a crawl needs it, and say what to change')
    .argument('[folder]', 'where crawls are to be kept', '.')
    .option('--agents <count>', 'how many agents are to crawl (default: one per core)')
    .option('--dns <servers>', 'name servers to ask, host:port, instead of the system’s')
    .option('--url <url>', 'a page to ask for, once')
    .option('--json', 'print one object a line')
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
