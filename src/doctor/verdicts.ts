/**
 * From measurements to verdicts. Nothing is measured here, so tests can show every verdict on any
 * machine.
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

/** The oldest version that Drumlin runs on. */
const NODE = [20, 19] as const;

export function judgeNode(version: string): Finding {
  const [major, minor] = version.replace(/^v/, '').split('.').map(Number);
  const isOld = major < NODE[0] || (major === NODE[0] && minor < NODE[1]);
  if (isOld)
    return bad('node', `this is Node ${version}`, `Install Node ${NODE.join('.')} or newer.`);
  return ok('node', version);
}

/** Memory of an agent with the default settings, including buffers and V8's heap. */
const AGENT_MEMORY: Bytes = 220 * MB;
/** Memory of the rest of the process. */
const OWN_MEMORY: Bytes = 120 * MB;

export function judgeMemory(available: Bytes, agents: number): Finding {
  const wanted = OWN_MEMORY + agents * AGENT_MEMORY;
  const fact = `${formatBytes(available)} available; ${agentsNeed(agents)} about ${formatBytes(wanted)}`;
  if (available >= wanted) return ok('memory', fact);
  const fit = Math.floor((available - OWN_MEMORY) / AGENT_MEMORY);
  if (fit >= 1) return fair('memory', fact, `Crawl with --agents ${fit}.`);
  return bad(
    'memory',
    fact,
    'Free some memory, or crawl with --agents 1 --sieve-memory 8Mi --host-memory 4Mi.',
  );
}

/** A socket per request; files of the sieve, the hosts, the backlog and the archive. */
const AGENT_FILES = 256 + 128;
/** Files of the rest of the process. */
const OWN_FILES = 64;

export function judgeFiles(limit: number, agents: number): Finding {
  const wanted = OWN_FILES + agents * AGENT_FILES;
  if (limit === Infinity) return ok('files', 'no limit on open files');
  const fact = `${formatCount(limit)} can be open at once; ${agentsNeed(agents)} ${formatCount(wanted)}`;
  if (limit >= wanted) return ok('files', fact);
  return bad(
    'files',
    fact,
    `Run "ulimit -n ${wanted}" first, or raise nofile in /etc/security/limits.conf.`,
  );
}

const agentsNeed = (agents: number) => `${agents} ${agents === 1 ? 'agent needs' : 'agents need'}`;

export interface DiskMeasured {
  readonly free: Bytes;
  /** Bytes a second, for one large file that is made durable. */
  readonly speed: Bytes;
  /** Time to make a small file durable. */
  readonly sync: Millis;
}

export function judgeRoom(free: Bytes, folder: string): Finding {
  const fact = `${formatBytes(free)} free in ${folder}`;
  if (free >= 10 * GB) return ok('room', fact);
  const remedy =
    'A million pages take about 10 GB: free some space, or choose a folder on another disk with --dir.';
  return free >= GB ? fair('room', fact, remedy) : bad('room', fact, remedy);
}

export function judgeDisk({ speed, sync }: DiskMeasured): Finding {
  const fact = `writes ${formatBytes(speed)}/s, makes a file durable in ${formatDuration(sync)}`;
  if (speed < 20 * MB || sync > 500) {
    return bad(
      'disk',
      fact,
      'Choose a folder on a local disk with --dir: checkpoints would delay the crawl.',
    );
  }
  if (speed < 80 * MB || sync > 50) {
    return fair(
      'disk',
      fact,
      'Checkpoints will take seconds: choose a faster disk with --dir, or use --checkpoint 60s.',
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
      'Check the network and /etc/resolv.conf, or set name servers with --dns.',
    );
  }
  if (invented.length > 0) {
    return bad(
      'dns',
      `names that do not exist resolve to ${invented[0]}`,
      'All dead hosts would seem to be there: set a correct name server with --dns.',
    );
  }
  const fact = `${name} was resolved in ${formatDuration(took)}`;
  if (took > 500) {
    return fair(
      'dns',
      fact,
      'A crawl of many hosts looks up hundreds of names a second: run a caching resolver nearby, and set it with --dns.',
    );
  }
  return ok('dns', fact);
}

export interface ClockMeasured {
  readonly now: Millis;
  /** By how much a server's clock is ahead, if one was asked. */
  readonly ahead?: Millis;
  /** How far the wall clock moved against the steady one during the examination. */
  readonly leapt: Millis;
}

/** The wall clock is wrong if it is earlier than this release. */
const EARLIEST: Millis = Date.UTC(2026, 0, 1);

export function judgeClock({ now, ahead, leapt }: ClockMeasured): Finding {
  const remedy = 'Let the system set the time: timedatectl set-ntp true.';
  const time = new Date(now).toISOString().slice(0, 19);
  if (now < EARLIEST) return bad('clock', `it shows ${time}Z`, remedy);
  if (ahead !== undefined && Math.abs(ahead) > 60_000) {
    return bad(
      'clock',
      `it is ${formatDuration(Math.abs(ahead))} ${ahead > 0 ? 'behind' : 'ahead'}`,
      remedy,
    );
  }
  if (Math.abs(leapt) > 1000)
    return fair('clock', `it jumped by ${formatDuration(Math.abs(leapt))}`, remedy);
  if (ahead === undefined) return ok('clock', `${time}Z; --url compares it with a server’s`);
  return ok(
    'clock',
    `${time}Z, within ${formatDuration(Math.max(1000, Math.abs(ahead)))} of the server’s`,
  );
}
