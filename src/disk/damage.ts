/** The error for a state file that is not what was written. */
import { DrumlinError, EXIT } from '../base/errors.ts';

/** Codes of errors that mean: a file of the folder is missing, or is not what was written. */
const DAMAGE = new Set([
  'CHECKPOINT_FORMAT',
  'CHECKPOINT_MISSING',
  'CRAWL_FILE',
  'FILE_DAMAGED',
  'FILE_FORMAT',
  'FILE_MISSING',
  'FILE_SHORT',
]);

/** The remedy where the folder of the crawl is not known; see `withRepair`. */
const REPAIR = 'Run "drumlin repair FOLDER" on the folder of the crawl.';

/** `fact` continues the path: "is damaged at byte 4096". */
export function damaged(path: string, fact: string, cause?: unknown): DrumlinError {
  return new DrumlinError('FILE_DAMAGED', `${path} ${fact}.`, REPAIR, {
    exitCode: EXIT.folder,
    cause,
  });
}

export function tooShort(path: string, size: number, needed: number): DrumlinError {
  return new DrumlinError(
    'FILE_SHORT',
    `${path} ends at byte ${size}, but ${needed} bytes are expected.`,
    REPAIR,
    { exitCode: EXIT.folder },
  );
}

/** Whether the error means that a file of the folder is missing or damaged. */
export function isDamage(error: unknown): error is DrumlinError {
  return error instanceof DrumlinError && DAMAGE.has(error.code);
}

/** The same error, but for damage with the command that repairs this crawl. */
export function withRepair(error: unknown, dir: string): unknown {
  if (!isDamage(error) || !error.fact.includes(dir)) return error;
  return new DrumlinError(
    error.code,
    error.fact,
    `Run "drumlin repair ${dir}", or restore the file from a copy.`,
    { exitCode: error.exitCode, cause: error },
  );
}
