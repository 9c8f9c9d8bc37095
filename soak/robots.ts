/**
 * `npm run soak -- robots <tar.gz of robots.txt files> [python]`: the verdicts of `drumlin robots` on
 * real files beside those of Google's matcher (`pip install gpyrobotstxt==1.0.0` for that Python).
 * Every difference must have one of the reasons that docs/robots.md names.
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseRobots } from '../src/robots/parse-robots.ts';
import { robotsTarget } from '../src/robots/report.ts';

const PEER = join(import.meta.dirname, '../bench/peers/robots/google_peer.py');
const ORIGIN = 'http://lab.test';
/** Agents of a file that are tried beside our own. */
const MOST_AGENTS = 12;
const MOST_URLS = 60;

interface Difference {
  readonly file: string;
  readonly agent: string;
  readonly url: string;
  readonly ours: boolean;
  readonly rule: string;
}

export async function run([archive, python = 'python3']: string[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'drumlin-robots-'));
  try {
    execFileSync('tar', ['xzf', archive, '-C', folder]);
    const files = filesIn(folder);
    const { verdicts, differences } = await compare(files, python);
    report(files.length, verdicts, differences);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true })
    .map((name) => join(folder, String(name)))
    .filter((path) => statSync(path).isFile())
    .sort();
}

async function compare(files: readonly string[], python: string) {
  const peer = spawn(python, [PEER], { stdio: ['pipe', 'pipe', 'inherit'] });
  const answers = createInterface({ input: peer.stdout })[Symbol.asyncIterator]();
  const differences: Difference[] = [];
  let verdicts = 0;
  for (const file of files) {
    const bytes = readFileSync(file);
    const text = bytes.toString('latin1');
    const urls = urlsOf(text);
    for (const agent of agentsOf(text)) {
      peer.stdin.write(`${JSON.stringify({ file, agent, urls })}\n`);
      const { value, done } = await answers.next();
      if (done) throw new Error('the peer has ended');
      const theirs: boolean[] = JSON.parse(value);
      const rules = parseRobots(bytes, agent);
      for (const [i, url] of urls.entries()) {
        verdicts++;
        const { allowed: ours, rule = '' } = rules.verdict(robotsTarget(url, undefined).path);
        if (ours !== theirs[i]) differences.push({ file, agent, url, ours, rule });
      }
    }
  }
  peer.stdin.end();
  return { verdicts, differences };
}

/** The agents that a file names, as Google reads names: letters, `-` and `_`. */
function agentsOf(text: string): string[] {
  const named = [...text.matchAll(/^[ \t]*user-?agent[ \t]*:[ \t]*([a-z_-]+)/gim)].map(
    ([, name]) => name,
  );
  return ['drumlin', ...new Set(named)].slice(0, 1 + MOST_AGENTS);
}

/** URLs on both sides of each rule, in ASCII: what a matcher does with other bytes is not defined. */
function urlsOf(text: string): string[] {
  const values = [...text.matchAll(/^[ \t]*(?:dis)?allow[ \t]*:[ \t]*([!-"$-~]+)/gim)];
  const paths = values.flatMap(([, value]) => {
    const plain = value.replaceAll('*', 'x').replace(/\$$/, '');
    return [plain, `${plain}x`, `${plain}/y?z=1`, plain.slice(0, -1)];
  });
  const usable = ['/', '/index.html', '/a?b=c', ...paths].filter((path) => path.startsWith('/'));
  return [...new Set(usable.filter((path) => !path.startsWith('//') && path !== '/robots.txt'))]
    .slice(0, MOST_URLS)
    .map((path) => ORIGIN + path)
    .filter((url) => URL.canParse(url));
}

/** The reasons of docs/robots.md, by what shows them. */
function reasonOf({ url }: Difference): string | undefined {
  const path = url.slice(ORIGIN.length);
  if (new URL(url).pathname + new URL(url).search !== path && !path.endsWith('?'))
    return 'canonical';
  return undefined;
}

function report(files: number, verdicts: number, differences: readonly Difference[]): void {
  const reasons = new Map<string, number>();
  for (const difference of differences) {
    const reason = reasonOf(difference) ?? 'not explained';
    reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    if (reason === 'not explained') console.log(JSON.stringify(difference));
  }
  console.log(`${files} files, ${verdicts} verdicts, ${differences.length} differ`);
  for (const [reason, n] of reasons) console.log(`${String(n).padStart(6)}  ${reason}`);
  if (reasons.has('not explained')) process.exitCode = 1;
}
