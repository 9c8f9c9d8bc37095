/** Drumlin in the benchmark of crawls, with the settings that are compared. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CONCURRENCY, type Contender, type Result, resultOf } from '../peers/crawl/contender.ts';
import { BIN, type Web } from '../web/start.ts';
import { sharesOf } from './profile.ts';

/** Values to compare, separated by commas: the first is the base. */
export interface Settings {
  readonly agents: string;
  readonly order: string;
  readonly compress: string;
  readonly store: string;
  /** Pages after which a crawl counts as warm. */
  readonly warm: number;
  /** One more run of the base, which shows where its time goes. */
  readonly profile: boolean;
  /** Further flags of all crawls. */
  readonly flags: readonly string[];
}

type Choice = Record<'agents' | 'order' | 'compress' | 'store', string>;

/** The base, and for each other value the base with it. */
export function drumlin(settings: Settings): Contender[] {
  const lists = Object.entries(settings)
    .filter(([name]) => ['agents', 'order', 'compress', 'store'].includes(name))
    .map(([name, values]) => [name, values.split(',')] as [keyof Choice, string[]]);
  const base = Object.fromEntries(lists.map(([name, [first]]) => [name, first])) as Choice;
  const others = lists.flatMap(([name, [, ...rest]]) =>
    rest.map((value) => ({ ...base, [name]: value })),
  );
  const version = spawnSync(process.execPath, [BIN, '--version'], { encoding: 'utf8' });
  const contender = (choice: Choice, profiled: boolean): Contender => ({
    name: `Drumlin ${version.stdout.trim()}${nameOf(choice)}${profiled ? ', profiled' : ''}`,
    does: [
      choice.store === 'none' ? [] : [`WARC with digests, ${choice.compress}`],
      'robots.txt, DNS; queues on disk, checkpoints',
    ]
      .flat()
      .join('; '),
    share: 1,
    run: (web, pages) => crawl(web, pages, choice, settings, profiled),
  });
  const all = [base, ...others].map((choice) => contender(choice, false));
  return settings.profile ? [...all, contender(base, true)] : all;
}

/** What differs from the defaults of a crawl, as flags. */
function nameOf({ agents, order, compress, store }: Choice): string {
  const flags = [
    order === 'budget' ? '' : `--order ${order}`,
    compress === 'gzip' ? '' : `--compress ${compress}`,
    store === 'warc' ? '' : `--store ${store}`,
    agents === '1' ? '' : `--agents ${agents}`,
  ].filter(Boolean);
  return flags.length > 0 ? ` ${flags.join(' ')}` : '';
}

async function crawl(
  { dns, seeds }: Web,
  pages: number,
  choice: Choice,
  { warm, flags }: Settings,
  profiled: boolean,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'drumlin-bench-'));
  const dir = join(folder, 'crawl');
  const { agents, order, compress, store } = choice;
  const speed = ['--delay', '0', '--fetches', CONCURRENCY, '--agents', agents, '--order', order];
  const keep = store === 'none' ? ['--store', store] : ['--store', store, '--compress', compress];
  const own = ['--dir', dir, '--dns', dns, '--allow-private', '--max-pages', String(pages)];
  const points: Point[] = [];
  const look = () => addPoint(points, join(dir, 'status.json'));
  const profiles = join(folder, 'profiles');
  const node = profiled ? ['--cpu-prof', '--cpu-prof-dir', profiles] : [];
  try {
    const args = [...node, BIN, 'crawl', ...seeds, ...own, ...speed, ...keep, '--json', ...flags];
    const result = await resultOf({ command: process.execPath, args, look });
    look();
    const rates = coldAndWarm(points, warm);
    if (!profiled) return { ...result, ...rates };
    const seconds = pages / (rates.warm ?? result.pages / result.cpuSeconds);
    const shares = Object.entries(sharesOf(profiles));
    const parts = Object.fromEntries(shares.map(([part, share]) => [part, share * seconds]));
    return { ...result, ...rates, parts };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Pages and processor time of a process, from its own status. */
interface Point {
  readonly pages: number;
  readonly cpuSeconds: number;
}

function addPoint(points: Point[], path: string): void {
  try {
    const { pages, cpuSeconds } = JSON.parse(readFileSync(path, 'utf8')) as Point;
    if (pages > (points.at(-1)?.pages ?? 0)) points.push({ pages, cpuSeconds });
  } catch {
    // No status yet, or the crawl writes none.
  }
}

/** Processor time is known every few seconds only; between two points it is linear. */
function coldAndWarm(points: readonly Point[], warm: number): Pick<Result, 'cold' | 'warm'> {
  const after = points.findIndex(({ pages }) => pages > warm);
  const [from, to, last] = [points[after - 1], points[after], points.at(-1)];
  if (!from || !to || !last) return {};
  const part = (warm - from.pages) / (to.pages - from.pages);
  const cpuSeconds = from.cpuSeconds + part * (to.cpuSeconds - from.cpuSeconds);
  return {
    cold: warm / cpuSeconds,
    warm: (last.pages - warm) / (last.cpuSeconds - cpuSeconds),
  };
}
