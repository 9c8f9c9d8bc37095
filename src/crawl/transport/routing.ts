/**
 * Which agent owns a partition?
 *
 * Idea      Each agent owns one contiguous range of the partitions. The partition is the first ten
 *           bits of every stored key, so an agent owns one contiguous range of every sorted file,
 *           and a new number of agents moves ranges, not single keys.
 *
 *             partitions   0 ──────── 341 │ 342 ─────── 682 │ 683 ────── 1023
 *             agents             0        │        1        │        2
 *
 * Requires  1 to 1,024 agents; a partition from 0 to 1,023.
 * Ensures   Every partition has one owner, every agent owns at least one partition, and the numbers
 *           of partitions of two agents differ by at most one.
 * Cost      One multiplication and one division.
 */
import { DrumlinError } from '../../base/errors.ts';
import { PARTITIONS } from '../../url/fingerprint.ts';

/** The partitions from `first` up to, but not including, `end`. */
interface PartitionRange {
  readonly first: number;
  readonly end: number;
}

/** The agent, 0 to `agents - 1`, that owns a partition. */
export function agentOf(partition: number, agents: number): number {
  return Math.floor((partition * agents) / PARTITIONS);
}

/** The partitions that an agent owns: exactly those for which `agentOf` returns it. */
export function partitionsOf(agent: number, agents: number): PartitionRange {
  return { first: firstOf(agent, agents), end: firstOf(agent + 1, agents) };
}

function firstOf(agent: number, agents: number): number {
  return Math.ceil((agent * PARTITIONS) / agents);
}

/** Rejects a number of agents that leaves one of them without a partition. */
export function requireAgents(agents: number): void {
  if (Number.isInteger(agents) && agents >= 1 && agents <= PARTITIONS) return;
  throw new DrumlinError(
    'AGENTS',
    `${agents} is not a number of agents.`,
    `Use 1 to ${PARTITIONS}; one per core is usual.`,
  );
}
