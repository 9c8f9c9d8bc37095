/** The first Ctrl-C asks `work` to stop and clean up; the second ends the process. */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController();
  const abort = () => stop.abort();
  process.once('SIGINT', abort).once('SIGTERM', abort);
  try {
    return await work(stop.signal);
  } finally {
    process.removeListener('SIGINT', abort).removeListener('SIGTERM', abort);
  }
}
