/**
 * `npm run soak -- robots <tar.gz of robots.txt files> <peer> [python]`: the verdicts of `drumlin
 * robots` on real files beside those of Google's matcher. Every difference must have one of the
 * reasons that docs/robots.md names.
 *
 * The peer is a fast port of the matcher of 2019. Where it differs, a slow port of the matcher of
 * 2023 decides (`pip install gpyrobotstxt==1.0.0` for that Python). This makes the peer:
 *
 *   cargo build --release --manifest-path bench/peers/robots/Cargo.toml --target-dir FOLDER
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseRobots } from '../src/robots/parse-robots.ts';
import { robotsTarget } from '../src/robots/report.ts';

const NEWER = join(import.meta.dirname, '../bench/peers/robots/google_2023.py');
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

interface Question {
  readonly file: string;
  readonly agent: string;
  readonly url: string;
}

export async function run([archive, peer, python = 'python3']: string[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'drumlin-robots-'));
  try {
    execFileSync('tar', ['xzf', archive, '-C', folder]);
    const files = filesIn(folder);
    const questions = files.flatMap(questionsOf);
    const doubtful = compare(questions, answersOf(peer, [], questions));
    const differences = compare(doubtful, answersOf(python, [NEWER], doubtful));
    console.log(`${doubtful.length} verdicts of 2019 differ`);
    report(files.length, questions.length, differences);
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

function questionsOf(file: string): Question[] {
  const text = readFileSync(file, 'latin1');
  const urls = urlsOf(text);
  return agentsOf(text).flatMap((agent) => urls.map((url) => ({ file, agent, url })));
}

function answersOf(
  peer: string,
  args: readonly string[],
  questions: readonly Question[],
): boolean[] {
  const input = questions.map(({ file, agent, url }) => `${file}\t${agent}\t${url}\n`).join('');
  const { stdout, status } = spawnSync(peer, args, { input, encoding: 'utf8', maxBuffer: 2 ** 26 });
  const answers = stdout.split('\n').slice(0, -1);
  if (status !== 0 || answers.length !== questions.length) throw new Error('the peer has failed');
  return answers.map((answer) => answer === '1');
}

function compare(questions: readonly Question[], theirs: readonly boolean[]): Difference[] {
  let last = { file: '', agent: '', rules: parseRobots(Buffer.alloc(0), '*') };
  return questions.flatMap(({ file, agent, url }, i) => {
    if (file !== last.file || agent !== last.agent)
      last = { file, agent, rules: parseRobots(readFileSync(file), agent) };
    const { allowed: ours, rule = '' } = last.rules.verdict(robotsTarget(url, undefined).path);
    return ours === theirs[i] ? [] : [{ file, agent, url, ours, rule }];
  });
}

/** The agents that a file names, if they are names to Google too: letters, `-` and `_`. */
function agentsOf(text: string): string[] {
  const lines = text.matchAll(/^[ \t]*user-?agent[ \t]*:[ \t]*([a-z_-]+)(?![a-z0-9_-])/gim);
  const named = [...lines].map(([, name]) => name);
  return ['drumlin', ...new Set(named)].slice(0, 1 + MOST_AGENTS);
}

/**
 * URLs on both sides of each rule, in ASCII: what a matcher does with other bytes is not defined.
 */
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
  return /%(?:[a-f][0-9a-f]|[0-9][a-f])/i.test(url) && url !== upperCased(url)
    ? 'the letter case of an escape does not matter'
    : undefined;
}

const upperCased = (url: string): string =>
  url.replace(/%[0-9a-f]{2}/gi, (one) => one.toUpperCase());

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
