/**
 * Each file and folder of a crawl made read-only, unreadable or another user's, one at a time: the
 * crawl is resumed right or refused in one line that names the file, and no record is lost.
 *
 * Idea      The user `nobody` resumes the crawl in a process of its own, so that this works for
 *           root too, whom no permission stops. Without root, another user's file cannot be made:
 *           a file without permissions stands for it.
 */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { archivedPages } from '../../test/crawl/archived.ts';
import { countUp, type Findings, MatrixCrawl, matrixSite } from './case.ts';

const DRUMLIN = join(import.meta.dirname, '../../bin/drumlin');
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;

/** What is done to a file or folder; its mode, and whether root owns it. */
const DENIALS = {
  'read-only': { mode: 0o444, owned: true },
  unreadable: { mode: 0o000, owned: true },
  "another user's": { mode: 0o600, owned: false },
} as const;

export async function denyEverything(
  report: (line: string) => void = () => {},
  every = 1,
): Promise<Findings> {
  spawnSync(process.execPath, [DRUMLIN, '--version']); // compiles changed sources
  const site = await matrixSite();
  const crawl = new MatrixCrawl(site);
  const folder = mkdtempSync(join(tmpdir(), 'drumlin-owners-'));
  const outcomes: Record<string, number> = {};
  const failures: string[] = [];
  let cases = 0;
  try {
    chmodSync(folder, 0o755);
    await crawl.run({ maxPages: 8 });
    const before = await archivedPages(crawl.dir);
    const chosen = ['.', ...(readdirSync(crawl.dir, { recursive: true }) as string[])]
      .flatMap((file) => Object.keys(DENIALS).map((how) => ({ file, how })))
      .filter((_, i) => i % every === 0);
    for (const { file, how } of chosen) {
      cases++;
      const dir = join(folder, String(cases));
      const { outcome, faults } = await deny(crawl.dir, dir, file, how as keyof typeof DENIALS);
      const missing = await stillThere(dir, before);
      countUp(outcomes, outcome);
      for (const fault of [...faults, ...missing]) failures.push(`${file} ${how}: ${fault}`);
      report(`${file} ${how}: ${outcome} ${[...faults, ...missing]}`);
      rmSync(dir, { recursive: true, force: true });
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
    crawl.remove();
    await site.close();
  }
  return { cases, outcomes, failures };
}

async function deny(made: string, dir: string, file: string, how: keyof typeof DENIALS) {
  cpSync(made, dir, { recursive: true });
  if (isRoot) for (const path of allIn(dir)) chownSync(path, NOBODY, NOBODY);
  const { mode, owned } = DENIALS[how];
  const path = join(dir, file);
  const isFolder = statSync(path).isDirectory();
  if (isRoot && !owned) chownSync(path, 0, 0);
  chmodSync(path, isFolder && mode === 0o444 ? 0o555 : isRoot || owned ? mode : 0o000);
  const nobody = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
  // The site is served by this process, which waits: what is left is not fetched, only resumed.
  const args = ['crawl', '--dir', dir, '--max-time', '1s', '--retries', '0', '--json'];
  const { status, stderr } = spawnSync(process.execPath, [DRUMLIN, ...args], {
    ...nobody,
    encoding: 'utf8',
    env: { ...process.env, HOME: '/tmp' },
    timeout: 60_000,
  });
  const wasRefused = status === 4 || status === 5 || status === 2;
  const lines = stderr.trim().split('\n');
  const faults = [
    ...(/^\s+at /m.test(stderr) || /Internal error/.test(stderr) ? [`a stack: ${stderr}`] : []),
    ...(status === null || status === 1 ? [`exit code ${status}: ${stderr}`] : []),
    ...(wasRefused && !lines.some((line) => line.includes(dir))
      ? [`no file named: ${stderr}`]
      : []),
  ];
  if (existsSync(path)) chmodSync(path, isFolder ? 0o755 : 0o644); // the crawl may have removed it
  return { outcome: wasRefused ? `refused (${status})` : `resumed (${status})`, faults };
}

/** Records that were in the archive and no longer are. */
async function stillThere(dir: string, before: readonly string[]): Promise<string[]> {
  try {
    const now = new Set(await archivedPages(dir));
    const lost = before.filter((url) => !now.has(url));
    return lost.length > 0 ? [`lost: ${lost}`] : [];
  } catch (error) {
    // A crawl that was refused has no index of what is there now.
    return /index/.test(String(error)) ? [] : [String(error)];
  }
}

const allIn = (dir: string): string[] => [
  dir,
  ...(readdirSync(dir, { recursive: true }) as string[]).map((name) => join(dir, name)),
];
