/**
 * Does any packet leave the browser? It renders pages that try every way out, under strace(1), which
 * prints each of its calls that could send one. The pages ask for a listening socket on loopback.
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

/** What a page can try; `at` is the host and port of the socket. */
const waysOut = (at: string): readonly string[] => [
  `<link rel=preconnect href="http://${at}/"><link rel=preconnect href="https://${at}/" crossorigin>
   <link rel=dns-prefetch href="//nowhere.test"><link rel=prefetch href="http://${at}/">
   <link rel=preload as=script href="http://${at}/"><link rel=manifest href="http://${at}/">
   <link rel=icon href="http://${at}/"><a id=a ping="http://${at}/" href="/x">x</a>
   <script type=speculationrules>{"prerender":[{"urls":["http://${at}/"],"eagerness":"immediate"}]}</script>
   <script>a.click()</script>`,
  `<iframe src="http://${at}/"></iframe><iframe srcdoc="<script>new WebSocket('ws://${at}/')</script>"></iframe>
   <iframe src="data:text/html,<script>new WebSocket('ws://${at}/')</script>"></iframe><iframe id=f></iframe>
   <script>for (const at of [self, f.contentWindow]) {
     try { new at.WebSocket('ws://${at}/') } catch {} try { new at.WebTransport('https://${at}/') } catch {}
     try { const pc = new at.RTCPeerConnection({ iceServers: [{ urls: 'stun:${at}' }] });
       pc.createDataChannel('x'); pc.createOffer().then((o) => pc.setLocalDescription(o)) } catch {}
   }</script>`,
  `<script>const code = "for (const way of [() => new WebSocket('ws://${at}/'), () => new EventSource('http://${at}/'), () => new WebTransport('https://${at}/'), () => fetch('http://${at}/').catch(() => {})]) try { way() } catch {}";
   const url = URL.createObjectURL(new Blob([code]));
   new Worker(url); new SharedWorker(url); new Worker('data:text/javascript,' + encodeURIComponent(code));
   new Worker(URL.createObjectURL(new Blob(['new Worker(' + JSON.stringify(url) + ')'])))</script>`,
  `<form id=g action="http://${at}/" method=post target=x></form><a id=d download href="http://${at}/">d</a>
   <script>fetch('http://${at}/', { keepalive: true }).catch(() => {}); navigator.sendBeacon('http://${at}/');
   new Image().src = 'http://${at}/'; new Audio('http://${at}/').play().catch(() => {});
   open('http://${at}/'); g.submit(); d.click(); setTimeout(() => { location = 'http://${at}/' }, 50)</script>`,
];

const HEADERS = (at: string) =>
  [
    ...[['Content-Type', 'text/html'] as const, ['Alt-Svc', `h3="${at}"`] as const],
    ['Link', `<http://${at}/>; rel=preconnect`] as const,
    ['Content-Security-Policy', `font-src 'none'; report-uri http://${at}/`] as const,
    ['Report-To', `{"group":"d","max_age":9,"endpoints":[{"url":"http://${at}/"}]}`] as const,
    ['NEL', '{"report_to":"d","max_age":9}'] as const,
  ] as const;

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
          response: { status: 200, headers: HEADERS(at), body: Buffer.from(html) },
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
