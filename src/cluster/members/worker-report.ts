/** What a worker reports of itself to those who look at the cluster. */
import type { Bytes } from '../../base/units.ts';
import type { Progress } from '../../crawl/record/progress.ts';
import type { AgentLook } from './ending.ts';

export interface WorkerReport {
  /** The sum over its agents, since the worker started. */
  readonly progress: Progress;
  /** Counts of each agent over its whole life, up to now. */
  readonly agents: readonly AgentNow[];
  readonly memory: Bytes;
  readonly cpuSeconds: number;
}

type AgentNow = Pick<AgentLook, 'agent' | 'epoch' | 'idle' | 'pages' | 'bytes' | 'queued'>;

/** Where a worker is asked for its report. */
export const reportSubject = (cluster: string, worker: string): string =>
  `drumlin.${cluster}.report.${worker}`;

export const agentNow = ({ agent, epoch, idle, pages, bytes, queued }: AgentLook): AgentNow => ({
  ...{ agent, epoch, idle, pages, bytes, queued },
});

/**
 * Infinity, which JSON has not, is written as null and read back. Throws if it is no report: a
 * worker of another version may answer anything.
 */
export function parseReport(text: string): WorkerReport {
  const report = JSON.parse(text, (_, value) => value ?? Infinity) as WorkerReport;
  const isCount = (value: unknown) => typeof value === 'number' && value >= 0 && value < Infinity;
  const areCounts = (values: readonly unknown[]) => values.every(isCount);
  const { progress, agents, memory, cpuSeconds } = report;
  const isReport =
    typeof progress === 'object' &&
    Array.isArray(agents) &&
    agents.every(({ agent, epoch, pages, bytes }) => areCounts([agent, epoch, pages, bytes])) &&
    areCounts([memory, cpuSeconds, progress.pages, progress.bytes]);
  if (!isReport) throw new Error('The answer is no report of a worker.');
  return report;
}
