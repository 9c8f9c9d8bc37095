/**
 * From what was measured to what is said about it: no measuring here, so that every verdict can be
 * shown without such a machine.
 */
import {
  type Bytes,
  formatBytes,
  formatCount,
  formatDuration,
  type Millis,
} from '../base/units.ts';
import { bad, type Finding, fair, ok } from './finding.ts';

const GB: Bytes = 1e9;
const MB: Bytes = 1e6;

/** The oldest that runs it. */
const NODE = [20, 19] as const;

export function judgeNode(version: string): Finding {
  const [major, minor] = version.replace(/^v/, '').split('.').map(Number);
  const isOld = major < NODE[0] || (major === NODE[0] && minor < NODE[1]);
  if (isOld)
    return bad('node', `this is Node ${version}`, `Install Node ${NODE.join('.')} or newer.`);
  return ok('node', version);
}

/**
 * What an agent takes with the usual settings, its web of buffers and V8's heap included; and the
 * rest of the process.
 */
const AGENT_MEMORY: Bytes = 220 * MB;
const OWN_MEMORY: Bytes = 120 * MB;

export function judgeMemory(available: Bytes, agents: number): Finding {
  const wanted = OWN_MEMORY + agents * AGENT_MEMORY;
  const fact = `${formatBytes(available)} available; ${agentsWant(agents)} about ${formatBytes(wanted)}`;
  if (available >= wanted) return ok('memory', fact);
  const fit = Math.floor((available - OWN_MEMORY) / AGENT_MEMORY);
  if (fit >= 1) return fair('memory', fact, `Crawl with --agents ${fit}.`);
  return bad(
    'memory',
    fact,
    'Make room, or crawl with --agents 1 --sieve-memory 8Mi --host-memory 4Mi.',
  );
}

/**
 * A socket for each request under way; files of the sieve, the hosts, the backlog and the archive;
 * the process itself.
 */
const AGENT_FILES = 256 + 128;
const OWN_FILES = 64;

export function judgeFiles(limit: number, agents: number): Finding {
  const wanted = OWN_FILES + agents * AGENT_FILES;
  if (limit === Infinity) return ok('files', 'as many as one likes may be open at once');
  const fact = `${formatCount(limit)} may be open at once; ${agentsWant(agents)} ${formatCount(wanted)}`;
  if (limit >= wanted) return ok('files', fact);
  return bad(
    'files',
    fact,
    `Type "ulimit -n ${wanted}" before, or raise nofile in /etc/security/limits.conf.`,
  );
}

const agentsWant = (agents: number) => `${agents} ${agents === 1 ? 'agent wants' : 'agents want'}`;

export interface DiskMeasured {
  readonly free: Bytes;
  /** A second, written in one go and made durable. */
  readonly speed: Bytes;
  /** To make a small file durable. */
  readonly sync: Millis;
}

export function judgeRoom(free: Bytes, folder: string): Finding {
  const fact = `${formatBytes(free)} free in ${folder}`;
  if (free >= 10 * GB) return ok('room', fact);
  const remedy =
    'A million pages take about 10 GB: make room, or name a folder on another disk with --dir.';
  return free >= GB ? fair('room', fact, remedy) : bad('room', fact, remedy);
}

export function judgeDisk({ speed, sync }: DiskMeasured): Finding {
  const fact = `writes ${formatBytes(speed)}/s, makes a file durable in ${formatDuration(sync)}`;
  if (speed < 20 * MB || sync > 500) {
    return bad(
      'disk',
      fact,
      'Name a folder on a local disk with --dir: checkpoints would hold the crawl up.',
    );
  }
  if (speed < 80 * MB || sync > 50) {
    return fair(
      'disk',
      fact,
      'Checkpoints will take seconds: name a faster disk with --dir, or take --checkpoint 60s.',
    );
  }
  return ok('disk', fact);
}

export interface NamesMeasured {
  readonly known: { readonly name: string; readonly fault?: string; readonly took: Millis };
  /** Addresses of a name that cannot exist. */
  readonly invented: readonly string[];
}

export function judgeNames({ known, invented }: NamesMeasured): Finding {
  const { name, fault, took } = known;
  if (fault !== undefined) {
    return bad(
      'dns',
      `${name} cannot be looked up (${fault})`,
      'Check the network and /etc/resolv.conf, or name servers with --dns.',
    );
  }
  if (invented.length > 0) {
    return bad(
      'dns',
      `names that do not exist are said to be at ${invented[0]}`,
      'Dead hosts would all seem to live there: name an honest name server with --dns.',
    );
  }
  const fact = `${name} was found in ${formatDuration(took)}`;
  if (took > 500) {
    return fair(
      'dns',
      fact,
      'A crawl of many hosts looks up hundreds of names a second: run a caching resolver near by, and name it with --dns.',
    );
  }
  return ok('dns', fact);
}

export interface ClockMeasured {
  readonly now: Millis;
  /** By how much a server's clock is ahead, if one was asked; and how exactly that is known. */
  readonly ahead?: Millis;
  /** What the wall clock gained on the steady one while this was measured. */
  readonly leapt: Millis;
}

/** The first day on which this program could have been run. */
const EARLIEST: Millis = Date.UTC(2026, 0, 1);

export function judgeClock({ now, ahead, leapt }: ClockMeasured): Finding {
  const remedy = 'Let the system keep it: timedatectl set-ntp true.';
  const time = new Date(now).toISOString().slice(0, 19);
  if (now < EARLIEST) return bad('clock', `it says ${time}Z`, remedy);
  if (ahead !== undefined && Math.abs(ahead) > 60_000) {
    return bad(
      'clock',
      `it is ${formatDuration(Math.abs(ahead))} ${ahead > 0 ? 'behind' : 'ahead'}`,
      remedy,
    );
  }
  if (Math.abs(leapt) > 1000)
    return fair('clock', `it leapt by ${formatDuration(Math.abs(leapt))}`, remedy);
  if (ahead === undefined) return ok('clock', `${time}Z; --url compares it with a server’s`);
  return ok(
    'clock',
    `${time}Z, within ${formatDuration(Math.max(1000, Math.abs(ahead)))} of the server’s`,
  );
}
