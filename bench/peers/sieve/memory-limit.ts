/**
 * A control group that limits the memory of a process, file cache included. It is below the group
 * of this process, so that no other limit is escaped. Works if that part of the hierarchy is
 * writable (version 1 or 2).
 */
import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface MemoryLimit {
  /** A shell command that runs `command` inside the group. */
  command(command: readonly string[]): string[];
  remove(): void;
}

/** Undefined if no group can be made. */
export function limitMemory(bytes: number): MemoryLimit | undefined {
  for (const { group, file } of candidates()) {
    const path = join(group, `drumlin-bench-${process.pid}`);
    try {
      mkdirSync(path);
      writeFileSync(join(path, file), String(bytes));
      return {
        command: (command) => [
          'sh',
          '-c',
          'echo $$ > "$0" && exec "$@"',
          join(path, 'cgroup.procs'),
          ...command,
        ],
        remove: () => rmdirSync(path),
      };
    } catch {
      try {
        rmdirSync(path);
      } catch {
        // it was not created
      }
    }
  }
  return undefined;
}

function candidates(): { group: string; file: string }[] {
  try {
    return readFileSync('/proc/self/cgroup', 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split(':'))
      .flatMap(([number, controllers, ...path]) => {
        const own = path.join(':');
        if (controllers.split(',').includes('memory')) {
          return [{ group: join('/sys/fs/cgroup/memory', own), file: 'memory.limit_in_bytes' }];
        }
        return number === '0' ? [{ group: join('/sys/fs/cgroup', own), file: 'memory.max' }] : [];
      });
  } catch {
    return [];
  }
}
