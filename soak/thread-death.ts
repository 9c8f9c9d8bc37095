/**
 * A crawl in threads of which one dies at a step of its start or of its first checkpoint, and which
 * is then resumed. A step is a call of the file system.
 *
 * `npm run soak -- thread-death [kills] [first]`. It must resume always, with any number of agents,
 * and have every page once. If the dead agent has a checkpoint, it is first taken away: without it
 * the crawl must be refused.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { resolveConfig } from '../src/config/settings.ts';
import { type Lab, startLab } from '../src/lab/server/lab.ts';
import { archivedPages } from '../test/crawl/archived.ts';
import { startCrawl } from '../test/crawl/here.ts';

const CHILD = join(import.meta.dirname, '../test/crawl/thread-death-child.mjs');
const AGENTS = 2;

/** Which agent dies, and when: see `thread-death.mjs`. */
export interface Death {
  readonly agent: number;
  readonly agents: number;
  readonly checkpoint?: number;
  readonly phase: 'start' | 'checkpoint';
  /** From 1. */
  readonly step: number;
}

export interface Outcome {
  /** How the crawl ended with the thread. */
  readonly ended: { readonly code: string; readonly message: string; readonly exitCode: number };
  readonly hadCheckpoint: boolean;
  /** The checkpoint was noted, and without it the crawl is refused. */
  readonly isGuarded: boolean;
  /** What was wrong with the resumed crawl; '' if nothing. */
  readonly fault: string;
}

/** Lets a thread die, and resumes with `agents`. */
export async function dieAndResume(lab: Lab, death: Death, agents: number): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'drumlin-thread-'));
  const dir = join(folder, 'crawl');
  const resume = async () => {
    const config = resolveConfig({ dir, dns: [lab.dns], allowPrivate: true, delay: 0, agents });
    await (await startCrawl([], config)).finished;
  };
  try {
    const args = [CHILD, dir, lab.dns, JSON.stringify(death), ...lab.seeds];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args);
    if (stderr !== '') throw new Error(stderr);
    const checkpoint = join(dir, `agents/${death.agent}/checkpoint.json`);
    const hadCheckpoint = existsSync(checkpoint);
    const isNoted = existsSync(join(dir, `checkpoints/${death.agent}.json`));
    let refusal = '';
    if (isNoted) {
      renameSync(checkpoint, `${folder}/kept`);
      refusal = await resume().then(
        () => 'none',
        ({ code }) => code,
      );
      renameSync(`${folder}/kept`, checkpoint);
    }
    const isGuarded = refusal === 'CHECKPOINT_MISSING';
    let fault = isNoted && !isGuarded ? `without its checkpoint: ${refusal}` : '';
    fault ||= await resume().then(
      async () => difference(await archivedPages(dir), [...lab.web.allUrls()]),
      (error) => `${error.code ?? ''} ${error.message}`,
    );
    return { ended: JSON.parse(stdout), hadCheckpoint, isGuarded, fault };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function difference(archived: readonly string[], all: readonly string[]): string {
  const missing = all.filter((url) => !archived.includes(url));
  const twice = archived.filter((url, i) => archived[i - 1] === url);
  return missing.length + twice.length === 0
    ? ''
    : `missing ${missing.join(' ')}, twice ${twice.join(' ')}`;
}

export async function run([kills = '240', first = '0']: string[]): Promise<void> {
  const lab = await startLab({ scenario: 'clean', domains: 12, pages: 6 });
  const counts = { deaths: 0, ended: 0, withoutCheckpoint: 0, guarded: 0, notNoted: 0, faults: 0 };
  for (let i = Number(first); counts.deaths < Number(kills); i++) {
    const death = {
      ...{ agents: AGENTS, agent: i % AGENTS, step: 1 + Math.floor(i / (2 * AGENTS)) },
      phase: Math.floor(i / AGENTS) % 2 === 0 ? ('start' as const) : ('checkpoint' as const),
      // With the longer time, the first checkpoint has pages.
      checkpoint: Math.floor(i / 8) % 2 === 0 ? 100 : 500,
    };
    const { ended, hadCheckpoint, isGuarded, fault } = await dieAndResume(lab, death, 1 + (i % 3));
    if (ended.code === 'AGENT_GONE') counts.deaths++;
    else if (ended.code === 'finished') counts.ended++;
    const wrong = fault || (/^(AGENT_GONE|finished)$/.test(ended.code) ? '' : ended.message);
    if (!hadCheckpoint) counts.withoutCheckpoint++;
    else if (isGuarded) counts.guarded++;
    else counts.notNoted++;
    if (wrong !== '') {
      counts.faults++;
      console.log(`${JSON.stringify(death)}: ${wrong}`);
    }
    if ((i + 1) % 20 === 0) process.stderr.write(`${JSON.stringify(counts)}\n`);
  }
  console.table(counts);
  await lab.close();
  process.exitCode = counts.faults === 0 ? 0 : 1;
}
