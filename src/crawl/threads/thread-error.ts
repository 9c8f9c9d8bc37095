/**
 * An error as a message between threads. A port clones data and loses classes; here a
 * `DrumlinError` arrives as such, with its code, fact, remedy and exit code, and any other error
 * with its name, message, stack and cause.
 */
import { DrumlinError, type ExitCode, systemCode } from '../../base/errors.ts';

export interface PackedError {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
  /** The code of a `DrumlinError` or a system error; '' if there is none. */
  readonly code: string;
  readonly drumlin?: {
    readonly fact: string;
    readonly remedy: string;
    readonly exitCode: ExitCode;
  };
  readonly cause?: PackedError;
}

/** The longest chain of causes that is packed: a cause may refer back to itself. */
const DEEPEST_CAUSE = 4;

export function packError(error: unknown, depth = 0): PackedError {
  if (!(error instanceof Error)) {
    return { name: 'Error', message: String(error), stack: String(error), code: '' };
  }
  const { name, message, stack = message, cause } = error;
  return {
    name,
    message,
    stack,
    code: systemCode(error),
    ...(isDrumlin(error) && {
      drumlin: { fact: error.fact, remedy: error.remedy, exitCode: error.exitCode },
    }),
    ...(cause !== undefined && depth < DEEPEST_CAUSE && { cause: packError(cause, depth + 1) }),
  };
}

export function unpackError(packed: PackedError): Error {
  const { name, message, stack, code, drumlin } = packed;
  const cause = packed.cause && unpackError(packed.cause);
  const error = drumlin
    ? new DrumlinError(code, drumlin.fact, drumlin.remedy, { exitCode: drumlin.exitCode, cause })
    : Object.assign(new Error(message, { cause }), { name }, code !== '' && { code });
  error.stack = stack;
  return error;
}

/** Checks the shape: Node has already removed the class of an uncaught error. */
function isDrumlin(error: Error): error is DrumlinError {
  const { fact, remedy, exitCode } = error as Partial<DrumlinError>;
  return typeof fact === 'string' && typeof remedy === 'string' && typeof exitCode === 'number';
}
