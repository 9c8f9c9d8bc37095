/** What the verdicts are made of, measured on this machine. */
import { readFileSync } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { freemem } from 'node:os';
import { join } from 'node:path';
import { DrumlinError, EXIT, systemCode } from '../base/errors.ts';
import type { Bytes, Millis } from '../base/units.ts';
import { bytesFree } from '../disk/usage.ts';
import { createResolver, DnsError } from '../net/dns.ts';
import type { ClockMeasured, DiskMeasured, NamesMeasured } from './verdicts.ts';

/** Of this process, after Node has raised it as far as it may. */
export function openFilesLimit(): number {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8');
    return number(/^Max open files\s+(\S+)/m.exec(limits)?.[1] ?? 'unlimited');
  } catch {
    const report = process.report.getReport() as {
      userLimits?: { open_files?: { soft?: number | string } };
    };
    return number(String(report.userLimits?.open_files?.soft ?? 'unlimited'));
  }
}

const number = (text: string): number => (text === 'unlimited' ? Infinity : Number(text));

/** What may still be taken without others having to go, within the limits of a container. */
export function availableMemory(): Bytes {
  const inContainer = process.constrainedMemory?.() ?? 0;
  const limit = inContainer > 0 ? inContainer - process.memoryUsage.rss() : Infinity;
  return Math.min(limit, ofMachine());
}

function ofMachine(): Bytes {
  try {
    const kilobytes = /^MemAvailable:\s+(\d+) kB/m.exec(readFileSync('/proc/meminfo', 'utf8'))?.[1];
    return kilobytes === undefined ? freemem() : Number(kilobytes) * 1024;
  } catch {
    return freemem();
  }
}

const PIECE: Bytes = 2 ** 20;
const PIECES = 64;
const SYNCS = 8;

/** Writes 64 MB and a few small files to the folder, and deletes them again. */
export async function measureDisk(folder: string): Promise<DiskMeasured> {
  const free = await bytesFree(folder).catch((error) => Promise.reject(unwritable(folder, error)));
  const scratch = await mkdtemp(join(folder, '.drumlin-doctor-')).catch((error) =>
    Promise.reject(unwritable(folder, error)),
  );
  try {
    const large = await timed(() =>
      writeDurably(join(scratch, 'large'), free > 4 * PIECES * PIECE ? PIECES : 1),
    );
    const small: Millis[] = [];
    for (let i = 0; i < SYNCS; i++) {
      small.push((await timed(() => writeDurably(join(scratch, `small-${i}`), 0))).took);
    }
    const speed = (large.result / Math.max(large.took, 0.1)) * 1000;
    return { free, speed, sync: small.sort((a, b) => a - b)[SYNCS >> 1] };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function writeDurably(path: string, pieces: number): Promise<Bytes> {
  const file = await open(path, 'w');
  try {
    const piece = Buffer.alloc(PIECE, 'drumlin');
    for (let i = 0; i < pieces; i++) await file.write(piece);
    if (pieces === 0) await file.write('drumlin');
    await file.sync();
    return pieces * PIECE;
  } finally {
    await file.close();
  }
}

function unwritable(folder: string, cause: unknown): DrumlinError {
  return new DrumlinError(
    'DOCTOR_FOLDER',
    `${folder} cannot be written to (${systemCode(cause)}).`,
    'Name the folder in which crawls are to be kept: drumlin doctor FOLDER.',
    { exitCode: EXIT.disk, cause },
  );
}

/** Kept free for documentation, and answered for since 1999. */
const KNOWN = 'example.com';
/** RFC 6761: no such name exists. */
const INVENTED = 'no-such-name.invalid';

export async function measureNames(
  servers: readonly string[],
  name = KNOWN,
): Promise<NamesMeasured> {
  const resolver = createResolver({ servers });
  const lookUp = async (host: string): Promise<readonly string[] | DnsError> => {
    try {
      return (await resolver.resolve(host, true)).map(({ ip }) => ip);
    } catch (error) {
      if (error instanceof DnsError) return error;
      throw error;
    }
  };
  try {
    const { result, took } = await timed(() => lookUp(name));
    const invented = await lookUp(INVENTED);
    return {
      known: { name, took, ...(result instanceof DnsError && { fault: result.fault }) },
      invented: invented instanceof DnsError ? [] : invented,
    };
  } finally {
    resolver.close();
  }
}

/** `begun`: both clocks when the examination began. */
export function measureClock(
  begun: { wall: Millis; steady: Millis },
  serverTime?: Millis,
): ClockMeasured {
  const now = Date.now();
  const leapt = now - begun.wall - (performance.now() - begun.steady);
  return { now, leapt, ...(serverTime !== undefined && { ahead: serverTime - now }) };
}

/** What a server says the time is, to the second; undefined when it does not say. */
export async function askTime(url: string): Promise<Millis | undefined> {
  const response = await fetch(url, {
    method: 'HEAD',
    redirect: 'manual',
    signal: AbortSignal.timeout(10_000),
  });
  await response.body?.cancel();
  const date = Date.parse(response.headers.get('date') ?? '');
  // It is cut to the second.
  return Number.isNaN(date) ? undefined : date + 500;
}

async function timed<T>(work: () => Promise<T>): Promise<{ result: T; took: Millis }> {
  const begun = performance.now();
  const result = await work();
  return { result, took: performance.now() - begun };
}
