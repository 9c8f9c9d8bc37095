/** The measurements of this machine that the verdicts judge. */
import { freemem } from 'node:os';
import { join } from 'node:path';
import { DrumlinError, EXIT, systemCode } from '../base/errors.ts';
import type { Bytes, Millis } from '../base/units.ts';
import { Disk } from '../disk/disk.ts';
import { readSystemFile } from '../disk/system-file.ts';
import { inTemporaryFolder } from '../disk/temporary-folder.ts';
import { bytesFree } from '../disk/usage.ts';
import { createResolver, DnsError } from '../net/dns.ts';
import type { ClockMeasured, DiskMeasured, NamesMeasured } from './verdicts.ts';

/** The limit of this process, after Node has raised it as far as the system allows. */
export async function openFilesLimit(): Promise<number> {
  const limits = await readSystemFile('/proc/self/limits');
  if (limits !== undefined)
    return number(/^Max open files\s+(\S+)/m.exec(limits)?.[1] ?? 'unlimited');
  const report = process.report.getReport() as {
    userLimits?: { open_files?: { soft?: number | string } };
  };
  return number(String(report.userLimits?.open_files?.soft ?? 'unlimited'));
}

const number = (text: string): number => (text === 'unlimited' ? Infinity : Number(text));

/** Memory that can be used without swapping, within the limits of a container. */
export async function availableMemory(): Promise<Bytes> {
  const inContainer = process.constrainedMemory?.() ?? 0;
  const limit = inContainer > 0 ? inContainer - process.memoryUsage.rss() : Infinity;
  return Math.min(limit, await ofMachine());
}

async function ofMachine(): Promise<Bytes> {
  const facts = (await readSystemFile('/proc/meminfo')) ?? '';
  const kilobytes = /^MemAvailable:\s+(\d+) kB/m.exec(facts)?.[1];
  return kilobytes === undefined ? freemem() : Number(kilobytes) * 1024;
}

const PIECE: Bytes = 2 ** 20;
const PIECES = 64;
const SYNCS = 8;

/** Writes 64 MB and a few small files to the folder, and deletes them again. */
export async function measureDisk(folder: string): Promise<DiskMeasured> {
  const disk = new Disk();
  try {
    const free = await bytesFree(folder);
    return await inTemporaryFolder(disk, folder, '.drumlin-doctor-', async (scratch) => {
      const large = await timed(() =>
        writeDurably(disk, join(scratch, 'large'), free > 4 * PIECES * PIECE ? PIECES : 1),
      );
      const small: Millis[] = [];
      for (let i = 0; i < SYNCS; i++) {
        small.push((await timed(() => writeDurably(disk, join(scratch, `small-${i}`), 0))).took);
      }
      const speed = (large.result / Math.max(large.took, 0.1)) * 1000;
      return { free, speed, sync: small.sort((a, b) => a - b)[SYNCS >> 1] };
    });
  } catch (error) {
    throw unwritable(folder, error);
  }
}

async function writeDurably(disk: Disk, path: string, pieces: number): Promise<Bytes> {
  const file = await disk.open(path, 'create');
  try {
    const piece = Buffer.alloc(PIECE, 'drumlin');
    for (let i = 0; i < pieces; i++) await file.writeAll(piece, i * PIECE);
    if (pieces === 0) await file.writeAll(Buffer.from('drumlin'), 0);
    await file.sync();
    return pieces * PIECE;
  } finally {
    await file.close();
  }
}

function unwritable(folder: string, error: unknown): DrumlinError {
  const cause = error instanceof DrumlinError ? error.cause : error;
  return new DrumlinError(
    'DOCTOR_FOLDER',
    `${folder} cannot be written to (${systemCode(cause)}).`,
    'Name the folder for your crawls: drumlin doctor FOLDER.',
    { exitCode: EXIT.disk, cause },
  );
}

/** Reserved for documentation, and in the DNS since 1999. */
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

/** `begun` holds both clocks as of the start of the examination. */
export function measureClock(
  begun: { wall: Millis; steady: Millis },
  serverTime?: Millis,
): ClockMeasured {
  const now = Date.now();
  const leapt = now - begun.wall - (performance.now() - begun.steady);
  return { now, leapt, ...(serverTime !== undefined && { ahead: serverTime - now }) };
}

/** The time by a server's clock, to the second; undefined if its answer has no date. */
export async function askTime(url: string): Promise<Millis | undefined> {
  const response = await fetch(url, {
    method: 'HEAD',
    redirect: 'manual',
    signal: AbortSignal.timeout(10_000),
  });
  await response.body?.cancel();
  const date = Date.parse(response.headers.get('date') ?? '');
  // The date is rounded down to the second.
  return Number.isNaN(date) ? undefined : date + 500;
}

async function timed<T>(work: () => Promise<T>): Promise<{ result: T; took: Millis }> {
  const begun = performance.now();
  const result = await work();
  return { result, took: performance.now() - begun };
}
