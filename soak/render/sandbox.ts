/**
 * Does rendering hold with Chromium's sandbox? A page is rendered without `no-sandbox`, and /proc
 * says what keeps its process. Root cannot do that: as root, this runs once more as the user
 * `nobody`.
 */
import { spawnSync } from 'node:child_process';
import { chownSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { Disk } from '../../src/disk/disk.ts';
import { BrowserPool, shareRenderSlots } from '../../src/render/browser-pool.ts';
import type { BrowserProgram } from '../../src/render/cdp-pipe.ts';
import { installedBrowser, packagedBrowser } from '../../src/render/find-browser.ts';
import { text } from '../../test/render/pages.ts';

const NOBODY = 65_534;

export async function sandbox(): Promise<void> {
  if (process.getuid?.() === 0) asNobody();
  else {
    const disk = new Disk();
    for (const program of [await packagedBrowser(disk), await installedBrowser(disk)])
      if (program) await renderIn(program);
  }
}

function asNobody(): void {
  const folder = mkdtempSync(join(tmpdir(), 'drumlin-nobody-'));
  chownSync(folder, NOBODY, NOBODY);
  const user = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'];
  const self = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  const env = { ...process.env, HOME: folder, TMPDIR: folder };
  const { status, error } = spawnSync('setpriv', [...user, ...self], { env, stdio: 'inherit' });
  if (error) console.log(`setpriv(1) does not start (${error.message}): nothing was tried`);
  process.exitCode = error ? 0 : (status ?? 1);
  rmSync(folder, { recursive: true, force: true });
}

async function renderIn(program: BrowserProgram): Promise<void> {
  const pool = new BrowserPool({
    ...{ program: async () => program, disk: new Disk(), clock: systemClock, flags: [] },
    ...{ userAgent: 'drumlin-soak', scriptMemory: 2 ** 28, slots: shareRenderSlots(1) },
  });
  let kept: string[] = [];
  const html = '<script>fetch("/x").then(() => document.write("<a href=/made>x</a>"))</script>';
  try {
    const page = await pool.render(
      {
        ...{ url: 'https://site.test/', response: text(html), screenshot: false, state: undefined },
        answer: async () => {
          kept = renderersOfMine();
          return text('');
        },
      },
      { time: 20_000, memory: 2 ** 31, html: 2 ** 20, links: 100, requests: 100, bytes: 2 ** 20 },
    );
    console.log(`${program.path}: ${page.links.join(' ')}; processes of pages: ${kept.join('; ')}`);
    const isKept = (one: string) => one === 'seccomp filter, a network of its own';
    if (page.links.length !== 1 || kept.length === 0 || !kept.every(isKept)) process.exitCode = 1;
  } finally {
    await pool.close();
  }
}

/** What keeps each of the processes of this user that run pages. */
function renderersOfMine(): string[] {
  const network = readlinkSync('/proc/self/ns/net');
  return readdirSync('/proc').flatMap((pid) => {
    try {
      if (!readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('type=renderer')) return [];
      const status = readFileSync(`/proc/${pid}/status`, 'latin1');
      const filter = /^Seccomp:\s+2$/m.test(status) ? 'seccomp filter' : 'no seccomp filter';
      const own = readlinkSync(`/proc/${pid}/ns/net`) !== network;
      return [`${filter}, ${own ? 'a network of its own' : 'the network of all'}`];
    } catch {
      return []; // no process, one that has ended, or one of another user
    }
  });
}
