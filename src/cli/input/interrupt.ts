/** The signals that ask a command to stop: Ctrl-C, a service manager, a closed terminal. */
export const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The first signal asks `work` to stop and clean up; the second ends the process. */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController();
  const abort = () => stop.abort();
  for (const signal of STOP_SIGNALS) process.once(signal, abort);
  try {
    return await work(stop.signal);
  } finally {
    for (const signal of STOP_SIGNALS) process.removeListener(signal, abort);
  }
}
