/**
 * An error without a remedy, which only we can fix, as one line for the user. The stack is saved to
 * a file that the user can attach to a report.
 */
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DrumlinError, EXIT } from '../../base/errors.ts';
import { VERSION } from '../../base/version.ts';
import { diskFailure } from '../../disk/disk.ts';

/** An error with a remedy is returned as it is; one of the disk gets its remedy. */
export function withRemedy(error: unknown): DrumlinError {
  const known = error instanceof DrumlinError ? error : diskFailure(error);
  if (known) return known;
  const [what] = textOf((error as Error)?.message ?? error).split('\n');
  const file = saveReport(error);
  const attach = file === undefined ? placeOf(error) : ` and attach ${file}`;
  return new DrumlinError(
    'INTERNAL',
    `Internal error: ${what || 'no message'}.`.replace('..', '.'),
    `Please report it${attach}.`,
    { exitCode: EXIT.internal, cause: error },
  );
}

/** Only the user can read the file. Undefined if there is no place for it. */
function saveReport(error: unknown): string | undefined {
  const file = join(tmpdir(), `drumlin-error-${process.pid}-${Date.now()}.txt`);
  const { platform, arch, version } = process;
  const head = `drumlin ${VERSION}, Node ${version}, ${platform} ${arch}`;
  try {
    writeFileSync(file, `${head}\n${stackOf(error)}\n`, { flag: 'wx', mode: 0o600 });
    return file;
  } catch {
    return undefined;
  }
}

/** Anything can be thrown, also what has no text. */
function textOf(thrown: unknown): string {
  try {
    return String(thrown);
  } catch {
    return typeof thrown;
  }
}

function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return textOf(error);
  const cause = error.cause === undefined ? '' : `\ncaused by ${textOf(error.cause)}`;
  return `${error.stack ?? error.message}${cause}`;
}

/** The innermost line of our code, for a report without a file. */
function placeOf(error: unknown): string {
  const place = /\(?((?:file:|\/)[^\s()]+:\d+):\d+\)?$/m.exec(stackOf(error))?.[1];
  return place === undefined ? '' : ` with this place: ${place}`;
}
