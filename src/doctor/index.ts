/**
 * `drumlin doctor`: is this machine ready to crawl? measure.ts measures, verdicts.ts judges.
 */
import { hostOf } from '../url/parts.ts';
import { bad, type Finding, ok } from './finding.ts';
import {
  askTime,
  availableMemory,
  measureClock,
  measureDisk,
  measureNames,
  openFilesLimit,
} from './measure.ts';
import {
  judgeClock,
  judgeDisk,
  judgeFiles,
  judgeMemory,
  judgeNames,
  judgeNode,
  judgeRoom,
} from './verdicts.ts';

interface Examination {
  /** The folder for crawls. */
  readonly folder: string;
  readonly agents: number;
  /** Name servers, instead of the system's. */
  readonly dns: readonly string[];
  /** A page to request: checks its name, the way to it, and its server's clock. */
  readonly url: string | undefined;
}

/** Yields each finding as soon as it is known. */
export async function* examine({ folder, agents, dns, url }: Examination): AsyncGenerator<Finding> {
  const begun = { wall: Date.now(), steady: performance.now() };
  yield judgeNode(process.version);
  yield judgeMemory(await availableMemory(), agents);
  yield judgeFiles(await openFilesLimit(), agents);
  const disk = await measureDisk(folder);
  yield judgeRoom(disk.free, folder);
  yield judgeDisk(disk);
  yield judgeNames(await measureNames(dns, url === undefined ? undefined : hostOf(url)));
  let serverTime: number | undefined;
  if (url !== undefined) {
    const answer = await reach(url);
    yield answer.finding;
    serverTime = answer.time;
  }
  yield judgeClock(measureClock(begun, serverTime));
}

async function reach(url: string): Promise<{ finding: Finding; time?: number | undefined }> {
  try {
    return { finding: ok('web', `${url} answers`), time: await askTime(url) };
  } catch (error) {
    const cause =
      (error as { cause?: { message?: string } }).cause?.message ?? (error as Error).message;
    return {
      finding: bad(
        'web',
        `${url} does not answer (${cause})`,
        'Check the network and the firewall; a --proxy may be needed.',
      ),
    };
  }
}
