/**
 * Does any packet leave the browser? It renders pages that try every way out, under strace(1),
 * which prints each of its calls that could send one. The pages ask for a listening socket on
 * loopback.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { Disk } from '../../src/disk/disk.ts';
import { BrowserPool, shareRenderSlots } from '../../src/render/browser-pool.ts';
import { findBrowser } from '../../src/render/find-browser.ts';
import { linesAbout, waysOut } from '../../test/render/ways-out.ts';

/** A connection, or bytes for an address of the Internet. A connection by UDP sends nothing. */
const isPacket = (call: string): boolean =>
  /AF_INET|sin_addr|sin6_addr/.test(call) && !/^\d+ +socket\(/.test(call) && !isProbe(call);
/** Chromium asks the kernel whether there is a way to IPv6; it writes nothing to this socket. */
const isProbe = (call: string): boolean => call.includes('2001:4860:4860::8888');

export async function packets(flags: readonly string[]): Promise<void> {
  if (spawnSync('strace', ['-V']).status !== 0) {
    console.log('there is no strace here: nothing was tried');
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), 'drumlin-packets-'));
  const disk = new Disk();
  const program = await findBrowser(disk, '');
  const log = join(folder, 'calls');
  const path = join(folder, 'browser');
  const calls = 'trace=socket,connect,sendto,sendmsg,sendmmsg';
  writeFileSync(
    path,
    `#!/bin/sh\nexec strace -f --seccomp-bpf -qq -o '${log}' -e ${calls} '${program.path}' "$@"\n`,
  );
  chmodSync(path, 0o755);
  let connections = 0;
  const socket = createServer((open) => {
    connections++;
    open.destroy();
  });
  await new Promise<void>((listening) => socket.listen(0, '127.0.0.1', listening));
  const at = `127.0.0.1:${(socket.address() as AddressInfo).port}`;
  const pool = new BrowserPool({
    ...{ program: async () => ({ ...program, path }), disk, clock: systemClock, flags },
    ...{ userAgent: 'drumlin-soak', scriptMemory: 2 ** 28, slots: shareRenderSlots(1) },
  });
  let asked = 0;
  try {
    for (const [i, html] of waysOut(at).entries())
      await pool.render(
        {
          ...{ url: `https://site${i}.test/`, screenshot: false, state: undefined },
          response: { status: 200, headers: linesAbout(at), body: Buffer.from(html) },
          answer: async () => void asked++,
        },
        { time: 20_000, memory: 2 ** 31, html: 2 ** 20, links: 100, requests: 100, bytes: 2 ** 20 },
      );
    await pool.close();
    const sent = readFileSync(log, 'latin1').split('\n').filter(isPacket);
    console.log(`${asked} requests came to us, ${connections} connections to the socket`);
    console.log(`calls of the browser that send or connect: ${sent.length}`);
    for (const call of sent.slice(0, 10)) console.log(`  ${call.slice(0, 150)}`);
    if (asked === 0 || connections > 0 || sent.length > 0) process.exitCode = 1;
  } finally {
    await pool.close();
    socket.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
