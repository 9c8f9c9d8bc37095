/** `drumlin refresh schedule`: when to look again at each page. */
import { DrumlinError } from '../../../base/errors.ts';
import { formatCount, parseCount } from '../../../base/units.ts';
import { Disk } from '../../../disk/disk.ts';
import { makeSchedule, type Scheduled } from '../../../refresh/schedule/schedule.ts';

interface ScheduleFlags {
  readonly budget: string;
  readonly starve: 'some' | 'none';
  readonly weights: 'even' | 'pagerank';
  readonly json?: boolean;
}

export async function schedule(folders: readonly string[], flags: ScheduleFlags): Promise<void> {
  const { starve, weights, json } = flags;
  const budget = looksADay(flags.budget);
  const made = await makeSchedule(new Disk(), folders, { budget, starve, weights }, Date.now());
  process.stdout.write(json ? `${JSON.stringify(made)}\n` : scheduledText(made));
}

export function scheduledText({ path, pages, visited, due, freshness, even }: Scheduled): string {
  const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
  return `${path}: ${formatCount(pages)} pages, ${formatCount(visited)} to be visited, ${formatCount(due)} due now
expected freshness ${percent(freshness)} (${percent(even)} if all pages were visited equally often)
`;
}

const DAYS: Readonly<Record<string, number>> = { hour: 1 / 24, day: 1, week: 7, month: 30 };

/** `10k/day` as looks a day. */
export function looksADay(text: string): number {
  const match = /^(.+)\/(hour|day|week|month)$/.exec(text);
  try {
    const looks = match ? parseCount(match[1]) / DAYS[match[2]] : 0;
    if (looks > 0 && Number.isFinite(looks)) return looks;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
  }
  throw new DrumlinError(
    'BUDGET',
    `"${text}" is no budget of looks.`,
    'Write a number above 0 and a time, such as 10k/day or 500/hour.',
  );
}
