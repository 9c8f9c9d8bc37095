/** `drumlin repair`: verify the state of a crawl, and make what is damaged anew. */
import type { Command } from 'commander';
import { EXIT } from '../../base/errors.ts';
import { counted, formatCount } from '../../base/units.ts';
import type { RepairReport } from '../../crawl/repair/repair.ts';
import { examples } from '../input/example.ts';
import { jsonLine, printable } from '../screen/printable.ts';

interface RepairFlags {
  readonly check?: boolean;
  readonly json?: boolean;
}

export function register(program: Command): void {
  program
    .command('repair')
    .argument('<folder>', 'folder of a crawl')
    .description('verify every state file of a crawl, and rebuild what is damaged')
    .addHelpText('after', examples('repair my-crawl', 'repair my-crawl --check'))
    .option('--check', 'only verify; exit with 8 if something is damaged')
    .option('--json', 'print JSON lines')
    .action(async (folder: string, flags: RepairFlags) => {
      const code = await repair(folder, flags, process.stdout);
      if (code !== EXIT.ok) process.exitCode = code;
    });
}

/** Returns the exit code. */
export async function repair(
  dir: string,
  { check = false, json = false }: RepairFlags,
  output: { write(text: string): unknown },
): Promise<typeof EXIT.ok | typeof EXIT.damaged> {
  const [{ repairCrawl }, { Disk }, { systemClock }] = await Promise.all([
    import('../../crawl/repair/repair.ts'),
    import('../../disk/disk.ts'),
    import('../../base/clock.ts'),
  ]);
  const report = await repairCrawl({
    ...{ disk: new Disk(), dir, clock: systemClock, check },
    onDamage: (damage) =>
      void output.write(json ? jsonLine(damage) : `${printable(damage.fact)}\n`),
  });
  output.write(json ? jsonLine({ dir, ...report }) : summary(dir, report));
  return check && report.damages.length > 0 ? EXIT.damaged : EXIT.ok;
}

function summary(dir: string, { files, damages, repaired }: RepairReport): string {
  if (damages.length === 0)
    return `${dir}: nothing to repair, ${counted(files, 'state file')} verified\n`;
  const found = `${dir}: ${counted(damages.length, 'damaged file')} of ${formatCount(files)}`;
  if (!repaired) return `${found}\n`;
  const { agents, fetched, queuedBefore, salvaged, queued } = repaired;
  return (
    `${found}, ${counted(agents.length, 'agent')} rebuilt\n` +
    `  ${counted(fetched, 'URL')} in the archive: not fetched again\n` +
    `  ${formatCount(queuedBefore)} URLs were queued before, ${formatCount(salvaged)} were read ` +
    `from whole files; links of archived pages are read again\n` +
    `  ${counted(queued, 'URL')} queued now\n` +
    `Resume with "drumlin crawl --dir ${dir}".\n`
  );
}
