/**
 * Runs the commands of a guide and writes what they print into it.
 *
 *   npx tsx scripts/run-guide.ts docs/guides/first-crawl.md
 *
 * Idea      A guide quotes the program. Quotes get old; a guide that runs itself does not.
 * Requires  Blocks that begin with ```console hold lines `$ command`, continued after a backslash,
 *           each followed by its output. A block ```console background runs until the guide ends.
 * Ensures   Only output changes. Commands run in the order of the guide, in one empty folder, with
 *           `bin/` on the search path. Lines over 98 columns end in "…". Nothing stays running.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const BLOCK = /^```console( background)?\n([\s\S]*?)^```$/gm;
const COLUMNS = 98;
/** A server of a background block is ready when it has printed, and then nothing for this long. */
const QUIET_MS = 1500;

const page = process.argv[2];
const bin = join(import.meta.dirname, '../bin');
const folder = mkdtempSync(join(tmpdir(), 'drumlin-guide-'));
const running: ChildProcess[] = [];
try {
  const text = readFileSync(page, 'utf8');
  let updated = '';
  let end = 0;
  for (const block of text.matchAll(BLOCK)) {
    const [whole, background, body] = block;
    updated += text.slice(end, block.index);
    updated += `\`\`\`console${background ?? ''}\n${await runBlock(body, background !== undefined)}\`\`\``;
    end = block.index + whole.length;
  }
  writeFileSync(page, updated + text.slice(end));
} finally {
  await Promise.all(running.map(stop));
  rmSync(folder, { recursive: true });
}

async function runBlock(body: string, background: boolean): Promise<string> {
  const commands = body.match(/^\$ (?:.*\\\n)*.*$/gm) ?? [];
  const parts: string[] = [];
  for (const typed of commands) {
    process.stderr.write(`${typed}\n`);
    const output = await run(typed.slice(2), background);
    parts.push(`${typed}\n${output.split('\n').map(cut).join('\n')}`);
  }
  return parts.join('');
}

function run(command: string, background: boolean): Promise<string> {
  const child = spawn('bash', ['-c', background ? `exec ${command}` : command], {
    cwd: folder,
    env: { ...process.env, PATH: `${bin}:${process.env.PATH}`, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  return new Promise((resolve, reject) => {
    const done = () => resolve(output === '' || output.endsWith('\n') ? output : `${output}\n`);
    let quiet: NodeJS.Timeout | undefined;
    const take = (part: Buffer) => {
      output += part;
      if (!background) return;
      clearTimeout(quiet);
      quiet = setTimeout(done, QUIET_MS);
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    child.on('error', reject);
    child.on('close', done);
    if (background) running.push(child);
  });
}

function stop(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null) return resolve();
    child.once('close', () => resolve());
    child.kill('SIGTERM');
  });
}

function cut(line: string): string {
  return line.length <= COLUMNS ? line : `${line.slice(0, COLUMNS - 1)}…`;
}
